// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The kind of a stored value: the byte before it.
public enum InputStickDeviceDataTag: UInt, Sendable {
  /// The end of a stick, or of all.
  case end = 0
  /// A stick.
  case deviceData = 1
  /// Its name.
  case name = 2
  /// Its identifier.
  case identifier = 3
  /// The key of its password.
  case key = 4
  /// The text of its password.
  case plainText = 5
  /// Whether it has a password, and whether the key is stored.
  case passwordProtectionStatus = 6
  /// The version of its firmware.
  case firmwareVersion = 7
  /// When its user may be told of newer firmware.
  case nextAllowedFirmwareUpdateReminder = 8
  /// The firmware that its user was told of.
  case firmwareUpdateReminderVersion = 9
}

/// A stick that was used.
///
/// A change is stored at once, except that of the identifier.
open class InputStickDeviceData: NSObject {
  /// The store that it is in.
  open weak var db: InputStickDeviceDB!
  /// The name for its user.
  open var name: String! { didSet { if name != oldValue { db?.storeDatabase() } } }
  /// The identifier, by which it is connected.
  open var identifier: String!
  /// The key of its password: 16 bytes; nil if none is stored.
  ///
  /// Without a key there is no plain text.
  open var key: Data! {
    didSet {
      guard key != oldValue else { return }
      if key == nil, plainText != nil { plainText = nil } else { db?.storeDatabase() }
    }
  }
  /// The text of its password; nil if it is not stored.
  open var plainText: String! { didSet { if plainText != oldValue { db?.storeDatabase() } } }
  /// Whether it has a password, and whether the key is stored.
  open var passwordProtectionStatus = InputStickPasswordProtectionStatus
    .PasswordProtectionDisabledOK
  {
    didSet { if passwordProtectionStatus != oldValue { db?.storeDatabase() } }
  }
  /// The version of its firmware: 100 is 1.00; 0 if it is not known.
  open private(set) var firmwareVersion: UInt = 0
  /// When its user may be told of newer firmware: 0 at once, 1 never, else in seconds since 1970.
  open private(set) var nextAllowedFirmwareUpdateReminder: UInt = 0
  /// The firmware that its user was told of.
  open private(set) var firmwareUpdateReminderVersion: UInt = 0

  /// Makes a stick that is not in the store.
  public init!(
    deviceDB db: InputStickDeviceDB!, withIdentifier identifier: String!, withName name: String!
  ) {
    super.init()
    self.db = db
    self.identifier = identifier
    self.name = name
  }

  /// Reads a stored stick, up to a value that is not known.
  public init!(nsData data: Data!) {
    super.init()
    var reader = DataReader(data ?? Data())
    while let byte = reader.byte(), let tag = InputStickDeviceDataTag(rawValue: UInt(byte)) {
      switch tag {
      case .end, .deviceData: return
      case .name: name = reader.text()
      case .identifier: identifier = reader.text()
      case .key: key = reader.bytes().flatMap { $0.count == 16 ? $0 : nil }
      case .plainText: plainText = reader.text()
      case .passwordProtectionStatus:
        passwordProtectionStatus =
          reader.uint().flatMap { InputStickPasswordProtectionStatus(rawValue: $0) }
          ?? .PasswordProtectionDisabledOK
      case .firmwareVersion: firmwareVersion = reader.uint() ?? 0
      case .nextAllowedFirmwareUpdateReminder:
        nextAllowedFirmwareUpdateReminder = reader.uint() ?? 0
      case .firmwareUpdateReminderVersion: firmwareUpdateReminderVersion = reader.uint() ?? 0
      }
    }
  }

