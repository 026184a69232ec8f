// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The UUID of the Bluetooth service of a stick, that is of an InputStick, with an HM-10 module.
public let InputStickBluetoothFullUUID: String! = "0000ffe0-0000-1000-8000-00805f9b34fb"
/// The short form of ``InputStickBluetoothFullUUID``.
public let InputStickBluetoothUUID: String! = "0000ffe0"
/// The Bluetooth name of a stick that has no other name.
public let InputStickBluetoothDefaultName: String! = "InputStick"
/// The name of a stored stick that has no other name.
public let InputStickDatabaseDefaultDeviceName: String! = "InputStick"
/// The class name in archives of older versions of the InputStickAPI library for iOS.
public let InputStickDatabaseClassName: String! = "InputStick"
/// The newest firmware version that runs on every hardware: 110 is 1.10.
public let InputStickFirmwareVersionLatest: UInt = 110
/// The oldest firmware version that needs no update: 100 is 1.00.
public let InputStickFirmwareVersionMinRecommended: UInt = 100
/// The name of the table of localised texts.
public let InputStickStringTable: String! = "InputStick"
/// The file name of the icon of a connection.
public let InputStickConnectionIcon: String! = "inputstick_connection_ic.png"
/// The address of the page of the manufacturer.
public let InputStickWebpageURL: String! = "http://inputstick.com"
/// The address of the page with help.
public let InputStickWebpageHelpURL: String! = "http://inputstick.com/help"
/// The address of the page of the shop.
public let InputStickWebpageBuyURL: String! = "http://inputstick.com/buy"
/// The address of the page of the utility program.
public let InputStickUtilityAppiTunesURL: String! =
  "itms://itunes.apple.com/us/app/inputstickutility/id1356354725?mt=8"
/// The address that starts the utility program.
public let InputStickUtilityLaunchURL: String! = "inputstickutility://launch"
/// The beginning of the address with which the utility program updates the firmware of a stick.
///
/// The caller appends the identifier of the stick.
public let InputStickUtilityFirmwareUpdateURL: String! = "inputstickutility://update?device="
/// The key in the user defaults that is true from the start of an automatic connection until a
/// connection is ready or ``InputStickManager/reEnableAutoConnect()`` is called.
///
/// It stays true after a failure.
public let InputStickAutoConnectFailedKey: String! = "InputStickAutoConnectFailed"
/// A key of older versions of the InputStickAPI library for iOS.
public let InputStickStoredIdentifierKey: String! = "InputStickStoredIdentifier"
/// The key of the stored sticks in the user defaults.
public let InputStickDatabaseKey: String! = "InputStickDeviceDB"
/// The key of the identifier of the last used stick in the user defaults.
public let InputStickMostRecentDeviceKey: String! = "InputStickMostRecentDevice"
/// The number at the start of the stored sticks.
public let InputStickDatabaseMagicNumber: UInt = 0xA1B2_C3D4

/// A class without members, as in the InputStickAPI library for iOS.
open class InputStickConst: NSObject {}
