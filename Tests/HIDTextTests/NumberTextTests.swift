// SPDX-License-Identifier: Apache-2.0

import HIDText
import Testing

@Suite("Numbers and durations in text")
struct NumberTextTests {
  @Test(
    "whole numbers are decimal, or hex after 0x, with an optional minus",
    arguments: [
      ("0", 0), ("12", 12), ("-7", -7), ("0x1f", 31), ("0XfF", 255), ("-0x10", -16), ("007", 7),
      ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
    ])
  func integers(_ text: String, _ number: Int) {
    #expect(NumberText.integer(text) == number)
  }

  @Test(
    "other text is no whole number",
    arguments: [
      "", "-", "+5", "0x", "-0x", "0x+5", "0x-5", "--5", "1f", "5.0", " 5", "5 ", "1_000", "٣",
      "0b1", "9223372036854775808", "-9223372036854775809", "0x10000000000000000",
    ])
  func noIntegers(_ text: String) {
    #expect(NumberText.integer(text, as: Int.self) == nil)
  }

  @Test("a number has to fit into its type")
  func types() {
    #expect(NumberText.integer("255", as: UInt8.self) == 255)
    #expect(NumberText.integer("256", as: UInt8.self) == nil)
    #expect(NumberText.integer("-1", as: UInt8.self) == nil)
    #expect(NumberText.hexadecimal("0xffff", as: UInt16.self) == 0xFFFF)
    #expect(NumberText.hexadecimal("10", as: UInt16.self) == nil)
  }

  @Test("decimal numbers have digits, at most one dot, and at most 18 bytes")
  func decimals() {
    for (text, number) in [("1", 1.0), ("-12.5", -12.5), (".5", 0.5), ("5.", 5)] {
      #expect(NumberText.decimal(text) == number)
    }
    for text in ["", "-", ".", "1.2.3", "1e3", "inf", "nan", "0x10", "1234567890123456789", "+1"] {
      #expect(NumberText.decimal(text) == nil, "\(text)")
    }
  }

  @Test(
    "durations are a decimal number and a unit",
    arguments: [
      ("1us", Duration.microseconds(1)), ("5ms", .milliseconds(5)), ("1.5s", .milliseconds(1500)),
      ("2m", .seconds(120)), ("0.5h", .seconds(1800)), ("0s", .zero), ("0.4us", .zero),
    ])
  func durations(_ text: String, _ duration: Duration) {
    #expect(NumberText.duration(text) == duration)
  }

  @Test(
    "other text is no duration, and neither is one above the limit",
    arguments: ["", "s", "5", "-5s", "5 s", "5S", "1e3s", "5d", "999999999999999999h"])
  func noDurations(_ text: String) {
    #expect(NumberText.duration(text) == nil)
    #expect(NumberText.duration("11s", upTo: .seconds(10)) == nil)
    #expect(NumberText.duration("10s", upTo: .seconds(10)) == .seconds(10))
  }

  @Test(
    "a number has a point before its last digits, and at least one digit before the point",
    arguments: [
      (0, 3, "0.000"), (5, 3, "0.005"), (1250, 3, "1.250"), (-1250, 3, "-1.250"),
      (-5, 6, "-0.000005"), (Int64.min, 6, "-9223372036854.775808"),
    ] as [(Int64, Int, String)])
  func decimals(_ number: Int64, _ count: Int, _ text: String) {
    #expect(number.decimalText(places: count) == text)
  }

  @Test("hex digits have zeros before them up to a count")
  func digits() {
    #expect(UInt16(0xA).hexDigits() == "000a")
    #expect(UInt32(0x12345).hexDigits(4) == "12345")
    #expect(UInt8(0).hexDigits(1) == "0")
    #expect(UInt64(1).hexDigits() == "0000000000000001")
  }
}
