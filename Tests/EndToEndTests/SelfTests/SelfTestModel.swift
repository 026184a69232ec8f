// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSimulator

/// What the devices of the self-tests are and do that their recordings cannot say.
enum SelfTestModel {
  /// The devices of a self-test, as its drivers want them.
  ///
  /// - Parameter definitions: The devices of its recording.
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

  /// Feature reports that are more than zeros of the declared length, by device.
  ///
  /// Source: what the drivers of Linux 6.12 ask for, and look at.
  private static let features: [String: [HIDInitialReport]] = [
    // hid-multitouch: Contact Count Maximum. Left at 0 it takes its own ten.
    "test_multitouch_TestIrtouch_6615_0081": [feature([0x03, 31])],
    // hid-sony, to have the pad send: reports of which its descriptor says nothing. The address of the pad is in
    // bytes 4 to 9 of the first.
    "test_sony_TestPS3Controller": [
      feature([0xf2, 0xff, 0xff, 0x00, 0x00, 0x1e, 0x3d, 0x24, 0x97, 0xde] + zeros(7)),
      feature([0xf5] + zeros(7)),
    ],
    // hid-playstation: calibration, with the CRC-32 of a3 and what is before it. The version is zeros.
    "test_sony_TestPS4ControllerBluetooth": [
      feature([0x05] + zeros(36) + [0x40, 0xb2, 0x66, 0x26])
    ],
  ]

  /// hid-playstation takes a Bluetooth pad's address from its serial number, and no pad without.
  private static let serialNumbers = ["test_sony_TestPS4ControllerBluetooth": "66:f3:1c:59:07:02"]

  private static func feature(_ bytes: [UInt8]) -> HIDInitialReport {
    HIDInitialReport(type: .feature, id: HIDReportID(rawValue: bytes[0]), bytes: bytes)
  }

  private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }
}
