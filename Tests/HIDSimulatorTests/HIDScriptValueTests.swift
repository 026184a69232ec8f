// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Values as text")
struct HIDScriptValueTests {
  static let values: [(String, HIDScript.Value)] = [
    ("on", .on), ("off", .off), ("0", .logical(0)), ("12", .logical(12)), ("-5", .logical(-5)),
    ("0x0c", .logical(12)), ("-0x10", .logical(-16)), ("4294967296", .logical(4_294_967_296)),
    ("9223372036854775807", .logical(.max)), ("-9223372036854775808", .logical(.min)),
    ("50%", .percent(50)), ("12.5%", .percent(12.5)), ("0%", .percent(0)), ("100%", .percent(100)),
    ("0.5n", .normalised(0.5)), ("-1n", .normalised(-1)),
    ("12.5p", .physical(12.5)), ("-90p", .physical(-90)),
  ]

  @Test(
    "switch states, numbers, percentages, normalised and physical values are read",
    arguments: values)
  func read(text: String, value: HIDScript.Value) throws {
    #expect(try HIDScript.Value(reading: text) == value)
  }

  @Test(
    "any other text is refused as a value",
    arguments: [
      "", " ", "On", "yes", "1.5", "0x", "x", "-", "--1", "+1", "1e3", "%", "n", "a%", "0xffn%",
      "9223372036854775808", "-9223372036854775809", "0x10000000000000000", "٣", "1 ", "nan",
      "infn", "p", "ap", "infp",
    ])
  func refused(text: String) {
    #expect(throws: HIDScript.Value.Misreading.self) { try HIDScript.Value(reading: text) }
  }

  @Test("a percentage or normalised value outside its range is refused as out of range")
  func outOfRange() {
    for text in ["101%", "-1%", "1.5n", "-2n"] {
      let error = #expect(throws: HIDScript.Value.Misreading.self) {
        try HIDScript.Value(reading: text)
      }
      #expect(error?.message == "\"\(text)\" is out of range")
    }
  }
}
