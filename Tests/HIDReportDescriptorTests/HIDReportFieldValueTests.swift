// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import TestSupport
import Testing

@Suite("values of fields")
struct HIDReportFieldValueTests {
  @Test("elements are read at any bit, and extended by the sign of the logical minimum")
  func read() throws {
    let fields = try layout(Example.gamepad).fields
    // Buttons 1 and 10; X = -2048 (800), Y = 1 (001), hat = 5.
    // Bits 0…9: 10 0000 0001, bits 10…21: 1000 0000 0000, bits 22…33: 0000 0000 0001,
    // bits 34…37: 0101.
    let payload: [UInt8] = [0x01, 0x02, 0x60, 0x00, 0x14]
    #expect(
      (0..<10).map { fields[0].value(at: $0, in: payload) } == [1, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(fields[1].value(at: 0, in: payload) == -2048)
    #expect(fields[1].value(at: 1, in: payload) == 1)
    #expect(fields[2].value(at: 0, in: payload) == 5)
    #expect(fields[1].value(at: 2, in: payload) == nil)
    #expect(fields[1].value(at: -1, in: payload) == nil)
    #expect(fields[0].value(at: 10, in: payload) == nil)
  }

  @Test("an element the report is too short for has no value, and is not written")
  func short() throws {
    let fields = try layout(Example.gamepad).fields
    var payload: [UInt8] = [0xff, 0xff, 0xff]
    #expect(fields[1].value(at: 0, in: payload) == -1)
    #expect(fields[1].value(at: 1, in: payload) == nil)
    #expect(!fields[1].setValue(0, at: 1, in: &payload))
    #expect(!fields[0].setValue(0, at: 10, in: &payload))
    #expect(payload == [0xff, 0xff, 0xff])
    #expect(fields[0].value(at: 0, in: []) == nil)
  }

  @Test("writing an element leaves all other bits alone")
  func write() throws {
    let fields = try layout(Example.gamepad).fields
    var payload = [UInt8](repeating: 0xff, count: 5)
    #expect(fields[1].setValue(0, at: 0, in: &payload))
    #expect(payload == [0xff, 0x03, 0xc0, 0xff, 0xff])
    payload = [0, 0, 0, 0, 0]
    #expect(fields[1].setValue(-1, at: 1, in: &payload))
    #expect(payload == [0x00, 0x00, 0xc0, 0xff, 0x03])
  }

  @Test("an element of 64 bits at an odd place is read and written whole")
  func wide() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x75, 0x03, 0x95, 0x01, 0x81, 0x01, 0x06, 0x00, 0xff, 0x09, 0x01, 0x15, 0xff, 0x25, 0x01,
      0x75, 0x40, 0x81, 0x02,
    ])
    let field = try #require(descriptor.reports.first?.fields.last)
    var payload = [UInt8](repeating: 0, count: 9)
    for value in [Int64.min, -1, 0, 1, .max, 0x0123_4567_89ab_cdef] {
      #expect(field.setValue(value, at: 0, in: &payload))
      #expect(field.value(at: 0, in: payload) == value)
      #expect(payload[0] & 0b111 == 0 && payload[8] & 0b1111_1000 == 0)
    }
  }

  @Test("an element over 64 bits has bytes, and no value")
  func veryWide() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x75, 0x04, 0x95, 0x01, 0x81, 0x01, 0x06, 0x00, 0xff, 0x09, 0x01, 0x75, 0x4c, 0x81, 0x02,
    ])
    let field = try #require(descriptor.reports.first?.fields.last)
    let payload: [UInt8] = [0x1f, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0x10, 0x32]
    #expect(field.value(at: 0, in: payload) == nil)
    #expect(
      field.bytes(at: 0, in: payload)
        == [0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb, 0xed, 0x0f, 0x21, 0x03])
    #expect(field.bytes(at: 0, in: Array(payload.dropLast())) == nil)
  }

  @Test("a field's range is bounded by its bits, and is all of them without a logical range")
  func ranges() throws {
    func range(_ items: [UInt8]) throws -> ClosedRange<Int64>? {
      let bytes = [0x05, 0x01, 0x09, 0x30] + items + [0x95, 0x01, 0x81, 0x02]
      return try HIDReportDescriptor(parsing: bytes).reports.first?.fields.first?.valueRange
    }
    #expect(try range([0x75, 0x08]) == 0...255)
    #expect(try range([0x75, 0x40]) == 0...Int64.max)
    #expect(try range([0x15, 0x81, 0x25, 0x7f, 0x75, 0x08]) == -127...127)
    #expect(try range([0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x04]) == 0...15)
    #expect(try range([0x15, 0x80, 0x25, 0x7f, 0x75, 0x04]) == -8...7)
    #expect(try range([0x75, 0x00]) == 0...0)
  }

  @Test("values of an array without a usage are listed, for the elements that the report has")
  func withoutUsage() throws {
    // Value 0 has no key, and values up to ff have a key; the array begins at byte 2.
    let keyboard = try layout(Example.keyboard)
    let report: [UInt8] = [0, 0, 0x04, 0x00, 0x05, 0x00, 0x06, 0x01]
    let short: [UInt8] = [0, 0, 0x04, 0x00]
    let keys = try #require(keyboard.fields.last)
    #expect(keyboard.valuesWithoutUsage(of: keys, in: report.span) == [0, 0])
    #expect(keyboard.valuesWithoutUsage(of: keys, in: short.span) == [0])
    #expect(keyboard.valuesWithoutUsage(of: keyboard.fields[0], in: report.span) == [])
    // An array of 16 bits with values from 1 to 3.
    let descriptor = try HIDReportDescriptor(parsing: Example.consumer)
    let system = try #require(descriptor.report(.input, id: HIDReportID(rawValue: 2)))
    for (bytes, values) in [
      ([2, 0, 0], [0]), ([2, 3, 0], []), ([2, 4, 0], [4]), ([2, 0xff, 0xff], [65535]),
      ([2, 1], []),
    ] as [([UInt8], [Int64])] {
      #expect(system.valuesWithoutUsage(of: system.fields[0], in: bytes.span) == values)
    }
  }

  @Test("a random value is read as it was written, and no other element changes")
  func roundTrip() throws {
    let layout = try layout(Example.gamepad)
    for seed in 0..<500 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var payload = (0..<5).map { _ in UInt8.random(in: 0...255, using: &random) }
      let field = layout.fields[Int.random(in: 0..<4, using: &random)]
      let index = Int.random(in: 0..<field.count, using: &random)
      let value = Int64.random(in: field.representableRange, using: &random)
      var expected = elements(layout, payload)
      expected[field.index][index] = value
      #expect(field.setValue(value, at: index, in: &payload))
      #expect(elements(layout, payload) == expected, "seed \(seed)")
    }
  }

  private func layout(_ bytes: [UInt8]) throws -> HIDReportLayout {
    try #require(HIDReportDescriptor(parsing: bytes).report(.input, id: nil))
  }

  private func elements(_ layout: HIDReportLayout, _ payload: [UInt8]) -> [[Int64?]] {
    layout.fields.map { field in (0..<field.count).map { field.value(at: $0, in: payload) } }
  }
}
