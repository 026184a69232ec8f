// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
@testable import HIDSessions
@testable import HIDSimulator
import Testing

/// Comparison with the published report descriptors of real devices.
@Suite("The shipped game controllers")
struct LibraryControllerTests {
  private func bytes(_ hex: String) -> [UInt8] {
    hex.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
  }

  private func descriptor(_ name: String) throws -> HIDReportDescriptor {
    try Library.device(name).interfaces[0].descriptor
  }

  @Test("the DualSense on USB has the published report descriptor, byte for byte")
  func wired() throws {
    #expect(
      try descriptor("dualsense.json").bytes
        == bytes(
          """
          05 01 09 05 a1 01 85 01 09 30 09 31 09 32 09 35 09 33 09 34 15 00 26 ff 00 75 08 95 06 81 02 06
          00 ff 09 20 95 01 81 02 05 01 09 39 15 00 25 07 35 00 46 3b 01 65 14 75 04 95 01 81 42 65 00 05
          09 19 01 29 0f 15 00 25 01 75 01 95 0f 81 02 06 00 ff 09 21 95 0d 81 02 06 00 ff 09 22 15 00 26
          ff 00 75 08 95 34 81 02 85 02 09 23 95 2f 91 02 85 05 09 33 95 28 b1 02 85 08 09 34 95 2f b1 02
          85 09 09 24 95 13 b1 02 85 0a 09 25 95 1a b1 02 85 20 09 26 95 3f b1 02 85 21 09 27 95 04 b1 02
          85 22 09 40 95 3f b1 02 85 80 09 28 95 3f b1 02 85 81 09 29 95 3f b1 02 85 82 09 2a 95 09 b1 02
          85 83 09 2b 95 3f b1 02 85 84 09 2c 95 3f b1 02 85 85 09 2d 95 02 b1 02 85 a0 09 2e 95 01 b1 02
          85 e0 09 2f 95 3f b1 02 85 f0 09 30 95 3f b1 02 85 f1 09 31 95 3f b1 02 85 f2 09 32 95 0f b1 02
          85 f4 09 35 95 3f b1 02 85 f5 09 36 95 03 b1 02 c0
          """))
  }

  @Test("the DualSense on Bluetooth has the published report descriptor, byte for byte")
  func wireless() throws {
    #expect(
      try descriptor("dualsense-bluetooth.json").bytes
        == bytes(
          """
          05 01 09 05 a1 01 85 01 09 30 09 31 09 32 09 35 15 00 26 ff 00 75 08 95 04 81 02 09 39 15 00 25
          07 35 00 46 3b 01 65 14 75 04 95 01 81 42 65 00 05 09 19 01 29 0e 15 00 25 01 75 01 95 0e 81 02
          75 06 95 01 81 01 05 01 09 33 09 34 15 00 26 ff 00 75 08 95 02 81 02 06 00 ff 15 00 26 ff 00 75
          08 95 4d 85 31 09 31 91 02 09 3b 81 02 85 32 09 32 95 8d 91 02 85 33 09 33 95 cd 91 02 85 34 09
          34 96 0d 01 91 02 85 35 09 35 96 4d 01 91 02 85 36 09 36 96 8d 01 91 02 85 37 09 37 96 cd 01 91
          02 85 38 09 38 96 0d 02 91 02 85 39 09 39 96 22 02 91 02 06 80 ff 85 05 09 33 95 28 b1 02 85 08
          09 34 95 2f b1 02 85 09 09 24 95 13 b1 02 85 20 09 26 95 3f b1 02 85 22 09 40 95 3f b1 02 85 80
          09 28 95 3f b1 02 85 81 09 29 95 3f b1 02 85 82 09 2a 95 09 b1 02 85 83 09 2b 95 3f b1 02 85 f1
          09 31 95 3f b1 02 85 f2 09 32 95 0f b1 02 85 f0 09 30 95 3f b1 02 c0
          """))
  }

  @Test("the DualShock 4 has the published report descriptor, byte for byte")
  func dualShock() throws {
    #expect(
      try descriptor("dualshock4.json").bytes
        == bytes(
          """
          05 01 09 05 a1 01 85 01 09 30 09 31 09 32 09 35 15 00 26 ff 00 75 08 95 04 81 02 09 39 15 00 25
          07 35 00 46 3b 01 65 14 75 04 95 01 81 42 65 00 05 09 19 01 29 0e 15 00 25 01 75 01 95 0e 81 02
          06 00 ff 09 20 75 06 95 01 15 00 25 7f 81 02 05 01 09 33 09 34 15 00 26 ff 00 75 08 95 02 81 02
          06 00 ff 09 21 95 36 81 02 85 05 09 22 95 1f 91 02 85 04 09 23 95 24 b1 02 85 02 09 24 95 24 b1
          02 85 08 09 25 95 03 b1 02 85 10 09 26 95 04 b1 02 85 11 09 27 95 02 b1 02 85 12 06 02 ff 09 21
          95 0f b1 02 85 13 09 22 95 16 b1 02 85 14 06 05 ff 09 20 95 10 b1 02 85 15 09 21 95 2c b1 02 06
          80 ff 85 80 09 20 95 06 b1 02 85 81 09 21 95 06 b1 02 85 82 09 22 95 05 b1 02 85 83 09 23 95 01
          b1 02 85 84 09 24 95 04 b1 02 85 85 09 25 95 06 b1 02 85 86 09 26 95 06 b1 02 85 87 09 27 95 23
          b1 02 85 88 09 28 95 22 b1 02 85 89 09 29 95 02 b1 02 85 90 09 30 95 05 b1 02 85 91 09 31 95 03
          b1 02 85 92 09 32 95 03 b1 02 85 93 09 33 95 0c b1 02 85 a0 09 40 95 06 b1 02 85 a1 09 41 95 01
          b1 02 85 a2 09 42 95 01 b1 02 85 a3 09 43 95 30 b1 02 85 a4 09 44 95 0d b1 02 85 a5 09 45 95 15
          b1 02 85 a6 09 46 95 15 b1 02 85 f0 09 47 95 3f b1 02 85 f1 09 48 95 3f b1 02 85 f2 09 49 95 0f
          b1 02 85 a7 09 4a 95 01 b1 02 85 a8 09 4b 95 01 b1 02 85 a9 09 4c 95 08 b1 02 85 aa 09 4e 95 01
          b1 02 85 ab 09 4f 95 39 b1 02 85 ac 09 50 95 39 b1 02 85 ad 09 51 95 0b b1 02 85 ae 09 52 95 01
          b1 02 85 af 09 53 95 02 b1 02 85 b0 09 54 95 3f b1 02 c0
          """))
  }

  @Test("the Switch Pro Controller has the published report descriptor, byte for byte")
  func pro() throws {
    #expect(
      try descriptor("switch-pro.json").bytes
        == bytes(
          """
          05 01 15 00 09 04 a1 01 85 30 05 01 05 09 19 01 29 0a 15 00 25 01 75 01 95 0a 55 00 65 00 81 02
          05 09 19 0b 29 0e 15 00 25 01 75 01 95 04 81 02 75 01 95 02 81 03 0b 01 00 01 00 a1 00 0b 30 00
          01 00 0b 31 00 01 00 0b 32 00 01 00 0b 35 00 01 00 15 00 27 ff ff 00 00 75 10 95 04 81 02 c0 0b
          39 00 01 00 15 00 25 07 35 00 46 3b 01 65 14 75 04 95 01 81 02 05 09 19 0f 29 12 15 00 25 01 75
          01 95 04 81 02 75 08 95 34 81 03 06 00 ff 85 21 09 01 75 08 95 3f 81 03 85 81 09 02 75 08 95 3f
          81 03 85 01 09 03 75 08 95 3f 91 83 85 10 09 04 75 08 95 3f 91 83 85 80 09 05 75 08 95 3f 91 83
          85 82 09 06 75 08 95 3f 91 83 c0
          """))
  }

  @Test("percentages of the Switch Pro Controller's sticks are of the calibrated range")
  func calibrated() throws {
    let pro = try Library.device("switch-pro.json").interfaces[0]
    for name in ["leftX", "leftY", "rightX", "rightY"] {
      let alias = try #require(pro.controls[name])
      let control = try #require(pro.descriptor.controls(named: alias).first)
      let values = [0, 50, 100].map {
        HIDScript.Value.percent($0).logical(for: control, in: pro.descriptor)
      }
      #expect(values == [512, 2048, 3584], "\(name)")
    }
  }

  @Test("Sony's controllers and the Switch Pro Controller name buttons by the same places")
  func places() throws {
    for name in [
      "dualsense.json", "dualsense-bluetooth.json", "dualshock4.json", "switch-pro.json",
    ] {
      let interface = try Library.device(name).interfaces[0]
      for place in ["south", "east", "west", "north", "leftX", "leftY", "rightX", "rightY"] {
        let alias = try #require(interface.controls[place], "\(name): \(place)")
        #expect(!interface.descriptor.controls(named: alias).isEmpty, "\(name): \(place)")
      }
    }
    // South is the button cross on the DualSense, and B on the Switch Pro.
    let sense = try Library.device("dualsense-bluetooth.json").interfaces[0]
    #expect(sense.controls["south"] == sense.controls["cross"])
    let pro = try Library.device("switch-pro.json").interfaces[0]
    #expect(pro.controls["south"] == pro.controls["b"])
  }
}
