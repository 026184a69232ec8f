// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import Testing

@Suite("Names in scripts")
struct HIDScriptResolveTests {
  private func resolve(_ text: String, _ files: String...) throws -> [HIDScript.Statement] {
    try HIDScript.parse(Array(text.utf8), name: "s")
      .resolved(for: try files.map { try Library.device($0) }).statements
  }

  private func elements(_ statement: HIDScript.Statement) -> [HIDReportElement?] {
    switch statement.command {
    case .tap(let controls), .press(let controls), .release(let controls): controls.map(\.element)
    case .click(let control), .axis(let control, _), .expect(let control, _, _),
      .hostSet(let control, _), .hostExpect(let control, _, _):
      [control.element]
    default: []
    }
  }

  @Test("a key is found by its short name, its usage name, or its usage with its page")
  func keys() throws {
    let statements = try resolve(
      "tap leftCtrl+c; tap keyboardA; tap keyboardOrKeypad.keyboardA; press F24", "keyboard.json")
    let usages = statements.map { elements($0).map { $0?.usage } }
    #expect(
      usages == [
        [.keyboardOrKeypad(.keyboardLeftControl), .keyboardOrKeypad(.keyboardC)],
        [.keyboardOrKeypad(.keyboardA)], [.keyboardOrKeypad(.keyboardA)],
        [.keyboardOrKeypad(.keyboardF24)],
      ])
    #expect(
      statements.allSatisfy { $0.interface == .init(device: 0, interface: 0) })
  }

  @Test("a light is found in the output report, also for a value that the host sets")
  func lights() throws {
    let statements = try resolve(
      "expect led.capsLock on within 1s; host set led.numLock 1", "keyboard.json")
    #expect(elements(statements[0])[0]?.type == .output)
    #expect(elements(statements[0])[0]?.usage == .led(.capsLock))
    #expect(elements(statements[1])[0]?.usage == .led(.numLock))
  }

  @Test("names from the device file come first")
  func aliases() throws {
    let statements = try resolve(
      "press south; axis leftX 50%; axis rightTrigger 255; expect rumbleStrong 12 within 1s; "
        + "axis dpad 15; axis hat 0",
      "gamepad.json")
    #expect(
      statements.map { elements($0)[0]?.usage } == [
        .button(1), .genericDesktop(.x), .simulationControls(.accelerator),
        .generic(0xFF00, 1), .genericDesktop(.hatSwitch), .genericDesktop(.hatSwitch),
      ])
    #expect(elements(statements[3])[0]?.reportID == HIDReportID(rawValue: 2))
  }

  @Test(
    "a command goes to the interface that can do it, for buttons to the mouse before the gamepad")
  func interfaces() throws {
    let statements = try resolve(
      """
      tap a; move 1 2; click left; tap left; tap volumeUp; press "button 9"; type "x"; axis rx 5
      @raw report 01 02; @consumer report 01 e9 00; axis genericDesktop.z -127
      """, "inputstick.json")
    #expect(
      statements.map(\.interface?.interface) == [0, 1, 1, 0, 0, 2, 0, 2, 3, 2, 2])
  }

  @Test("a device without arrow keys takes left as its mouse button")
  func mouseButtons() throws {
    let statements = try resolve("press left; scroll 1; scroll -1 horizontal", "mouse.json")
    #expect(elements(statements[0])[0]?.usage == .button(1))
  }

  @Test("a device is selected by its name, its interface name, both, or its number among equals")
  func targets() throws {
    let statements = try resolve(
      """
      device "hidsim keyboard#2"
      tap a
      device "InputStick/keyboard"; tap a
      @raw unplug
      """, "keyboard.json", "inputstick.json", "keyboard.json")
    #expect(
      statements.map(\.interface) == [
        .init(device: 2, interface: 0), .init(device: 1, interface: 0),
        .init(device: 1, interface: 3),
      ])
  }

  @Test("a device whose name ends with # and a number is selected by this name")
  func numberInName() throws {
    var devices = try [Library.device("keyboard.json"), Library.device("keyboard.json")]
    devices[1].name = "hidsim keyboard#1"
    let statements = try HIDScript.parse(
      Array("device \"hidsim keyboard#1\"; tap a; device \"hidsim keyboard\"; tap a".utf8),
      name: "s"
    ).resolved(for: devices).statements
    #expect(statements.map(\.interface?.device) == [1, 0])
  }

  @Test(
    "a name, value or report that no device has is an error with its place",
    arguments: [
      ("tap entr", "keyboard", "s:1:5: unknown key or button \"entr\"; did you mean \"enter\"?"),
      ("tap leftCtrl+nope9", "keyboard", "s:1:14: unknown key or button \"nope9\""),
      ("tap a", "mouse", "s:1:5: \"hidsim mouse\" has no key or button \"a\""),
      ("expect led.capslok on", "keyboard", "s:1:8: unknown control \"led.capslok\"; did you mean"),
      ("expect led.mute on", "keyboard", "s:1:8: \"hidsim keyboard\" has no control \"led.mute\""),
      ("axis leftx 5", "gamepad", "s:1:6: unknown axis \"leftx\"; did you mean \"leftX\"?"),
      ("axis leftX 40000", "gamepad", "s:1:6: leftX cannot be 40000; expected -32767 to 32767"),
      // The bits can hold this value, but it is outside the logical range.
      ("axis leftX -32768", "gamepad", "s:1:6: leftX cannot be -32768; expected -32767 to 32767"),
      ("axis dpad 400p", "gamepad", "s:1:6: dpad cannot be 400p; expected 0p to 315p"),
      ("axis dpad -30p", "gamepad", "s:1:6: dpad cannot be -30p; expected 0p to 315p"),
      ("host expect a 1p", "keyboard", "s:1:13: a cannot be 1p; it has no physical values: write"),
      ("host set led.capsLock 2", "keyboard", "s:1:10: led.capsLock cannot be 2; expected 0 to 1"),
      (
        "move 1 1", "keyboard",
        "s:1:1: no interface has the relative controls genericDesktop.x and genericDesktop.y; use"
      ),
      ("type \"a\"", "mouse", "s:1:1: no interface has all the keys that the text needs"),
      (
        "report 00 00 04 00 00 00 00 00 00", "keyboard",
        "s:1:1: the report is 9 bytes long, and it is declared with 8"
      ),
      (
        "report 05 00", "gamepad",
        "s:1:1: no interface declares input report 5; the input reports: 1"
      ),
      ("report 00", "inputstick", "s:1:1: more than one interface has input reports; name one"),
      (
        "host get feature 9", "inputstick",
        "s:1:1: no interface declares feature report 9; there is"
      ),
      (
        "answer once get feature 3 with 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
          + "00 00 00 00 00", "gamepad",
        "s:1:1: the answer is 25 bytes long, and the report is decl"
      ),
      ("answer once get feature 9 with error", "gamepad", "s:1:1: no interface declares feature"),
      (
        "expect event output 9 within 1s", "gamepad", "s:1:1: no interface declares output report 9"
      ),
      ("@muose click left", "inputstick", "s:1:1: no device or interface is called \"muose\"; did"),
    ])
  func errors(_ text: String, _ file: String, _ expected: String) {
    #expect {
      try resolve(text, "\(file).json")
    } throws: {
      "\($0)".hasPrefix(expected)
    }
  }

  @Test("a command or name that fits more than one device is an error")
  func ambiguity() {
    #expect { try resolve("tap a", "keyboard.json", "keyboard.json") } throws: {
      "\($0)".hasPrefix(
        "s:1:1: more than one device can do this: \"hidsim keyboard#1\" and \"hidsim keyboard#2\"")
    }
    #expect { try resolve("tap left", "keyboard.json", "inputstick.json") } throws: {
      "\($0)".hasPrefix("s:1:1: more than one device can do this: \"hidsim keyboard\" and \"Inp")
    }
    #expect {
      try resolve("device \"hidsim keyboard\"; tap a", "keyboard.json", "keyboard.json")
    } throws: {
      "\($0)".hasPrefix("s:1:8: 2 devices or interfaces are called \"hidsim keyboard\"; add #1")
    }
  }

  @Test("a host may ask a device for a report that it does not declare")
  func undeclared() throws {
    #expect(
      try resolve("host get feature 9 error", "gamepad.json")[0].interface
        == .init(device: 0, interface: 0))
  }
}