  /// Returns the stored form.
  open func getData() -> Data! {
    let data = NSMutableData()
    func add(_ tag: InputStickDeviceDataTag) {
      InputStickDataUtils.addByte(UInt8(tag.rawValue), to: data)
    }
    func add(_ tag: InputStickDeviceDataTag, _ text: String?) {
      add(tag)
      InputStickDataUtils.add(text, to: data)
    }
    func add(_ tag: InputStickDeviceDataTag, _ number: UInt) {
      add(tag)
      InputStickDataUtils.addUInt(number, to: data)
    }
    add(.name, name)
    add(.identifier, identifier)
    add(.key)
    InputStickDataUtils.add(key, to: data)
    add(.plainText, plainText)
    add(.passwordProtectionStatus, passwordProtectionStatus.rawValue)
    add(.firmwareVersion, firmwareVersion)
    add(.nextAllowedFirmwareUpdateReminder, nextAllowedFirmwareUpdateReminder)
    add(.firmwareUpdateReminderVersion, firmwareUpdateReminderVersion)
    add(.end)
    return Data(referencing: data)
  }

  /// Takes the facts of the firmware, and marks the stick as the one that was used last.
  open func updateDeviceInfo(with rxPacket: InputStickRxPacket!) {
    guard let rxPacket else { return }
    if firmwareVersion != rxPacket.firmwareVersion {
      firmwareVersion = rxPacket.firmwareVersion
      db?.storeDatabase()
    }
    db?.setMostRecentlyUsedDeviceIdentifierTo(identifier)
  }

  /// Whether the stored key does not fit the password.
  open func hasPasswordProtectionIssue() -> Bool {
    passwordProtectionStatus != .PasswordProtectionDisabledOK
      && passwordProtectionStatus != .PasswordProtectionEnabledOK
  }

  // MARK: Newer firmware

  /// Has the user not be told of newer firmware for some seconds.
  open func postponeFirmwareUpdateReminder(by seconds: UInt) {
    nextAllowedFirmwareUpdateReminder = (db?.unixTime ?? 0) &+ seconds
    db?.storeDatabase()
  }

  /// Has the user not be told of newer firmware any more.
  open func disableFirmwareUpdateReminder() {
    nextAllowedFirmwareUpdateReminder = 1
    db?.storeDatabase()
  }

  /// Returns whether the program should show the user that there is newer firmware.
  ///
  /// It does at once for a version that it has not shown before.
  open func shouldDisplayFirmwareUpdateMessage() -> Bool {
    guard firmwareVersion < InputStickFirmwareVersionMinRecommended else { return false }
    if firmwareUpdateReminderVersion < InputStickFirmwareVersionLatest {
      firmwareUpdateReminderVersion = InputStickFirmwareVersionLatest
      nextAllowedFirmwareUpdateReminder = 0
      db?.storeDatabase()
      return true
    }
    switch nextAllowedFirmwareUpdateReminder {
    case 0: return true
    case 1: return false
    case let time: return (db?.unixTime ?? 0) > time
    }
  }

  /// Whether no firmware is newer.
  open func hasLatestFirmware() -> Bool { firmwareVersion >= InputStickFirmwareVersionLatest }

  /// Returns the version as a text: `v1.00`; `???` if it is not known.
  open func firmwareVersionString() -> String! {
    guard firmwareVersion > 0 else { return "???" }
    let minor = firmwareVersion % 100
    return "v\(firmwareVersion / 100).\(minor < 10 ? "0" : "")\(minor)"
  }

  // MARK: What the firmware can do

  /// Whether USB can be configured.
  open func supportsUSBConfiguration() -> Bool {
    firmwareVersion >= 99 && ![111, 112].contains(firmwareVersion)
  }
  /// Whether Bluetooth can be configured.
  open func supportsBTConfiguration() -> Bool { firmwareVersion >= 99 }
  /// Whether the time between two statuses can be set.
  open func supportsCustomUpdateNotificationInterval() -> Bool { firmwareVersion >= 100 }
  /// Whether packets can have authentication codes.
  open func supportsHMAC() -> Bool { firmwareVersion >= 100 }
  /// Whether a key can be generated.
  open func supportsKeygen() -> Bool { firmwareVersion >= 101 }
}
