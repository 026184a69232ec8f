// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

extension EndToEndTests {
  @Suite("decode and encode") struct CodingTests {
    @Test("decode prints the switches and keys of a report, and array elements that select nothing")
    func keyboard() async throws {
      try await Bench.run(.loopback) { bench in
        let done = try await bench.finish(
          "decode", "keyboard.json", "02", "00", "04", "00", "00", "00", "00", "00")
        #expect(done.status == 0)
        #expect(done.errors == [])
        #expect(
          done.output == [
            "input report: 02 00 04 00 00 00 00 00",
            "  keyboardOrKeypad.keyboardLeftControl off",
            "  keyboardOrKeypad.keyboardLeftShift on",
            "  keyboardOrKeypad.keyboardLeftAlt off",
            "  keyboardOrKeypad.keyboardLeftGUI off",
            "  keyboardOrKeypad.keyboardRightControl off",
            "  keyboardOrKeypad.keyboardRightShift off",
            "  keyboardOrKeypad.keyboardRightAlt off",
            "  keyboardOrKeypad.keyboardRightGUI off",
            "  keyboardOrKeypad.keyboardA on",
            "  array at bit 16: 5 of 6 elements select nothing: 0 0 0 0 0",
          ])
        let output = try await bench.finish("decode", "keyboard.json", "--type", "output", "02")
        #expect(output.output[2] == "  led.capsLock on")
      }
    }

