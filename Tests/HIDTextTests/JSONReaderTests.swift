// SPDX-License-Identifier: Apache-2.0

import HIDText
import TestSupport
import Testing

@Suite("JSONReader")
struct JSONReaderTests {
  private func read(_ text: String) throws -> JSONNode {
    var reader = JSONReader(Array(text.utf8), file: "a.json")
    return try reader.only()
  }

  @Test("every node has the line and column of its start, counted in scalars")
  func places() throws {
    let node = try read("{ \"é\": 1, // naïve\n\t\"b\": [true,\n null] }")
    #expect(node.location == HIDTextLocation(line: 1, column: 1))
    #expect(node["é"] == JSONNode(.integer(1), at: HIDTextLocation(line: 1, column: 8)))
    #expect(
      node["b"]
        == JSONNode(
          .array([
            JSONNode(.bool(true), at: HIDTextLocation(line: 2, column: 8)),
            JSONNode(.null, at: HIDTextLocation(line: 3, column: 2)),
          ]), at: HIDTextLocation(line: 2, column: 7)))
  }

  @Test("the keys of an object keep their order")
  func order() throws {
    guard case .object(let members) = try read(#"{"b": 1, "a": 2, "c": 3}"#).value else {
      Issue.record("not an object")
      return
    }
    #expect(members.map(\.key) == ["b", "a", "c"])
    #expect(members.map(\.location.column) == [2, 10, 18])
  }

  @Test("comments between values and trailing commas are allowed")
  func leniency() throws {
    let node = try read(
      """
      # a shell-like comment
      { /* one
           two */ "a": [1, 2,], // trailing
      } # end
      """)
    #expect(node["a"]?.found == "an array")
  }

  @Test(
    "decimal and hexadecimal integers of 64 bits and fractions are read",
    arguments: [
      ("0", JSONNode.Value.integer(0)), ("-12", .integer(-12)), ("0x05", .integer(5)),
      ("0XfF", .integer(255)), ("-0x80", .integer(-128)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("0.5", .number(0.5)), ("-1.5e3", .number(-1500)), ("1E-2", .number(0.01)),
    ])
  func numbers(_ text: String, _ value: JSONNode.Value) throws {
    #expect(try read(text).value == value)
  }

  @Test("escapes in strings are read, also surrogate pairs")
  func escapes() throws {
    let node = try read(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀""#)
    #expect(node.value == .string("\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1F600}\u{E9}\u{1F600}"))
  }

  @Test("several root values in sequence are read, with or without space between them")
  func sequence() throws {
    var reader = JSONReader(Array("{\"a\":1}{}\n[] 7".utf8), file: "s")
    #expect(try reader.next()?["a"]?.value == .integer(1))
    #expect(try reader.next()?.value == .object([]))
    #expect(try reader.next()?.value == .array([]))
    #expect(try reader.next()?.value == .integer(7))
    #expect(try reader.next() == nil)
  }

  @Test(
    "an error has its line and column, the text found and the text expected",
    arguments: [
      ("", "1:1: expected an object, found the end of the file"),
      ("{", "1:2: expected \"}\" for the \"{\" of line 1, column 1, found the end of the file"),
      ("{\"a\": [1, 2", "1:12: expected \"]\" for the \"[\" of line 1, column 7, found the end"),
      ("{\"a\": 1\n \"b\": 2}", "2:2: expected \",\" or \"}\", found \"\"\""),
      ("{\"a\" 1}", "1:6: expected \":\" after the key, found \"1\""),
      ("{a: 1}", "1:2: expected a key in double quotes or \"}\", found \"a\""),
      ("{,}", "1:2: expected a key in double quotes or \"}\", found \",\""),
      ("{\"a\": 1, \"a\": 2}", "1:10: the key \"a\" appears twice, first in line 1"),
      ("{\"a\": usb}", "1:7: expected a value for \"a\", found the word \"usb\""),
      ("{\"a\": 'usb'}", "1:7: expected a value for \"a\", found \"'\""),
      ("{\"a\": }", "1:7: expected a value for \"a\", found \"}\""),
      ("[1,,2]", "1:4: expected a value or \"]\", found \",\""),
      ("{} {}", "1:4: expected the end of the file after the value, found \"{\""),
      ("\"abc", "1:1: expected the closing double quote of the string, found the end of the"),
      ("\"ab\nc\"", "1:1: the string has no closing double quote in its line"),
      ("\"a\tb\"", "1:3: the string contains a control character, the byte 0x09"),
      ("\"a\\x\"", "1:3: expected an escape, found \"\\\" and \"x\""),
      ("\"\\ud83d\"", "1:2: the escape is half of a surrogate pair"),
      ("\"\\ude00\"", "1:2: the escape is half of a surrogate pair"),
      ("\"\\u12g4\"", "1:2: expected four hexadecimal digits after \\u, found \"g\""),
      ("010", "1:1: \"010\" is not a number; a decimal number does not begin with 0"),
      ("1.", "1:1: \"1.\" is not a number"), ("-", "1:1: \"-\" is not a number"),
      ("0x", "1:1: \"0x\" is not a number"), ("12ab", "1:1: \"12ab\" is not a number"),
      ("9223372036854775808", "1:1: the number \"9223372036854775808\" does not fit in 64 bits"),
      ("1e999", "1:1: the number \"1e999\" is out of range"),
      ("/* a", "1:1: expected the end of the comment, */, found the end of the file"),
      ("\u{1B}[2J", "1:1: expected a value, found the byte 0x1b"),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect {
      try read(text)
    } throws: {
      let problem = ($0 as? JSONError)?.problem.description ?? ""
      return problem.hasPrefix("a.json:" + expected)
    }
  }

  @Test(
    "bytes that are not UTF-8 are an error at their place, in strings and in comments",
    arguments: [
      [0x22, 0x61, 0xFF, 0x22], [0x22, 0x61, 0xC3], [0x22, 0x61, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0x61, 0xC0, 0x80, 0x22], [0x22, 0x61, 0xF4, 0x90, 0x80, 0x80, 0x22],
      [0x23, 0x61, 0x80], [0x22, 0x61, 0xE0, 0x80, 0x80, 0x22],
    ] as [[UInt8]])
  func invalidUTF8(_ bytes: [UInt8]) {
    var reader = JSONReader(bytes, file: "a.json")
    #expect {
      try reader.only()
    } throws: {
      let problem = ($0 as? JSONError)?.problem
      return problem?.location == HIDTextLocation(line: 1, column: 3)
        && problem?.message.hasSuffix("is not UTF-8") == true
    }
  }

  @Test("a text that ends inside a value is an error that is marked as truncated")
  func truncation() {
    for text in [
      "{", "{\"a\"", "{\"a\":", "[1", "[1,", "\"ab", "\"\\", "\"\\u1", "/*", "\"\\ud83d",
      "\"\\ud83d\\", "\"\\ud83d\\u", "\"\\ud83d\\ude0",
    ] {
      #expect(throws: JSONError.self, "\(text)") { try read(text) }
      #expect { try read(text) } throws: { ($0 as? JSONError)?.isTruncated == true }
    }
    for text in ["{]", "\"\\ud83d\"", "\"\\ud83dx", "\"\\ud83d\\n"] {
      #expect { try read(text) } throws: { ($0 as? JSONError)?.isTruncated == false }
    }
  }

  @Test("128 levels of brackets are read, and the 129th is an error at its bracket")
  func depth() throws {
    let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    _ = try read(deepest)
    #expect { try read("[" + deepest + "]") } throws: {
      ($0 as? JSONError)?.problem.description
        == "a.json:1:129: brackets are nested more than 128 deep"
    }
    #expect(throws: JSONError.self) { try read(String(repeating: "{\"a\":", count: 100_000)) }
  }

  @Test("a text over 16 MiB is refused, unless the caller sets another limit")
  func size() throws {
    let bytes = [UInt8](repeating: 0x20, count: (16 << 20) + 1)
    var reader = JSONReader(bytes, file: "big")
    #expect(throws: JSONError.self) { try reader.next() }
    var other = JSONReader(bytes, file: "big", maximumByteCount: bytes.count)
    let node = try other.next()
    #expect(node == nil)
  }

  @Test("random changes of a valid text never cause a trap, and reading always ends")
  func mutations() {
    let good = Array(
      #"{"a": [1, 0x2f, -3.5e2, "é\u00e9\ud83d\ude00"], /* c */ "b": {"c": null,}, } // end"#.utf8)
    for seed in 0..<6000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var reader = JSONReader(mutated(good, using: &random), file: "m")
      var values = 0
      while let node = try? reader.next() {
        _ = node.found
        values += 1
      }
      #expect(values <= good.count * 2, "seed \(seed)")
    }
  }
}

