// SPDX-License-Identifier: Apache-2.0

/// The sources of the devices of a script: the files beside it, and given report descriptors.
struct UmockdevDevices: Sendable {
  var description: UmockdevDescription?
  var ioctls: UmockdevIoctls?
  /// The report descriptors for devices that no file describes, in the order of these devices.
  var descriptors: [[UInt8]] = []
  /// True if the caller can give ``descriptors``.
  var canGiveDescriptors = true
  /// The name of the script.
  var file: String

  /// Returns the device of a node with the reports that were set; nil if its descriptor is not
  /// known.
  ///
  /// - Parameters:
  ///   - node: The node, such as `hidraw5`; nil if the script does not name it.
  ///   - unknown: The number of earlier devices that no file describes. It is increased if this
  ///     device gets one of ``descriptors``.
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
    // If only one device is described, it is the device of the script, whatever its node's name.
    guard let description, description.devices.count == 1 else { return nil }
    return description.devices.first?.device
  }
}

/// Returns the name of a file with `end` in place of its name extension, or added if it has none.
func sibling(_ name: String, _ end: String) -> String {
  let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
  guard let dot = name[start...].lastIndex(of: "."), dot != start else { return name + end }
  return name[..<dot] + end
}
