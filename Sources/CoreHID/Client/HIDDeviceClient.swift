// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Synchronization

/// A client of one HID device, which requests, sends and receives reports.
///
/// The device is opened when it is first needed. There is no function that closes it. It is closed,
/// and released if it was seized, when the last reference to the client and its streams is gone.
///
/// A client of a virtual device of this process that is not plugged yet waits until the device is
/// plugged. The limits of the bus for answers begin after that.
public actor HIDDeviceClient {
  /// The device.
  public nonisolated final let deviceReference: DeviceReference
  /// The usage of the device's first top-level application collection that has one.
  ///
  /// If there is none, this is the usage of the first application collection, else of the first
  /// collection, else page 0.
  public final let primaryUsage: HIDUsage
  /// The vendor ID, of 16 bits on every real transport.
  public final let vendorID: UInt32
  /// The product ID, of 16 bits on every real transport.
  public final let productID: UInt32

  nonisolated let model: DeviceModel
  nonisolated let connection: ClientConnection
  nonisolated let lastReports: LastReports
  nonisolated var outstanding: Outstanding { connection.outstanding }
  private let facts: DeviceFacts
  private var madeElements: [HIDElement]?
  private var properties: [String: UnsafeProperty] = [:]

  /// Makes a client of a device.
  ///
  /// The result is `nil` if the device is gone or could not be plugged, if this user may not open
  /// it, if this process does not use its bus, or if its report descriptor is invalid.
  ///
  /// - Parameter deviceReference: The device.
  public init?(deviceReference: DeviceReference) {
    let target = deviceReference.target
    guard target.obstacle == nil,
      let descriptor = try? HIDReportDescriptor(parsing: target.descriptorBytes)
    else { return nil }
    self.deviceReference = deviceReference
    model = DeviceModel(descriptor)
    connection = ClientConnection(target)
    lastReports = LastReports(of: model)
    facts = DeviceFacts(target.identity)
    primaryUsage = model.primaryUsage
    vendorID = facts.vendorID
    productID = facts.productID
  }
}

// MARK: Properties

extension HIDDeviceClient {
  /// The report descriptor, as the device has it.
  public var descriptor: Data { Data(model.descriptor.bytes) }
  /// The usages of the device's application and physical collections, each once.
  public var deviceUsages: [HIDUsage] { model.deviceUsages }

  /// The elements of the device's reports, in the order of its descriptor.
  ///
  /// There are 65,536 elements at most. They are made when they are first needed.
  public var elements: [HIDElement] {
    if let madeElements { return madeElements }
    let elements = model.elements(of: self)
    madeElements = elements
    return elements
  }

  /// True if the device is part of the machine.
  public var isBuiltIn: Bool { facts.isBuiltIn }
  /// The country or language of the device's legends; ``HIDDeviceLocalizationCode/unsupported`` if
  /// unknown.
  public var localizationCode: HIDDeviceLocalizationCode { facts.localizationCode }
  /// The location of the device, constant while it is attached: for USB, the bus and the ports.
  public var locationID: UInt64? { facts.locationID }
  /// The manufacturer's name.
  public var manufacturer: String? { facts.manufacturer }
  /// The model number.
  public var modelNumber: String? { facts.modelNumber }
  /// The product's name.
  public var product: String? { facts.product }
  /// The serial number.
  public var serialNumber: String? { facts.serialNumber }
  /// The transport by which the device is attached.
  public var transport: HIDDeviceTransport? { facts.transport }
  /// The ID that software has given the device.
  public var uniqueID: String? { facts.uniqueID }
  /// The device's release number, binary-coded decimal: `0x0100` is 1.00; `nil` if it is 0.
  public var versionNumber: UInt64? { facts.versionNumber }

  /// A property by its name on macOS, such as `"Product"`, or by the name that a virtual device
  /// gives it.
  ///
  /// A value that is set here stays in this client, and does not change the device. Setting `nil`
  /// restores the value of the device.
  ///
  /// - Parameter key: The name of the property.
  public subscript(key: String) -> UnsafeProperty? {
    get { properties[key] ?? facts.property(key, model).map(UnsafeProperty.init) }
    set { properties[key] = newValue }
  }

  // The objects are those of property lists, which are immutable. No other module can make a
  // property with another object.
  /// A property of unknown type.
  public struct UnsafeProperty: @unchecked Sendable {
    /// The value.
    public let unsafeObject: AnyObject

    init(_ object: AnyObject) { unsafeObject = object }
  }
}

extension HIDDeviceClient: Equatable, Hashable {
  /// Returns whether two clients are the same object; two clients of one device are not.
  public static func == (first: HIDDeviceClient, second: HIDDeviceClient) -> Bool {
    first === second
  }

  /// Feeds the client's identity to `hasher`.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension HIDDeviceClient: CustomStringConvertible {
  /// The device's name and number.
  public nonisolated var description: String { deviceReference.description(of: "HIDDeviceClient") }
}