@Suite("JSONLine")
struct JSONLineTests {
  @Test("an object is one line, with keys in the order of adding and bytes as lower-case hex")
  func line() {
    var line = JSONLine()
    line.add("event", "output")
    line.add("time", 1_250_000)
    line.add("report", nil)
    line.add("bytes", .bytes([0x02, 0xFF] as [UInt8]))
    line.add("changes", .object { $0.add("led.capsLock", true) })
    line.add("list", .array([1, "a", .number(0.5), .number(.infinity)]))
    line.add("maybe", .optional(nil as Int?) { .integer($0) })
    #expect(
      line.text == #"{"event":"output","time":1250000,"report":null,"bytes":"02 ff","#
        + #""changes":{"led.capsLock":true},"list":[1,"a",0.5,null],"maybe":null}"#)
  }

  @Test("control characters, line ends and direction overrides are escaped; other text is not")
  func escaping() throws {
    let text = "a\"b\\c\nd\u{1B}e\u{7F}f\u{2028}g\u{202E}hé😀"
    var line = JSONLine()
    line.add("k\n", .string(text))
    #expect(
      line.text
        == #"{"k\n":"a\"b\\c\nd\u001be\u007ff\u2028g\u202ehé😀"}"#)
    var reader = JSONReader(line.utf8, file: "back")
    #expect(try reader.only()["k\n"]?.value == .string(text))
  }
}
