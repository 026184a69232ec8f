// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("HIDReportBuilder")
struct HIDReportBuilderTests {
  @Test("keys take the first free element, and those behind a released one move up")
  func keys() throws {
    var report = HIDReportBuilder(try layout(Example.keyboard))
    try report.set(.keyboardOrKeypad(.keyboardLeftShift), to: 1)
    for key in [HIDUsage.KeyboardOrKeypadUsage.keyboardA, .keyboardB, .keyboardC] {
      try report.set(.keyboardOrKeypad(key), to: 1)
    }
    #expect(report.bytes == [0x02, 0, 4, 5, 6, 0, 0, 0])
    // B is down already.
    try report.set(.keyboardOrKeypad(.keyboardB), to: 1)
    #expect(report.bytes == [0x02, 0, 4, 5, 6, 0, 0, 0])
    #expect(report.value(of: .keyboardOrKeypad(.keyboardB)) == 1)
    try report.set(.keyboardOrKeypad(.keyboardA), to: 0)
    // Z is up already.
    try report.set(.keyboardOrKeypad(.keyboardZ), to: 0)
    #expect(report.bytes == [0x02, 0, 5, 6, 0, 0, 0, 0])
    #expect(report.value(of: .keyboardOrKeypad(.keyboardA)) == 0)
  }

  @Test("a seventh key does not fit, and leaves the report as it was")
  func full() throws {
    var report = HIDReportBuilder(try layout(Example.keyboard), bytes: [0, 0, 4, 5, 6, 7, 8, 9])
    let key = HIDUsage.keyboardOrKeypad(.keyboardZ)
    #expect(throws: HIDReportValueError.arrayFull(key, count: 6)) { try report.set(key, to: 1) }
    #expect(report.bytes == [0, 0, 4, 5, 6, 7, 8, 9])
  }

  @Test("a value outside the range is refused with the range")
  func outOfRange() throws {
    var report = HIDReportBuilder(try layout(Example.mouse))
    let error = HIDReportValueError.valueOutOfRange(
      .genericDesktop(.x), value: 128, range: -127...127)
    #expect(throws: error) { try report.set(.genericDesktop(.x), to: 128) }
    #expect(error.description == "genericDesktop.x cannot be 128; expected -127 to 127")
    #expect(throws: HIDReportValueError.noSuchUsage(.genericDesktop(.z))) {
      try report.set(.genericDesktop(.z), to: 0)
    }
    #expect(throws: HIDReportValueError.self) { try report.set(.button(1), to: 2) }
    try report.set(.genericDesktop(.x), to: -127)
    try report.set(.button(8), to: 1)
    #expect(report.bytes == [0x80, 0x81, 0, 0])
    report.resetRelativeControls()
    #expect(report.bytes == [0x80, 0, 0, 0])
  }

  @Test("a neutral report has a centred hat switch, which can be set and reset")
  func neutral() throws {
    let layout = try layout(Example.gamepad)
    var report = HIDReportBuilder(layout)
    // 8 is outside 0…7, so it is a null value.
    #expect(report.bytes == [0, 0, 0, 0, 8 << 2])
    try report.set(.genericDesktop(.hatSwitch), to: 2)
    try report.set(.genericDesktop(.y), to: -2048)
    #expect(report.bytes == [0, 0, 0, 0, 0b0000_1010])
    // Every null value is allowed.
    try report.set(.genericDesktop(.hatSwitch), to: 15)
    #expect(throws: HIDReportValueError.self) {
      try report.set(.genericDesktop(.hatSwitch), to: 16)
    }
    report.reset(try #require(layout.control(.genericDesktop(.hatSwitch))))
    #expect(report.value(of: .genericDesktop(.hatSwitch)) == 8)
  }

  @Test("a numbered report begins with its ID; an array that starts at 1 counts from there")
  func numbered() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.consumer)
    var report = HIDReportBuilder(
      try #require(descriptor.report(.input, id: HIDReportID(rawValue: 2))))
    try report.set(.genericDesktop(.systemWakeUp), to: 1)
    #expect(report.bytes == [2, 3, 0])
    try report.set(.genericDesktop(.systemWakeUp), to: 0)
    #expect(report.bytes == [2, 0, 0])
  }

  @Test("a report that is too short, or a control of another report, is refused")
  func misuse() throws {
    let layout = try layout(Example.mouse)
    var bytes: [UInt8] = [0, 0]
    #expect(
      throws: HIDReportValueError.reportTooShort(.button(1), byteCount: 2, expectedByteCount: 4)
    ) { try layout.set(.button(1), to: 1, in: &bytes) }
    let other = try #require(
      try HIDReportDescriptor(parsing: Example.keyboard).controls(named: "led.capsLock").first)
    var report = HIDReportBuilder(layout)
    #expect(throws: HIDReportValueError.noSuchUsage(.led(.capsLock))) {
      try report.set(other, to: 1)
    }
    report.reset(other)
    #expect(report.bytes == [0, 0, 0, 0])
  }

  @Test("an array in which every value selects a usage always has one usage selected")
  func selector() throws {
    let layout = try layout([
      0x05, 0x09, 0x19, 0x01, 0x29, 0x05, 0x15, 0x00, 0x25, 0x04, 0x75, 0x02, 0x95, 0x01, 0x81,
      0x00,
    ])
    var report = HIDReportBuilder(layout)
    #expect(report.value(of: .button(1)) == 1)
    try report.set(.button(3), to: 1)
    #expect(report.bytes == [2])
    #expect(report.value(of: .button(1)) == 0)
    try report.set(.button(3), to: 0)
    #expect(report.bytes == [0])
    #expect(throws: HIDReportValueError.valueOutOfRange(.button(1), value: 0, range: 1...1)) {
      try report.set(.button(1), to: 0)
    }
    // Two bits cannot hold the fifth button.
    #expect(layout.control(.button(4)) != nil)
    #expect(layout.control(.button(5)) == nil)
  }

  private func layout(_ bytes: [UInt8]) throws -> HIDReportLayout {
    try #require(HIDReportDescriptor(parsing: bytes).report(.input, id: nil))
  }
}
