// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The sticks that were used, stored in the user defaults of their manager.
///
/// A stick is a simulated InputStick: a USB device that a client drives by packets on a link.
open class InputStickDeviceDB: NSObject {
  /// The largest number of stored bytes that are read.
  private static let longest = 4 << 20

  /// The manager.
  open private(set) weak var inputStickManager: InputStickManager!
  /// The sticks, as ``InputStickDeviceData``, in the order of their addition, as changed by
  /// ``swapDevice(from:to:updateDatabase:)``.
  open private(set) var deviceDbArray: NSMutableArray! = NSMutableArray()

  /// Reads the stored sticks.
  ///
  /// Stored bytes that cannot be read are replaced by a store without sticks.
  public init!(inputStickManager: InputStickManager!) {
    super.init()
    self.inputStickManager = inputStickManager
    let stored = defaults?.data(forKey: InputStickDatabaseKey)
    let found = stored.flatMap { Self.devices(in: $0) }
    for device in found ?? [] {
      device.db = self
      deviceDbArray.add(device)
    }
    if stored != nil, found == nil { storeDatabase() }
  }

  private var defaults: UserDefaults? { inputStickManager?.userDefaults }
  private var devices: [InputStickDeviceData] {
    deviceDbArray.compactMap { $0 as? InputStickDeviceData }
  }
  /// The current time, in seconds since 1970.
  var unixTime: UInt { UInt(inputStickManager?.environment.unixTime ?? 0) }

  // MARK: Bytes

  /// Returns the sticks in stored bytes; nil if the bytes cannot be read.
  static func devices(in data: Data) -> [InputStickDeviceData]? {
    guard data.count <= longest else { return nil }
    var reader = DataReader(data)
    guard reader.uint() == InputStickDatabaseMagicNumber else { return nil }
    var devices: [InputStickDeviceData] = []
    while let tag = reader.byte(), tag == InputStickDeviceDataTag.deviceData.rawValue {
      guard let record = reader.bytes() else { return nil }
      devices.append(InputStickDeviceData(nsData: record))
    }
    return devices
  }

  /// The sticks in their stored form.
  var data: Data {
    let data = NSMutableData()
    InputStickDataUtils.addUInt(InputStickDatabaseMagicNumber, to: data)
    for device in devices {
      InputStickDataUtils.addByte(UInt8(InputStickDeviceDataTag.deviceData.rawValue), to: data)
      InputStickDataUtils.add(device.getData(), to: data)
    }
    InputStickDataUtils.addByte(UInt8(InputStickDeviceDataTag.end.rawValue), to: data)
    return Data(referencing: data)
  }

  /// Stores the sticks.
  open func storeDatabase() { defaults?.set(data, forKey: InputStickDatabaseKey) }

  // MARK: Sticks

  /// The number of stored sticks.
  open var numberOfStoredDevices: UInt { UInt(deviceDbArray.count) }

  /// Returns whether a stick is stored; false for nil.
  open func hasDevice(withIdentifier identifier: String!) -> Bool {
    getDataForDevice(withIdentifier: identifier) != nil
  }

  /// Returns the entry of a stick; nil if it is not stored.
  open func getDataForDevice(withIdentifier identifier: String!) -> InputStickDeviceData! {
    identifier == nil ? nil : devices.first { $0.identifier == identifier }
  }

  /// Adds a stick, and stores all sticks.
  ///
  /// - Parameters:
  ///   - identifier: The stick's identifier; nil does nothing.
  ///   - preferredName: The stick's name. If another stick has this name, the stick gets the name
  ///     that ``getNextAvailableName(_:)`` returns, such as `Name-0`. nil gives the name
  ///     ``InputStickDatabaseDefaultDeviceName``, even if another stick has it.
  /// - Returns: True if the stick was added; false if it is stored already, or the identifier is
  ///   nil.
  @discardableResult open func createDevice(
    withIdentifier identifier: String!, withPreferredName preferredName: String!
  ) -> Bool {
    guard let identifier, !hasDevice(withIdentifier: identifier) else { return false }
    deviceDbArray.add(
      InputStickDeviceData(
        deviceDB: self, withIdentifier: identifier,
        withName: getNextAvailableName(preferredName)) as InputStickDeviceData)
    storeDatabase()
    return true
  }

  /// Removes the stick at an index, and stores the others; an index beyond the end does nothing.
  open func deleteDevice(with index: UInt) {
    guard index < numberOfStoredDevices else { return }
    deviceDbArray.removeObject(at: Int(index))
    storeDatabase()
  }

  /// Removes a stick by its identifier, regardless of case, and stores the others.
  ///
  /// - Parameter identifier: The stick's identifier; nil does nothing.
  open func deleteDevice(withIdentifier identifier: String!) {
    guard let identifier else { return }
    for device in devices where device.identifier?.lowercased() == identifier.lowercased() {
      deviceDbArray.remove(device)
    }
    storeDatabase()
  }

  /// Moves a stick to another index; an index beyond the end does nothing.
  ///
  /// - Parameters:
  ///   - fromIndex: The index of the stick, from 0.
  ///   - toIndex: The index of the stick after the move.
  ///   - update: True to store the sticks after the move.
  open func swapDevice(from fromIndex: UInt, to toIndex: UInt, updateDatabase update: Bool) {
    guard fromIndex < numberOfStoredDevices, toIndex < numberOfStoredDevices else { return }
    let device = deviceDbArray.object(at: Int(fromIndex))
    deviceDbArray.removeObject(at: Int(fromIndex))
    deviceDbArray.insert(device, at: Int(toIndex))
    if update { storeDatabase() }
  }

  /// Returns the identifier of the last used stick; nil if there is none, or it is not stored any
  /// more.
  open func getMostRecentlyUsedDeviceIdentifier() -> String! {
    guard let identifier = defaults?.string(forKey: InputStickMostRecentDeviceKey),
      hasDevice(withIdentifier: identifier)
    else { return nil }
    return identifier
  }

  /// Stores the identifier of the last used stick; nil removes the stored identifier.
  open func setMostRecentlyUsedDeviceIdentifierTo(_ identifier: String!) {
    defaults?.set(identifier, forKey: InputStickMostRecentDeviceKey)
  }

  /// Returns whether no stored stick has this name; true for nil.
  open func canUseName(_ name: String!) -> Bool {
    name == nil || !devices.contains { $0.name == name }
  }

  /// Returns a name that no stored stick has: the preferred name, or the preferred name with -0,
  /// -1, … -999 at its end.
  ///
  /// The result is ``InputStickDatabaseDefaultDeviceName`` for nil, and if all these names are
  /// used.
  open func getNextAvailableName(_ preferredName: String!) -> String! {
    guard let preferredName else { return InputStickDatabaseDefaultDeviceName }
    if canUseName(preferredName) { return preferredName }
    let name = (0..<1000).lazy.map { "\(preferredName)-\($0)" }.first { self.canUseName($0) }
    return name ?? InputStickDatabaseDefaultDeviceName
  }
}
