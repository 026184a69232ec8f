// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Controls that scripts set together", .timeLimit(.minutes(1)))
struct HIDScriptSettingTests {
  /// A gamepad with a battery, by hand from HID 1.11, section 6.2.2.
  ///
  /// Input 1: X, Y (8 bits each) and Battery Strength (8 bits, 0 to 200). Input 2: 8 buttons.
  /// Feature 3: Battery Strength (8 bits, 0 to 100). Output 4: 8 LEDs.
  static let pad: [UInt8] = [
    0x05, 0x01, 0x09, 0x05, 0xa1, 0x01,  // generic desktop: gamepad
    0x85, 0x01, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02, 0x09, 0x30, 0x09, 0x31, 0x81, 0x02,
    0x05, 0x06, 0x09, 0x20, 0x15, 0x00, 0x26, 0xc8, 0x00, 0x95, 0x01, 0x81, 0x02,
    0x85, 0x02, 0x05, 0x09, 0x19, 0x01, 0x29, 0x08, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02,
    0x85, 0x03, 0x05, 0x06, 0x09, 0x20, 0x25, 0x64, 0x75, 0x08, 0x95, 0x01, 0xb1, 0x02,
    0x85, 0x04, 0x05, 0x08, 0x19, 0x01, 0x29, 0x08, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x91, 0x02,
    0xc0,
  ]

  private func command(_ text: String) throws -> HIDScript.Command {
    try HIDScript.parse(Array(text.utf8), name: "s").statements[0].command
  }

  private func resolved(_ text: String, _ descriptor: [UInt8] = pad) throws -> HIDScript {
    let device = HIDDeviceDefinition(
      name: "pad", vendorID: 1, productID: 2, interfaces: [try interface(descriptor)])
    return try HIDScript.parse(Array(text.utf8), name: "s").resolved(for: [device])
  }

  @Test("a set command of several pairs is read with the control of each pair")
  func reading() throws {
    guard case .set(let settings) = try command("set x 10 \"button 3\" on") else {
      Issue.record("no set")
      return
    }
    #expect(settings.map(\.control.name.text) == ["x", "button 3"])
  }

  @Test(
    "a mistake in set or battery is an error with its place",
    arguments: [
      ("set", "1:4: expected a control, such as x or led.capsLock, found the end of the command"),
      ("set x", "1:6: expected a value, found the end of the command"),
      ("set x 1 y", "1:10: expected a value, found the end of the command"),
      ("set x 1 nope 1", "1:9: unknown control \"nope\""),
      ("set x 200", "1:5: x cannot be 200; expected -127 to 127"),
      ("set x 1 y 128", "1:9: y cannot be 128; expected -127 to 127"),
      ("battery", "1:8: expected a value, found the end of the command"),
      ("battery 101", "1:1: battery cannot be 101; expected 0 to 100"),
      ("battery 101%", "1:9: \"101%\" is out of range"),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect { try resolved(text) } throws: { "\($0)".hasPrefix("s:" + expected) }
  }

  @Test("battery is an error on a device without a battery")
  func noBattery() {
    #expect { try resolved("battery 50%", RuntimeDescriptor.keyboard) } throws: {
      "\($0)".hasPrefix(
        "s:1:1: \"pad\" has no battery, which is a control for Battery Strength or for a state")
    }
  }

  @Test("controls of one report are sent in one report, those of another in a second; axes stay")
  func reports() async throws {
    let stage = try Stage(interface(Self.pad))
    try await stage.plugged {
      try await stage.run(
        "set x 10 y -1 button.3 on genericDeviceControls.batteryStrength 5\nset x 11")
    }
    #expect(
      stage.inputs == [[1, 10, 0xFF, 5], [2, 4], [1, 11, 0xFF, 5], [2, 0]])
  }

  @Test("an output control that a script sets becomes the device's state, and nothing is sent")
  func remembered() async throws {
    let stage = try Stage(interface(Self.pad))
    try await stage.plugged {
      try await stage.run(
        """
        set led.capsLock on
        expect led.capsLock on
        host get output 4 bytes 02
        """)
      #expect(stage.inputs == [])
    }
  }

  @Test(
    "a battery percentage scales to each range, and the level is sent as input and kept as feature")
  func battery() async throws {
    let stage = try Stage(interface(Self.pad))
    try await stage.plugged {
      try await stage.run(
        "battery 80%; host get feature 3 bytes 50; battery 7; host get feature 3 bytes 07")
    }
    #expect(stage.inputs == [[1, 0, 0, 160], [1, 0, 0, 7]])
  }

  @Test("a letter is an axis for a number and a key for on or off, and mouse buttons have names")
  func letters() throws {
    let keyboard = try Library.device("keyboard.json")
    let mouse = try Library.device("mouse.json")
    func usages(_ text: String) throws -> [HIDUsage?] {
      let script = try HIDScript.parse(Array(text.utf8), name: "s").resolved(for: [keyboard, mouse])
      guard case .set(let settings) = script.statements[0].command else { return [] }
      return settings.map { $0.control.element?.usage }
    }
    #expect(
      try usages("set x on y off") == [
        .keyboardOrKeypad(.keyboardX), .keyboardOrKeypad(.keyboardY),
      ])
    #expect(try usages("set x 5 y -5") == [.genericDesktop(.x), .genericDesktop(.y)])
    #expect(
      try usages("device \"hidsim mouse\"; set left on x 5") == [.button(1), .genericDesktop(.x)])
  }
}
