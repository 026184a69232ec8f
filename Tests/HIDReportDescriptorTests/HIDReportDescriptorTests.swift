// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("HIDReportDescriptor")
struct HIDReportDescriptorTests {
  @Test("a boot keyboard has input for modifiers and keys, output for LEDs, and no report IDs")
  func keyboard() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.keyboard)
    #expect(descriptor.primaryUsage == .genericDesktop(.keyboard))
    #expect(!descriptor.usesReportIDs)
    #expect(descriptor.reports.map(\.type) == [.input, .output])
    #expect(descriptor.report(.feature, id: nil) == nil)
    #expect(descriptor.report(.input, id: HIDReportID(rawValue: 1)) == nil)

    let input = try #require(descriptor.report(.input, id: nil))
    #expect(input.bitCount == 64)
    #expect(input.byteCount == 8)
    #expect(input.fields.map(\.bitOffset) == [0, 8, 16])
    #expect(input.fields.map(\.isPadding) == [false, true, false])
    #expect(input.fields.map(\.offset) == [20, 26, 62])
    let modifiers = input.fields[0]
    #expect(modifiers.isVariable && !modifiers.isConstant && !modifiers.isRelative)
    #expect(modifiers.usages.ranges.count == 1)
    #expect(modifiers.usage(at: 1) == .keyboardOrKeypad(.keyboardLeftShift))
    #expect(modifiers.usage(at: 8) == nil)
    let keys = input.fields[2]
    #expect(keys.isArray && !keys.isSigned)
    #expect((keys.logicalMinimum, keys.logicalMaximum) == (0, 255))
    #expect(keys.usages.count == 256)
    #expect(keys.usage(at: 4) == .keyboardOrKeypad(.keyboardA))

    let output = try #require(descriptor.report(.output, id: nil))
    #expect(output.byteCount == 1)
    #expect(output.fields[0].usages.map { $0 } == (1...5).map { .init(page: 8, usage: $0) })
  }

  @Test("a mouse has nested collections, and relative, signed axes")
  func mouse() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.mouse)
    #expect(descriptor.collections.map(\.kind) == [.application, .physical])
    #expect(descriptor.collections.map(\.parent) == [nil, 0])
    #expect(descriptor.collections.map(\.depth) == [0, 1])
    #expect(
      descriptor.collections.map(\.usage) == [.genericDesktop(.mouse), .genericDesktop(.pointer)])
    #expect(descriptor.children(of: 0).map(\.index) == [1])
    #expect(descriptor.children(of: nil).map(\.index) == [0])
    let axes = try #require(descriptor.report(.input, id: nil)).fields[1]
    #expect(axes.isRelative && axes.isSigned)
    #expect(axes.valueRange == -127...127)
    #expect(axes.collection == 1)
    #expect(
      axes.usages.map { $0 } == [
        .genericDesktop(.x), .genericDesktop(.y), .genericDesktop(.wheel),
      ])
  }

  @Test("a numbered report has its ID on the wire, and not in the payload")
  func numbered() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.consumer)
    #expect(descriptor.usesReportIDs)
    #expect(descriptor.numbersReports(.input))
    #expect(!descriptor.numbersReports(.output))
    #expect(
      descriptor.topLevelUsages == [.consumer(.consumerControl), .genericDesktop(.systemControl)])
    let second = try #require(descriptor.report(.input, id: HIDReportID(rawValue: 2)))
    #expect(second.bitCount == 16)
    #expect(second.byteCount == 3)
    #expect(second.fields[0].bitOffset == 0)
    #expect(second.zeroReport == [2, 0, 0])
    #expect(descriptor.report(.input, of: [2, 0x81, 0]) == second)
    #expect(descriptor.report(.input, of: [0, 1, 0]) == nil)
    #expect(descriptor.report(.input, of: []) == nil)
  }

  @Test("fields of a gamepad start at any bit, and keep unit, physical range and null state")
  func gamepad() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.gamepad)
    let input = try #require(descriptor.report(.input, id: nil))
    #expect(input.fields.map(\.bitOffset) == [0, 10, 34, 38])
    #expect(input.bitCount == 40)
    let hat = input.fields[2]
    #expect(hat.hasNullState)
    #expect((hat.physicalMinimum, hat.physicalMaximum) == (0, 315))
    #expect(hat.unit == 0x14)
    #expect(descriptor.report(.feature, id: nil)?.fields[0].bitSize == 64)
  }

  @Test("Push saves and Pop restores all globals, the report ID too")
  func pushAndPop() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01, 0x75, 0x08, 0x95, 0x01, 0x25, 0x7f,
      0xa4, 0x85, 0x02, 0x75, 0x10, 0x05, 0x09, 0x09, 0x01, 0x81, 0x02, 0xb4,
      0x09, 0x30, 0x81, 0x02, 0xc0,
    ])
    let first = try #require(descriptor.report(.input, id: HIDReportID(rawValue: 1)))
    let second = try #require(descriptor.report(.input, id: HIDReportID(rawValue: 2)))
    #expect(first.fields.map(\.bitSize) == [8])
    #expect(first.fields[0].usage(at: 0) == .genericDesktop(.x))
    #expect(second.fields.map(\.bitSize) == [16])
    #expect(second.fields[0].usage(at: 0) == .button(1))
  }

  @Test("a maximum is signed only after a negative minimum")
  func signs() throws {
    func range(_ items: [UInt8]) throws -> ClosedRange<Int64>? {
      let bytes = [0x05, 0x01, 0x09, 0x30] + items + [0x75, 0x20, 0x95, 0x01, 0x81, 0x02]
      return try HIDReportDescriptor(parsing: bytes).report(.input, id: nil)?.fields.first
        .map { $0.logicalMinimum...$0.logicalMaximum }
    }
    #expect(try range([0x15, 0x00, 0x25, 0xff]) == 0...255)
    #expect(try range([0x15, 0x81, 0x25, 0xff]) == -127...(-1))
    #expect(try range([0x15, 0x80, 0x26, 0xff, 0x7f]) == -128...32767)
    #expect(try range([0x15, 0x00, 0x27, 0xff, 0xff, 0xff, 0xff]) == 0...0xffff_ffff)
  }

  @Test(
    "a unit exponent is a nibble or a whole byte",
    arguments: [
      ([0x55, 0x0d], -3), ([0x55, 0xfd], -3), ([0x56, 0xfd, 0xff], -3), ([0x55, 0x07], 7),
      ([0x55, 0x08], -8), ([0x55, 0x10], 16), ([0x57, 0x0f, 0, 0, 0], -1), ([0x54], 0),
    ] as [([UInt8], Int)])
  func unitExponent(item: [UInt8], exponent: Int) throws {
    let bytes = item + [0x05, 0x01, 0x09, 0x30, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02]
    let descriptor = try HIDReportDescriptor(parsing: bytes)
    #expect(descriptor.reports.first?.fields.first?.unitExponent == exponent)
  }

  @Test("a usage has the page in force at the main item, unless it has 32 bits")
  func pages() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x05, 0x01, 0x09, 0x30, 0x0b, 0x02, 0x00, 0x08, 0x00, 0x05, 0x09, 0x75, 0x01, 0x95, 0x02,
      0x81, 0x02,
    ])
    let field = try #require(descriptor.reports.first?.fields.first)
    #expect(field.usages.map { $0 } == [.button(0x30), .led(.capsLock)])
  }

  @Test("ranges and single usages join in order, and the last usage is also that of the rest")
  func usages() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x05, 0x09, 0x09, 0x09, 0x19, 0x01, 0x29, 0x03, 0x09, 0x07, 0x75, 0x01, 0x95, 0x08,
      0x81, 0x02,
    ])
    let field = try #require(descriptor.reports.first?.fields.first)
    #expect(field.usages.ranges.count == 3)
    #expect(
      (0..<8).map { field.usage(at: $0)?.usage } == [9, 1, 2, 3, 7, 7, 7, 7])
    #expect(field.usages.firstIndex(of: .button(2)) == 2)
    #expect(field.usages.firstIndex(of: .button(8)) == nil)
  }

  @Test("only the first set of delimited usages counts")
  func delimiters() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x05, 0x01, 0xa9, 0x01, 0x09, 0x30, 0x09, 0x32, 0xa9, 0x00, 0xa9, 0x01, 0x09, 0x31,
      0xa9, 0x00, 0x75, 0x08, 0x95, 0x02, 0x81, 0x02,
    ])
    let field = try #require(descriptor.reports.first?.fields.first)
    #expect(field.usages.map { $0 } == [.genericDesktop(.x), .genericDesktop(.z)])
  }

  @Test("a usage range past the last ID of its page goes on at 0")
  func wrappingRange() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x06, 0x00, 0xff, 0x1b, 0xfe, 0xff, 0x00, 0x00, 0x29, 0x01, 0x75, 0x01, 0x95, 0x01,
      0x81, 0x02,
    ])
    // The minimum 0xfffe is above the maximum 1: the kernel counts from the minimum to its limit.
    let field = try #require(descriptor.reports.first?.fields.first)
    #expect(field.usages.count == 12_288)
    #expect(
      (0..<4).map { field.extendedUsage(at: $0) } == [
        0xff00_fffe, 0xff00_ffff, 0xff00_0000, 0xff00_0001,
      ])
  }

  @Test("collections can nest as deep as the descriptor is long")
  func depth() throws {
    let bytes = [UInt8](repeating: 0xa0, count: 2048) + [UInt8](repeating: 0xc0, count: 2048)
    #expect(try HIDReportDescriptor(parsing: bytes).collections.last?.depth == 2047)
  }

  @Test("a reserved local item is passed over, a reserved main item uses up the usages")
  func reserved() throws {
    let local = try HIDReportDescriptor(parsing: [
      0x05, 0x01, 0x09, 0x30, 0xb9, 0x01, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,
    ])
    #expect(local.reports.first?.fields.first?.usage(at: 0) == .genericDesktop(.x))
    let main = try HIDReportDescriptor(parsing: [
      0x05, 0x01, 0x09, 0x30, 0x00, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,
    ])
    #expect(main.reports.first?.fields.first?.isPadding == true)
  }

  @Test("report IDs run from 1 to 255")
  func reportIDs() {
    #expect(HIDReportID(rawValue: 0) == nil)
    #expect(HIDReportID.allReports.lowerBound.rawValue == 1)
    #expect(HIDReportID.allReports.upperBound.description == "255")
  }
}
