// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HIDReportDescriptor

@Suite("event codes")
struct EvdevCodeTests {
  @Test(
    "names stand for the kernel's numbers, and numbers for names",
    arguments: [
      ("KEY_ESC", EvdevEventType.key, 1), ("KEY_A", .key, 30), ("KEY_KPDOT", .key, 83),
      ("KEY_102ND", .key, 86), ("KEY_F24", .key, 194), ("KEY_MICMUTE", .key, 248),
      ("BTN_0", .key, 0x100), ("BTN_LEFT", .key, 0x110), ("BTN_TRIGGER", .key, 0x120),
      ("BTN_DEAD", .key, 0x12f), ("BTN_SOUTH", .key, 0x130), ("BTN_THUMBR", .key, 0x13e),
      ("BTN_TOOL_PEN", .key, 0x140), ("BTN_TOUCH", .key, 0x14a), ("BTN_GEAR_UP", .key, 0x151),
      ("KEY_OK", .key, 0x160), ("KEY_DEL_LINE", .key, 0x1c3), ("KEY_NUMERIC_D", .key, 0x20f),
      ("BTN_DPAD_RIGHT", .key, 0x223), ("KEY_MACRO30", .key, 0x2ad),
      ("BTN_TRIGGER_HAPPY40", .key, 0x2e7), ("REL_HWHEEL_HI_RES", .relative, 12),
      ("ABS_BRAKE", .absolute, 10), ("ABS_TOOL_WIDTH", .absolute, 0x1c),
      ("ABS_MISC", .absolute, 0x28), ("ABS_MT_TOOL_Y", .absolute, 0x3d),
      ("MSC_TIMESTAMP", .miscellaneous, 5), ("LED_CHARGING", .led, 10),
    ] as [(String, EvdevEventType, UInt16)])
  func names(name: String, type: EvdevEventType, number: UInt16) {
    #expect(EvdevCode(type, number).name == name)
    #expect(EvdevCode(named: name) == EvdevCode(type, number))
  }

  @Test("a code with several names is found by each of them, and described by its main name")
  func aliases() {
    for (alias, name) in [
      ("BTN_A", "BTN_SOUTH"), ("BTN_GAMEPAD", "BTN_SOUTH"), ("BTN_MOUSE", "BTN_LEFT"),
      ("BTN_MISC", "BTN_0"), ("BTN_X", "BTN_NORTH"), ("KEY_SCREENLOCK", "KEY_COFFEE"),
    ] {
      #expect(EvdevCode(named: alias)?.description == name)
    }
  }

  @Test("every code is found by its description, and an invalid name finds no code")
  func everyCode() {
    for type in EvdevEventType.allCases {
      for number in 0...UInt16(type.maximumNumber) {
        let code = EvdevCode(type, number)
        #expect(EvdevCode(named: code.description) == code)
      }
    }
    for name in [
      "", "KEY_", "A", "key_a", "EV_KEY", "EV_KEY 0x300", "EV_KEY 0x", "EV_KEY  0x1", "EV_KEY 1",
    ] {
      #expect(EvdevCode(named: name) == nil, "\(name)")
    }
  }

  @Test("the tables of the usage pages name keys that exist")
  func tables() {
    #expect(EvdevKeyTable.all.map(\.unknownNameCount) == [0, 0, 0, 0, 0, 0, 0])
  }
}
