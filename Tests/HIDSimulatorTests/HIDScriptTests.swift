// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
@testable import HIDSessions
@testable import HIDSimulator
import HIDText
import KeyboardLayouts
import TestSupport
import Testing

@Suite("HIDScript")
struct HIDScriptTests {
  private func parse(_ text: String) throws -> HIDScript {
    try HIDScript.parse(Array(text.utf8), name: "a.hidscript")
  }

  private func commands(_ text: String) throws -> [HIDScript.Command] {
    try parse(text).statements.map(\.command)
  }

  private func control(_ text: String, _ line: Int, _ column: Int) -> HIDScript.Control {
    HIDScript.Control(
      name: HIDScript.Name(
        text: text, location: HIDTextLocation(line: line, column: column)), element: nil)
  }

  @Test("keys joined by + are read with their places, and release alone means all keys")
  func keys() throws {
    #expect(
      try commands("tap leftCtrl+c\npress \"button 1\"\nrelease\nrelease a") == [
        .tap([control("leftCtrl", 1, 5), control("c", 1, 14)]),
        .press([control("button 1", 2, 7)]),
        .release([]),
        .release([control("a", 4, 9)]),
      ])
  }

  @Test("a ; separates commands, a # begins a comment, and blank lines are ignored")
  func layout() throws {
    let script = try parse("  # a comment\n\nmove 10 -5 ; click left;; scroll -3 # and\r\nhold\n")
    #expect(
      script.statements.map(\.command) == [
        .move(x: 10, y: -5), .click(control("left", 3, 20)), .scroll(-3, isHorizontal: false),
      ])
    #expect(script.statements.map(\.location.column) == [1, 14, 27])
    #expect(script.statements.map(\.text) == ["move 10 -5", "click left", "scroll -3"])
    #expect(script.holdsAtEnd)
    #expect(try !parse("tap a").holdsAtEnd)
  }

  @Test("type has the strokes of en-US, with Shift where a character needs it")
  func typing() throws {
    guard case .type(_, let strokes) = try commands(#"type "aZ1! \n\t~?""#).first else {
      Issue.record("not a type command")
      return
    }
    #expect(
      strokes.map(\.usageID) == [0x04, 0x1D, 0x1E, 0x1E, 0x2C, 0x28, 0x2B, 0x35, 0x38])
    #expect(
      strokes.map { $0.modifiers == .leftShift }
        == [false, true, false, true, false, false, false, true, true])
    guard case .type(let text, let typed) = try commands(#"type "a\"; #\n" layout en-US"#).first
    else {
      Issue.record("not a type command")
      return
    }
    #expect(text == "a\"; #\n")
    #expect(typed.count == 6)
  }

  @Test("type takes a named layout, and refuses a character that it lacks with its position")
  func layouts() throws {
    guard case .type(_, let strokes) = try commands(#"type "@é" layout de-DE"#).first else {
      Issue.record("not a type command")
      return
    }
    #expect(
      strokes == [KeyStroke(.rightAlt, 0x14), KeyStroke([], 0x2E), KeyStroke([], 0x08)])
    guard case .type(_, let rest) = try commands(#"type "aña" layout de-DE skip-missing"#).first
    else {
      Issue.record("not a type command")
      return
    }
    #expect(rest.map(\.usageID) == [0x04, 0x04])
    for (text, message) in [
      (
        #"type "aña" layout de-DE"#,
        "1:6: the layout de-DE cannot type \"ñ\" (character 2); name another layout, leave the "
          + "characters out, or add skip-missing"
      ),
      (#"type "a" layout de-DD"#, "1:17: there is no layout \"de-DD\"; did you mean \"de-DE\"?"),
      (
        #"type "a" layout zz"#,
        "1:17: there is no layout \"zz\"; hidsim layouts lists the layouts"
      ),
    ] {
      #expect {
        try commands(text)
      } throws: {
        "\($0)".hasSuffix(message)
      }
    }
  }

  @Test("the bytes of a report are read in hexadecimal, in pairs or runs")
  func bytes() throws {
    #expect(
      try commands("report 00 00 04\nreport 0001ff 0x7F") == [
        .report([0, 0, 4]), .report([0, 1, 0xFF, 0x7F]),
      ])
  }

  @Test("waits are read with durations in every unit and with their bounds")
  func waits() throws {
    #expect(
      try commands(
        """
        wait 100us; wait 1.5ms; wait 2s; wait 1m
        wait reader within 1s; wait reader hidraw within 2s; wait reader evdev within 2s
        wait open within 500ms
        """) == [
          .wait(.microseconds(100)), .wait(.microseconds(1500)), .wait(.seconds(2)),
          .wait(.seconds(60)),
          .waitForReader(.any, within: .seconds(1)), .waitForReader(.hidraw, within: .seconds(2)),
          .waitForReader(.evdev, within: .seconds(2)), .waitForOpen(within: .milliseconds(500)),
        ])
  }

  @Test("an expected control is read with or without a bound, and an expected event with one")
  func expectations() throws {
    let three = HIDReportID(rawValue: 3)
    #expect(
      try commands(
        """
        expect led.capsLock on
        expect led.capsLock off within 500ms
        expect leftX -5 within 1s
        expect event output within 1s
        expect event output 3 within 1s
        expect event output bytes 02 within 1s
        expect event get feature 3 within 1s
        expect event set 0x03 bytes 01 02 within 1s
        """) == [
          .expect(control("led.capsLock", 1, 8), .on, within: nil),
          .expect(control("led.capsLock", 2, 8), .off, within: .milliseconds(500)),
          .expect(control("leftX", 3, 8), .logical(-5), within: .seconds(1)),
          .expectEvent(
            .init(name: .output, type: .output, id: nil, bytes: nil), within: .seconds(1)),
          .expectEvent(
            .init(name: .output, type: .output, id: three, bytes: nil), within: .seconds(1)),
          .expectEvent(
            .init(name: .output, type: .output, id: nil, bytes: HIDBytePattern([2])),
            within: .seconds(1)),
          .expectEvent(
            .init(name: .get, type: .feature, id: three, bytes: nil), within: .seconds(1)),
          .expectEvent(
            .init(name: .set, type: nil, id: three, bytes: HIDBytePattern([3, 1, 2])),
            within: .seconds(1)),
        ])
  }

  @Test("the value of an axis is read as a number, a percentage, normalised or hexadecimal")
  func values() throws {
    #expect(
      try commands("axis x 50%; axis x -0.5n; axis x 0x7f; axis x -1; axis x off") == [
        .axis(control("x", 1, 6), .percent(50)),
        .axis(control("x", 1, 18), .normalised(-0.5)),
        .axis(control("x", 1, 32), .logical(127)),
        .axis(control("x", 1, 45), .logical(-1)),
        .axis(control("x", 1, 56), .off),
      ])
  }

  @Test("a line that types CR LF types Enter once")
  func typedLineEnds() throws {
    let line = HIDScript.typing("a\r\nb\n", layout: "en-US", skippingMissing: false)
    #expect(line == #"type "a\nb\n" layout "en-US""#)
    #expect(try commands(line) == commands(#"type "a\nb\n" layout en-US"#))
  }

  @Test("a line that leaves out missing characters leaves out control characters with them")
  func typedControlCharacters() throws {
    let line = HIDScript.typing("a\u{1}\rb\r\n\t", layout: "en-US", skippingMissing: true)
    #expect(line == #"type "ab\n\t" layout "en-US" skip-missing"#)
    #expect(try commands(line) == commands(#"type "ab\n\t" layout en-US"#))
  }

  @Test("host commands and answers are read, and an ID beside the bytes is put in front of them")
  func host() throws {
    let three = HIDReportID(rawValue: 3)
    let feature = HIDScript.Report(type: .feature, id: three)
    #expect(
      try commands(
        """
        host set led.capsLock on
        host get feature 3
        host get feature 3 bytes 01 02
        host get input error
        host expect a on within 1s
        answer once get feature 3 with error
        answer once get feature 3 with 00 00
        answer once set output with success after 5ms
        answer always get feature 3 with nothing
        answer always set feature 3 with error after 1s
        answer usually get feature 3
        unplug; plug; sync
        """) == [
          .hostSet(control("led.capsLock", 1, 10), .on),
          .hostGet(feature, expecting: nil),
          .hostGet(feature, expecting: .bytes(HIDBytePattern([3, 1, 2]))),
          .hostGet(HIDScript.Report(type: .input, id: nil), expecting: .error),
          .hostExpect(control("a", 5, 13), .on, within: .seconds(1)),
          .answerOnce(
            .init(.get, .feature, three), with: .error, after: .zero),
          .answerOnce(
            .init(.get, .feature, three), with: .report([3, 0, 0]),
            after: .zero),
          .answerOnce(
            .init(.set, .output, nil), with: .acknowledged,
            after: .milliseconds(5)),
          .answerAlways(
            .init(.get, .feature, three), with: .none,
            after: .zero),
          .answerAlways(
            .init(.set, .feature, three), with: .error,
            after: .seconds(1)),
          .answerUsually(.init(.get, .feature, three)),
          .unplug, .plug, .sync,
        ])
  }

  @Test("device NAME selects a device for the commands that follow, and @NAME for one command")
  func targets() throws {
    let script = try parse(
      "tap a\ndevice \"hidsim mouse\"\nclick left\n@keyboard tap b\nclick left")
    #expect(
      script.statements.map(\.target?.text) == [nil, "hidsim mouse", "keyboard", "hidsim mouse"])
    #expect(script.statements[2].text == "@keyboard tap b")
  }

  @Test(
    "a mistake in a script is an error with its line, its column and its message",
    arguments: [
      ("tpa a", "1:1: expected a command, found \"tpa\"; did you mean \"tap\"?"),
      ("sleep 1s", "1:1: expected a command, found \"sleep\"; did you mean \"wait\"?"),
      ("xyzzy", "1:1: expected a command, found \"xyzzy\"; the commands are tap, press, release,"),
      ("\"tap\" a", "1:1: expected a command, found the string \"tap\"; write commands"),
      ("tap", "1:4: expected a key or button, found the end of the command; such as a, leftCtrl+c"),
      ("tap a b", "1:7: expected the end of the command, found \"b\"; a \";\" separates commands"),
      (
        "press button 3",
        "1:14: expected the end of the command, found \"3\"; write \"button 3\" in quotes, or button.3"
      ),
      (
        "expect button 3#2 on",
        "1:15: expected a value, found \"3#2\"; write \"button 3#2\" in quotes, or button.3#2"
      ),
      (
        "expect button 3 on",
        "1:17: expected \"within\" and a duration, found \"on\"; write \"button 3\" in quotes"
      ),
      ("tap leftCtrl + c", "1:14: expected the end of the command, found \"+\"; write leftCtrl+c"),
      ("tap a++b", "1:7: expected a key or button beside \"+\", found nothing"),
      ("type Hello", "1:6: expected the text in double quotes, found \"Hello\""),
      ("type \"Hello", "1:6: expected the closing double quote, found the end of the line"),
      ("type \"a\\q\"", "1:8: expected an escape, found \"\\\\q\"; the escapes are"),
      ("type \"\u{1B}\"", "1:7: a control character, U+1B, is not allowed here"),
      (
        "type \"café\"",
        "1:6: the layout en-US cannot type \"é\" (character 4); name another layout"
      ),
      ("wait 1441m", "1:6: \"1441m\" is too long: the limit is 86400s"),
      ("type \"a\" layout de-XX", "1:17: there is no layout \"de-XX\"; hidsim layouts lists"),
      ("report", "1:7: expected bytes in hexadecimal, found the end of the command"),
      ("report 0 4", "1:8: expected bytes in hexadecimal, found \"0\"; two digits a byte"),
      ("wait", "1:5: expected a duration, \"reader\" or \"open\", found the end of the command"),
      ("wait 5", "1:6: expected a duration, found \"5\"; such as 500ms, 2s, 100us or 1m"),
      ("wait 5d", "1:6: expected a duration, found \"5d\""),
      ("wait 1e3s", "1:6: expected a duration, found \"1e3s\""),
      ("wait 99999999999999999999s", "1:6: expected a duration, found"),
      ("wait reader", "1:12: expected \"within\" and a duration, found the end of the command"),
      (
        "wait reader hidrw within 1s", "1:13: expected hidraw, evdev or \"within\", found \"hidrw\""
      ),
      ("wait open for 2s", "1:11: expected \"within\" and a duration, found \"for\""),
      ("expect led.capsLock", "1:20: expected a value, found the end of the command"),
      ("expect led.capsLock yes", "1:21: expected a value, found \"yes\"; such as on, off, 12"),
      (
        "expect led.capsLock on witin 5ms",
        "1:24: expected \"within\" and a duration, found \"witin\""
      ),
      ("expect event output", "1:20: expected \"within\" and a duration, found the end of the"),
      ("expect event outptu within 1s", "1:14: expected an event, found \"outptu\"; did you mean"),
      (
        "expect event output 300 within 1s",
        "1:21: expected a report ID from 1 to 255, found \"300\""
      ),
      (
        "expect event output 0 within 1s",
        "1:21: expected a report ID from 1 to 255, found \"0\"; an"
      ),
      ("move 10", "1:8: expected the distance down, found the end of the command"),
      ("move ten 5", "1:6: expected the distance to the right, found \"ten\""),
      (
        "move 99999999999 5",
        "1:6: \"99999999999\" is out of range; expected -2147483648 to 4294967295"
      ),
      ("axis x 150%", "1:8: \"150%\" is out of range; percentages go from 0% to 100%"),
      ("axis x 2n", "1:8: \"2n\" is out of range"),
      ("scroll 3 sideways", "1:10: expected \"horizontal\" or the end of the command, found"),
      ("host", "1:5: expected \"set\", \"get\", \"send\" or \"expect\", found the end of the"),
      ("host send feature 3 bytes 00", "1:11: expected \"output\", found \"feature\""),
      (
        "host send output 2 00",
        "1:20: expected \"bytes\", found \"00\"; such as host send output 2"
      ),
      ("host send output 2 bytes", "1:25: expected bytes in hexadecimal, found the end of the"),
      ("host set feature 3 bytes 00 eror", "1:29: expected bytes in hexadecimal, found \"eror\""),
      (
        "host set output bytes 02 error",
        "1:26: expected the end of the command, found \"error\"; output reports have no answer"
      ),
      ("host get featur 3", "1:10: expected the type of a report, found \"featur\"; did you mean"),
      (
        "answer get feature 3",
        "1:8: expected \"once\", \"always\" or \"usually\", found \"get\"; such as answer once get"
      ),
      (
        "answer usually get feature 3 with error",
        "1:30: expected the end of the command, found \"with"
      ),
      ("answer once get feature 3 with nothing after 1s", "1:40: expected the end of the command"),
      (
        "answer once get feature 3 with 00 after", "1:40: expected a duration, found the end of the"
      ),
      (
        "answer once get feature 3 with 00 after 61s", "1:41: \"61s\" is too long: the limit is 60s"
      ),
      ("answer once get feature 3", "1:26: expected \"with\" and the answer, found the end of the"),
      (
        "answer once set feature 3 with 00",
        "1:32: expected \"error\", \"success\" or \"none\", found \"00\""
      ),
      ("hold\ntap a", "2:1: a command follows the \"hold\" in line 1; write \"hold\""),
      ("@ tap a", "1:1: expected a name after \"@\", found nothing"),
      ("device", "1:7: expected the name of a device or interface, found the end of the command"),
      (
        "tap a; wait",
        "1:12: expected a duration, \"reader\" or \"open\", found the end of the comma"
      ),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect {
      try parse(text)
    } throws: {
      "\($0)".hasPrefix("a.hidscript:" + expected)
    }
  }

  @Test("the reference has every command, and its examples are read")
  func reference() throws {
    let text = try Article.text("../Documentation/hidsim.docc/Scripts.md")
    var words: Set<String> = []
    for row in text.split(separator: "\n") where row.hasPrefix("| `") {
      guard let example = row.firstMatch(of: /^\| `[^`]+` \| `([^`]+)` \|/)?.1 else { continue }
      _ = try HIDScript.parse(Array(example.utf8), name: "example") { _ in [] }
      for command in example.split(separator: ";") {
        words.formUnion(command.split(separator: " ").prefix(2).map(String.init))
      }
      if example.hasPrefix("@") { words.insert("@") }
    }
    let error = #expect(throws: HIDScriptError.self) { try parse("xyzzy") }
    let help = try #require(error?.problems.first?.help)
    let commands = help.replacing("the commands are ", with: "").split(separator: ", ")
    #expect(commands.count > 15)
    for command in commands { #expect(words.contains(String(command)), "\(command)") }
    #expect(words.isSuperset(of: ["open", "reader", "event", "once", "set", "get", "expect", "@"]))
  }

  @Test("bytes that are not UTF-8 are an error at their place")
  func invalidUTF8() {
    #expect {
      try HIDScript.parse([0x23, 0x0A, 0x74, 0xFF, 0x70], name: "a")
    } throws: {
      "\($0)" == "a:2:2: the text is not UTF-8; save the file as UTF-8"
    }
  }

  @Test("every mistake of a script is reported, also several on one line")
  func severalErrors() {
    #expect {
      try parse("tap\nwait 1s; mve 1 2; wait x\n")
    } throws: {
      ($0 as? HIDScriptError)?.problems.map(\.location) == [
        HIDTextLocation(line: 1, column: 4), HIDTextLocation(line: 2, column: 10),
        HIDTextLocation(line: 2, column: 24),
      ]
    }
  }

  @Test("a good script with changed bytes never traps when it is parsed or resolved")
  func mutations() throws {
    let good = Array(
      """
      wait reader hidraw within 2s; tap leftCtrl+c
      type "Hello\\n" layout en-US; report 00 00 04
      expect led.capsLock on within 500ms; expect event output bytes 02 within 1s
      device mouse ; move 10 -5; click left; axis x 50% # c
      @keyboard host set led.capsLock on; answer once get input with 00 after 5ms; unplug; plug
      test "t"; set x 5 y -1; battery 50%; touch 1 at 50% 5 2 up; expect nothing for 5ms
      expect only event output bytes 02 within 1s; expect nothing else for 1s; expect anything
      expect no event set feature 3 bytes 01 ?? ... for 1s; answer always set output with nothing
      answer usually get input; host send output bytes 02; host set feature 3 bytes 00 error; hold
      """.utf8)
    let devices = [try Library.device("inputstick.json"), try Library.device("gamepad.json")]
    for seed in 0..<4000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      do throws(HIDScriptError) {
        let script = try HIDScript.parse(mutated(good, using: &random), name: "m")
        _ = try script.resolved(for: devices)
      } catch {
        #expect(!error.problems.isEmpty)
      }
    }
  }
}
