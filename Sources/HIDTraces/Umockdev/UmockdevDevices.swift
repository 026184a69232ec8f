// SPDX-License-Identifier: Apache-2.0

import HIDText

/// Where the devices of a script come from: the files beside it, and what else is known.
struct UmockdevDevices: Sendable {
  var description: UmockdevDescription?
  var ioctls: UmockdevIoctls?
  /// Descriptors of devices that no file describes, in the order of these.
  var descriptors: [[UInt8]] = []
  /// Whether the caller can give ``descriptors``.
  var canGiveDescriptors = true
  /// The script's name.
  var file: String

  /// The device of a node, and what was set in it; nil where its descriptor is not known.
  ///
  /// - Parameters:
  ///   - node: The node, such as `hidraw5`; nil where the script does not say.
  ///   - unknown: How many devices before it no file describes. It is counted.
  func device(
    _ node: String?, _ unknown: inout Int
  ) -> (device: HIDTraceDevice, sets: [HIDTraceSet])? {
    let ioctls = node.flatMap { self.ioctls?[$0] }
    var device: HIDTraceDevice
    if let described = described(node) {
      device = described
    } else if let descriptor = ioctls?.descriptor {
      device = HIDTraceDevice(descriptor: descriptor)
    } else if descriptors.indices.contains(unknown) {
      device = HIDTraceDevice(descriptor: descriptors[unknown])
      unknown += 1
    } else {
      return nil
    }
    device.number = node.flatMap { Int($0.dropFirst(6)) } ?? device.number
    device.reports = ioctls?.reports ?? []
    return (device, ioctls?.sets ?? [])
  }

  private func described(_ node: String?) -> HIDTraceDevice? {
    if let node, let device = description?.device(node: node) { return device }
    // A description of one device is that of the script, whatever its node was called.
    guard let description, description.devices.count == 1 else { return nil }
    return description.devices.first?.device
  }
}

/// The name of a file beside another, with another end.
func sibling(_ name: String, _ end: String) -> String {
  let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
  guard let dot = name[start...].lastIndex(of: "."), dot != start else { return name + end }
  return name[..<dot] + end
}
