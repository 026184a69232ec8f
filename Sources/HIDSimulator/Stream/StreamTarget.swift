// SPDX-License-Identifier: Apache-2.0

import HIDText
import HIDUsageNaming

/// Which device a command of a stream is about, and which interface of it.
struct StreamTarget: Sendable {
  let device: SimulatedDevice
  /// The interface that was named; `nil` for the device as a whole.
  let interface: Int?
}

/// Why a command cannot be carried out.
struct StreamFailure: Error {
  var message: String
  var help: String?
  /// What happened instead of what was expected, a line each.
  var instead: [String] = []
  /// Whether something was expected, and did not come or was not so.
  var isUnmet = false
  /// Whether nothing at all was done.
  var isRefusal = false
  /// How many reports had been sent by then.
  var sent = 0
}

extension DeviceHub {
  /// Finds a device by its label, or an interface by its own: `keyboard`, `keyboard#2`, `InputStick/mouse`.
  ///
  /// - Parameter label: The label; `nil` where there is one device only.
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
