// SPDX-License-Identifier: Apache-2.0

import HIDSimulator
import HIDText

/// The device that a command of a stream is about, or one interface of it.
struct StreamTarget: Sendable {
  let device: SimulatedDevice
  /// The index of the named interface; `nil` for the device as a whole.
  let interface: Int?
}

/// The reason why a command cannot be carried out.
struct StreamFailure: Error {
  var message: String
  var help: String?
  /// The events that occurred instead of the expected events, a line each.
  var instead: [String] = []
  /// True if an expectation was not met, or a `wait open` or `wait reader` command reached its time
  /// limit.
  var isUnmet = false
  /// True if no report was sent because one of them does not fit the report descriptor.
  var isRefusal = false
  /// The number of reports that were sent before the failure.
  var sent = 0
}

extension DeviceHub {
  /// Finds a device or an interface by its label: `keyboard`, `keyboard#2`, `InputStick/mouse`.
  ///
  /// - Parameter label: The label; `nil` for the only device.
  func target(_ label: String?) throws(StreamFailure) -> StreamTarget {
    let devices = devices
    guard let label else {
      guard let only = devices.first, devices.count == 1 else {
        throw StreamFailure(
          message: devices.isEmpty
            ? "there is no device"
            : "the command names no device, and there are \(devices.count)",
          help: devices.isEmpty ? "plug one" : "add \"device\": \(quoted(devices[0].label))")
      }
      return StreamTarget(device: only, interface: nil)
    }
    for device in devices {
      if device.label == label { return StreamTarget(device: device, interface: nil) }
      if let interface = device.interfaces.firstIndex(where: { $0.label == label }) {
        return StreamTarget(device: device, interface: interface)
      }
    }
    let names = devices.flatMap { device in
      [device.label] + (device.interfaces.count > 1 ? device.interfaces.map(\.label) : [])
    }
    let near = NameSuggestion.nearest(to: label, in: names)
    throw StreamFailure(
      message: "no device is called \(quoted(label))",
      help: near.map { "did you mean \(quoted($0))?" }
        ?? (names.isEmpty
          ? "there is no device: plug one"
          : "known names: \(names.prefix(20).map { quoted($0) }.joined(separator: ", "))"))
  }
}
