// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The kind of a stored value; it is the byte before the value.
///
/// A stick is a simulated InputStick: a USB device that a client drives by packets on a link.
public enum InputStickDeviceDataTag: UInt, Sendable {
  /// The end of a stick's values, or of all sticks.
  case end = 0
  /// A stick.
  case deviceData = 1
  /// The name of the stick.
  case name = 2
  /// The identifier of the stick.
  case identifier = 3
  /// The key of the stick's password.
  case key = 4
  /// The text of the stick's password.
  case plainText = 5
  /// The state of the stick's password and of its stored key.
  case passwordProtectionStatus = 6
  /// The version of the stick's firmware.
  case firmwareVersion = 7
  /// The earliest time of the next reminder of newer firmware.
  case nextAllowedFirmwareUpdateReminder = 8
  /// The newest firmware version of which the user was reminded.
  case firmwareUpdateReminderVersion = 9
}

/// A stick that was used.
///
/// A change is stored at once, except a change of the identifier.
open class InputStickDeviceData: NSObject {
  /// The store that contains the stick.
  open weak var db: InputStickDeviceDB!
  /// The name of the stick, for its user.
  open var name: String! { didSet { if name != oldValue { db?.storeDatabase() } } }
  /// The identifier, which ``InputStickManager/connectToInputStick(withIdentifier:)`` takes.
  open var identifier: String!
  /// The key of the stick's password: 16 bytes; nil if none is stored.
  ///
  /// If the key is set to nil, ``plainText`` becomes nil too.
  open var key: Data! {
    didSet {
      if key == nil, plainText != nil {
        plainText = nil
      } else if key != oldValue {
        db?.storeDatabase()
      }
    }
  }
  /// The text of the stick's password; nil if it is not stored.
  open var plainText: String! { didSet { if plainText != oldValue { db?.storeDatabase() } } }
  /// The state of the stick's password and of its stored key.
  ///
  /// It is also `PasswordProtectionDisabledOK` before the stick has reported the state.
  open var passwordProtectionStatus = InputStickPasswordProtectionStatus
    .PasswordProtectionDisabledOK
  {
    didSet { if passwordProtectionStatus != oldValue { db?.storeDatabase() } }
  }
  /// The version of the stick's firmware: 100 is 1.00; 0 if it is not known.
  open private(set) var firmwareVersion: UInt = 0
  /// The earliest time of the next reminder of newer firmware, in seconds since 1970.
  ///
  /// 0 means at once, 1 means no reminder.
  open private(set) var nextAllowedFirmwareUpdateReminder: UInt = 0
  /// The newest firmware version of which the user was reminded.
  open private(set) var firmwareUpdateReminderVersion: UInt = 0

  /// Makes an entry, without adding it to the store.
  public init!(
    deviceDB db: InputStickDeviceDB!, withIdentifier identifier: String!, withName name: String!
  ) {
    super.init()
    self.db = db
    self.identifier = identifier
    self.name = name
  }

  /// Reads an entry from its stored form, up to the first value of an unknown kind.
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

  /// Returns the entry in its stored form.
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

  /// Stores the firmware version from an answer, and marks the stick as the last used one.
  ///
  /// - Parameter rxPacket: An answer to ``InputStickCmd/CmdGetFirmwareInfo``.
  open func updateDeviceInfo(with rxPacket: InputStickRxPacket!) {
    guard let rxPacket else { return }
    if firmwareVersion != rxPacket.firmwareVersion {
      firmwareVersion = rxPacket.firmwareVersion
      db?.storeDatabase()
    }
    db?.setMostRecentlyUsedDeviceIdentifierTo(identifier)
  }

  /// Returns whether the key is wrong or missing, or is stored although the stick has no password.
  open func hasPasswordProtectionIssue() -> Bool {
    passwordProtectionStatus != .PasswordProtectionDisabledOK
      && passwordProtectionStatus != .PasswordProtectionEnabledOK
  }

  // MARK: Newer firmware

  /// Suppresses the reminder of newer firmware for a number of seconds from now.
  ///
  /// The first call of ``shouldDisplayFirmwareUpdateMessage()`` for a stick, and the first call
  /// after this library knows a newer version, end the suppression.
  open func postponeFirmwareUpdateReminder(by seconds: UInt) {
    let (time, isTooLarge) = (db?.unixTime ?? 0).addingReportingOverflow(seconds)
    nextAllowedFirmwareUpdateReminder = isTooLarge ? .max : time
    db?.storeDatabase()
  }

  /// Suppresses the reminder of newer firmware, without a limit of time.
  ///
  /// The first call of ``shouldDisplayFirmwareUpdateMessage()`` for a stick, and the first call
  /// after this library knows a newer version, end the suppression.
  open func disableFirmwareUpdateReminder() {
    nextAllowedFirmwareUpdateReminder = 1
    db?.storeDatabase()
  }

  /// Returns whether the program should remind the user of newer firmware.
  ///
  /// The result is false for firmware from ``InputStickFirmwareVersionMinRecommended`` on. For
  /// older firmware, the first call after this library knows a newer version returns true, and ends
  /// a suppression. Later calls return false while the reminder is suppressed.
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

  /// Returns whether the stick has the firmware ``InputStickFirmwareVersionLatest`` or a newer one.
  open func hasLatestFirmware() -> Bool { firmwareVersion >= InputStickFirmwareVersionLatest }

  /// Returns the firmware version as text, such as `v1.00`; `???` if it is not known.
  open func firmwareVersionString() -> String! {
    guard firmwareVersion > 0 else { return "???" }
    let minor = firmwareVersion % 100
    return "v\(firmwareVersion / 100).\(minor < 10 ? "0" : "")\(minor)"
  }

  // MARK: What the firmware can do

  /// Returns whether USB can be configured.
  open func supportsUSBConfiguration() -> Bool {
    firmwareVersion >= 99 && ![111, 112].contains(firmwareVersion)
  }
  /// Returns whether Bluetooth can be configured.
  open func supportsBTConfiguration() -> Bool { firmwareVersion >= 99 }
  /// Returns whether a client can set the time between two status notifications.
  open func supportsCustomUpdateNotificationInterval() -> Bool { firmwareVersion >= 100 }
  /// Returns whether packets can have authentication codes.
  open func supportsHMAC() -> Bool { firmwareVersion >= 100 }
  /// Returns whether the stick can generate a key.
  open func supportsKeygen() -> Bool { firmwareVersion >= 101 }
}
