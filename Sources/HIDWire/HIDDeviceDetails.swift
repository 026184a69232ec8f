// SPDX-License-Identifier: Apache-2.0

/// What is known of some devices, and no report of theirs needs: their hardware's own words, or what whoever plugged
/// them says.
public struct HIDDeviceDetails: Hashable, Sendable {
  /// The product's name without the manufacturer's, where that is known apart.
  public var product: String?
  /// The model number.
  public var modelNumber: String?
  /// An ID that software has given the device.
  public var uniqueID: String?
  /// Where the device is attached: of USB the bus number in the highest byte, then a digit for each port on the way.
  public var locationID: UInt64?
  /// The transport by the name that macOS has for it, where ``HIDTransport`` does not tell it.
  public var transportName: String?
  /// Whether the device is part of the machine.
  public var isBuiltIn = false
  /// Further properties: the bytes of a property list, which the buses hand on.
  public var properties: [UInt8] = []

  /// Makes details, of which nothing is known.
  public init() {}
}
