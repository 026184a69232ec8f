// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator

/// The properties of the self-tests' devices that their recordings do not contain.
enum SelfTestModel {
  /// Adds to the devices of a self-test the properties that their driver requires.
  ///
  /// - Parameters:
  ///   - definitions: The devices of the recording of the self-test.
  ///   - test: The name of the self-test.
  static func complete(
    _ definitions: [HIDDeviceDefinition], for test: String
  ) -> [HIDDeviceDefinition] {
    definitions.map { definition in
      var definition = definition
      let device = SelfTest.device(of: test)
      definition.interfaces[0].initialReports = features[device] ?? []
      definition.serialNumber = serialNumbers[device]
      return definition
    }
  }

  /// Returns the kernel's name of the driver that a device gets.
  static func driver(of device: String) -> String {
    switch device {
    case "test_sony_TestPS3Controller": "sony"
    case "test_sony_TestPS4ControllerBluetooth", "test_sony_TestPS5ControllerUSB": "playstation"
    default:
      if device.hasPrefix("test_apple_keyboard_") {
        "apple"
      } else if device.hasPrefix("test_multitouch_") || device.hasPrefix("test_tablet_") {
        "hid-multitouch"
      } else {
        "hid-generic"
      }
    }
  }

  /// Feature reports that must not be zeros, or are not declared, by device.
  ///
  /// Source: the requests and checks of the drivers of Linux 6.12.
  private static let features: [String: [HIDInitialReport]] = [
    // hid-multitouch: Contact Count Maximum. If that is 0, the driver has room for ten contacts.
    "test_multitouch_TestIrtouch_6615_0081": [feature([0x03, 31])],
    // hid-sony: the requests that make a pad send its reports. Its report descriptor does not
    // declare them.
    "test_sony_TestPS3Controller": [
      feature([0xf2] + Array(repeating: 0, count: 16)),
      feature([0xf5] + Array(repeating: 0, count: 7)),
    ],
  ]

  /// The serial numbers of Bluetooth pads.
  ///
  /// hid-playstation takes the address from the serial number, and accepts no pad without one.
  private static let serialNumbers = ["test_sony_TestPS4ControllerBluetooth": "66:f3:1c:59:07:02"]

  private static func feature(_ bytes: [UInt8]) -> HIDInitialReport {
    HIDInitialReport(type: .feature, id: HIDReportID(rawValue: bytes[0]), bytes: bytes)
  }
}