    @Test(
      "decode prints the elements missing from a short report, and the extra bytes of a long one")
    func lengths() async throws {
      try await Bench.run(.loopback) { bench in
        let mouse = try bench.file("mouse.hex", DescribeTests.hex)
        let short = try await bench.finish("decode", mouse, "fb")
        #expect(short.status == 0)
        #expect(
          short.output == [
            "input report: fb", "  genericDesktop.x -5", "  genericDesktop.y is not in the report",
            "  too short: 1 of 2 bytes",
          ])
        let long = try await bench.finish("decode", mouse, "fb000a0b")
        #expect(
          long.output == [
            "input report: fb 00 0a 0b", "  genericDesktop.x -5", "  genericDesktop.y 0",
            "  too long by 2 bytes: 0a 0b",
          ])
        let head = #"{"event":"decode","type":"input","report":null,"bytes":"#
        #expect(
          try await bench.finish("decode", mouse, "--json", "fb").output == [
            head + #""fb","values":{"genericDesktop.x":-5},"missing":1,"extra":""}"#
          ])
        #expect(
          try await bench.finish("decode", mouse, "--json", "fb000a").output == [
            head
              + #""fb 00 0a","values":{"genericDesktop.x":-5,"genericDesktop.y":0},"missing":0,"extra":"0a"}"#
          ])
      }
    }

    @Test("decode prints elements of one usage in a line, and counts the switches that are off")
    func condensed() async throws {
      try await Bench.run(.loopback) { bench in
        let vendor = try bench.file(
          "v.hex", "06 00 ff 09 01 a1 01 85 03 09 02 15 00 26 ff 00 75 08 95 3f 81 02 c0")
        let report = "03" + String(repeating: "07", count: 62) + "ff"
        let done = try await bench.finish("decode", vendor, report)
        #expect(done.output.count == 2)
        #expect(
          done.output.last
            == "  0xff00.0x0002 (63 times): " + String(repeating: "7 ", count: 62) + "255")
        // 32 keys, one bit each.
        let bits = try bench.file(
          "b.hex", "05 01 09 06 a1 01 05 07 19 04 29 23 15 00 25 01 75 01 95 20 81 02 c0")
        let range = "keyboardOrKeypad.keyboardA … keyboardOrKeypad.keyboard6AndCaret"
        #expect(
          try await bench.finish("decode", bits, "05000000").output == [
            "input report: 05 00 00 00", "  keyboardOrKeypad.keyboardA on",
            "  keyboardOrKeypad.keyboardC on", "  \(range): 30 others off",
          ])
        #expect(
          try await bench.finish("decode", bits, "0000").output == [
            "input report: 00 00", "  \(range): 16 off", "  \(range): 16 not in the report",
            "  too short: 2 of 4 bytes",
          ])
      }
    }

    @Test("decode finds a report by its ID, and refuses an unknown ID with the declared ones")
    func numbered() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", Self.numbered)
        let two = try await bench.finish("decode", file, "0105", "02ff7f")
        #expect(
          two.output == [
            "input report 1: 01 05", "  genericDesktop.x 5",
            "input report 2: 02 ff 7f", "  genericDesktop.y 32767",
          ])
        let unknown = try await bench.finish("decode", file, "0905")
        #expect(unknown.status == 65)
        #expect(unknown.errors == ["hidsim: no input report has ID 9; declared: 1, 2"])
        let feature = try await bench.finish("decode", file, "--type", "output", "0905")
        #expect(feature.status == 65)
        #expect(
          feature.errors == [
            "hidsim: the descriptor declares no output report; it has others: use --type input or --type feature"
          ])
      }
    }

    /// Input report 1 with X of 8 bits, input 2 with Y of 16, feature 3 with a slider from 0 to
    /// 100.
    private static let numbered =
      "05 01 09 04 a1 01 85 01 09 30 15 81 25 7f 75 08 95 01 81 02 85 02 09 31 16 01 80 26 ff 7f 75 10 "
      + "81 02 85 03 09 36 15 00 25 64 75 08 b1 02 c0"

    @Test("decode - reads one report per line, and names the line of an invalid one")
    func lines() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", Self.numbered)
        let done = try await bench.finish(
          "decode", file, "-", "--json", input: "01 05\r\n\n0x02 0xff 0x7f\n")
        #expect(done.status == 0, "\(done.errorText)")
        #expect(
          done.output == [
            #"{"event":"decode","type":"input","report":1,"bytes":"01 05","values":{"genericDesktop.x":5},"missing":0,"extra":""}"#,
            #"{"event":"decode","type":"input","report":2,"bytes":"02 ff 7f","values":{"genericDesktop.y":32767},"missing":0,"extra":""}"#,
          ])
        for (input, words) in [
          ("01 05\n01 0g\n", "standard input, line 2: \"0g\" is not a byte"),
          ("01 05\n\n07 05", "standard input, line 3: no input report has ID 7"),
        ] {
          let wrong = try await bench.finish("decode", file, "-", input: input)
          #expect(wrong.status == 65)
          #expect(wrong.output.first == "input report 1: 01 05")
          #expect(wrong.errorText.contains(words), "\(wrong.errorText)")
        }
      }
    }

    @Test("decode prints a value in its unit, and a value out of range as a null value")
    func units() async throws {
      try await Bench.run(.loopback) { bench in
        for (byte, text) in [("02", "2 (90 deg)"), ("0f", "15 (null value)"), ("00", "0 (0 deg)")] {
          let done = try await bench.finish(
            "decode", "gamepad.json", "010000\(byte)00000000000000000000")
          #expect(done.output.contains("  genericDesktop.hatSwitch \(text)"), "\(done.output)")
        }
      }
    }

    @Test("encode prints the reports for names and values, and refuses a value out of range")
    func encode() async throws {
      try await Bench.run(.loopback) { bench in
        let file = try bench.file("d", Self.numbered)
        for (words, output) in [
          (["keyboard.json", "leftShift", "a"], ["02 00 04 00 00 00 00 00"]),
          (["keyboard.json", "--type", "output", "led.capsLock=on"], ["02"]),
          (["keyboard.json", "a", "led.capsLock=on"], ["00 00 04 00 00 00 00 00", "02"]),
          ([file, "x=-5"], ["01 fb"]),
          ([file, "y=100%", "x=0.5n"], ["02 ff 7f", "01 40"]),
          ([file, "genericDesktop.slider=50%"], ["03 32"]),
          (["gamepad.json", "button1"], ["01 01 00 08 00 00 00 00 00 00 00 00 00 00"]),
        ] {
          let done = try await bench.finish(program: Bench.binary, ["encode"] + words)
          #expect(done.status == 0, "\(done.errorText)")
          #expect(done.output == output, "\(words)")
        }
        let wrong = try await bench.finish("encode", file, "x=128")
        #expect(wrong.status == 64)
        #expect(
          wrong.errors
            == ["hidsim: \"x=128\": genericDesktop.x cannot be 128; expected -127 to 127"])
      }
    }

    @Test("encode makes the same report again from the output of decode")
    func roundTrip() async throws {
      try await Bench.run(.loopback) { bench in
        let numbered = try bench.file("d", Self.numbered)
        for (file, type, report) in [
          ("keyboard.json", "input", "0200040500000000"), ("keyboard.json", "output", "05"),
          ("mouse.json", "input", "05fb7fff01"),
          ("gamepad.json", "input", "01ff0f03ff7f0180000034127f80"),
          (numbered, "input", "01fb"), (numbered, "feature", "0364"),
        ] {
          let decoded = try await bench.finish("decode", file, "--type", type, report)
          #expect(decoded.status == 0, "\(file): \(decoded.errorText)")
          // Each line is "name value", some with the value in a unit after it. An array field with
          // no usage is no control.
          let assignments = decoded.output.dropFirst().filter { !$0.contains(": ") }.map { line in
            let unit = line.range(of: " (")?.lowerBound ?? line.endIndex
            let words = line[..<unit].drop { $0 == " " }
            let last = words.lastIndex(of: " ") ?? words.endIndex
            return "\(words[..<last])=\(words[last...].dropFirst())"
          }
          #expect(!assignments.isEmpty)
          let encoded = try await bench.finish(
            program: Bench.binary, ["encode", file, "--type", type] + assignments)
          #expect(encoded.status == 0, "\(file): \(encoded.errorText)")
          #expect(encoded.output.map { $0.replacingOccurrences(of: " ", with: "") } == [report])
        }
      }
    }

    @Test(
      "encode accepts a plugged device, and the bytes that it prints can be sent with set",
      arguments: TestBus.available)
    func device(bus: TestBus) async throws {
      try await Bench.run(bus) { bench in
        let (run, node) = try await bench.plug("keyboard.json")
        #expect(try await bench.finish("encode", node, "a").output == ["00 00 04 00 00 00 00 00"])
        let leds = try await bench.finish("encode", node, "led.capsLock", "--json")
        #expect(
          leds.output.first?.hasPrefix(
            #"{"event":"encode","type":"output","report":null,"bytes":"02","values":{"#) == true)
        // The bytes that encode prints can be sent with set, and the device reads them.
        #expect(try await bench.finish("set", node, "output", "02").status == 0)
        let event = try await run.event("output")
        #expect(event.changes == ["led.capsLock": 1])
        try await bench.end(run)
      }
    }
  }
}
