// SPDX-License-Identifier: Apache-2.0

/// Further properties of a device, which are not needed to read its reports.
///
/// The values come from the hardware itself, or from the program that plugged the device. On the
/// kernel bus, only clients with the bus directory of that program get its values.
public struct HIDDeviceDetails: Hashable, Sendable {
  /// The product's name without the manufacturer's, if it is known separately.
  public var product: String?
  /// The model number; `nil` if it is not known.
  public var modelNumber: String?
  /// An ID that software has given the device; `nil` if there is none.
  public var uniqueID: String?
  /// The location of the device on its bus; `nil` if it is not known.
  ///
  /// On USB the highest eight of 32 bits hold the bus number. Each port on the way takes four bits.
  public var locationID: UInt64?
  /// The transport by its macOS name, if ``HIDTransport`` does not express it.
  public var transportName: String?
  /// True if the device is part of the machine.
  ///
  /// Records of devices that this library plugged always have false, since the buses do not pass
  /// the value on.
  public var isBuiltIn = false
  /// Further properties: the bytes of a property list, which the buses pass on unchanged.
  public var properties: [UInt8] = []

  /// Makes details without any known value.
  public init() {}
}
