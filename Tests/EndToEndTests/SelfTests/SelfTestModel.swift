// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator

/// What the devices of the self-tests are and do that their recordings cannot say.
enum SelfTestModel {
  /// The devices of a self-test, as its driver wants them.
  ///
  /// - Parameters:
  ///   - definitions: The devices of its recording.
  ///   - test: Its name.
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

  /// The driver that a device gets, as the kernel calls it.
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

  /// Feature reports that must be more than zeros, or are not declared, by device.
  ///
  /// Source: what the drivers of Linux 6.12 ask for, and look at.
  private static let features: [String: [HIDInitialReport]] = [
    // hid-multitouch: Contact Count Maximum. Where that is 0 it has room for ten.
    "test_multitouch_TestIrtouch_6615_0081": [feature([0x03, 31])],
    // hid-sony: what a pad is asked for to have it send, and has not in its descriptor.
    "test_sony_TestPS3Controller": [
      feature([0xf2] + Array(repeating: 0, count: 16)),
      feature([0xf5] + Array(repeating: 0, count: 7)),
    ],
  ]

  /// hid-playstation takes the address of a Bluetooth pad from its serial number, and no pad without one.
  private static let serialNumbers = ["test_sony_TestPS4ControllerBluetooth": "66:f3:1c:59:07:02"]

  private static func feature(_ bytes: [UInt8]) -> HIDInitialReport {
    HIDInitialReport(type: .feature, id: HIDReportID(rawValue: bytes[0]), bytes: bytes)
  }
}
