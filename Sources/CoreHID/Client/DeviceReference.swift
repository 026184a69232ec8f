// SPDX-License-Identifier: Apache-2.0

import HIDBus

extension HIDDeviceClient {
  /// A reference to one device of the system, from which clients are made.
  ///
  /// It comes from ``HIDDeviceManager`` or ``HIDVirtualDevice``.
  public struct DeviceReference: Sendable {
    /// The number of the device, the same in every process until the machine is started again.
    public let deviceID: UInt64
    /// The device that has the number.
    let target: DeviceTarget

    init(_ target: DeviceTarget) {
      deviceID = target.id.rawValue
      self.target = target
    }
  }
}

extension HIDDeviceClient.DeviceReference: Equatable, Hashable {
  /// Returns whether two references name the same device.
  public static func == (first: Self, second: Self) -> Bool { first.deviceID == second.deviceID }

  /// Feeds the number of the device to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(deviceID) }
}

extension HIDDeviceClient.DeviceReference: CustomStringConvertible {
  /// The name of the type, and the number of the device in hex.
  public nonisolated var description: String {
    "DeviceReference(\(HIDDeviceID(rawValue: deviceID)))"
  }
}

extension HIDDeviceClient.DeviceReference {
  /// Returns a text with a type, and the device's name and number.
  func description(of type: String) -> String {
    let product = DeviceFacts(target.identity).product
    return "\(type)(\(product.map { "\"\($0)\", " } ?? "")\(self))"
  }
}
