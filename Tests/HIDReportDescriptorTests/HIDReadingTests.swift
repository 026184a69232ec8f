// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

/// Tests of bytes that Linux and HID 1.11 read differently.
@Suite("the readings of Linux and of HID 1.11")
struct HIDReadingTests {
  /// Returns the field of a gamepad with these items, before `input data variable absolute`.
  private func field(
    _ items: [UInt8], _ reading: HIDReading, count: UInt8 = 1
  ) throws(HIDReportDescriptorError) -> HIDReportField {
    let bytes: [UInt8] =
      [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x75, 0x08, 0x95, count] + items + [0x81, 0x02, 0xc0]
    return try HIDReportDescriptor(parsing: bytes, reading: reading).reports[0].fields[0]
  }

  @Test("an added field of 32 bits has their whole range", arguments: HIDReading.allCases)
  func addedField(reading: HIDReading) throws {
    let bytes: [UInt8] = [
      0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x75, 0x20, 0x95, 0x02, 0x81, 0x03, 0xc0,
    ]
    let added = [false, true].map { isSigned in
      HIDAddedField(
        .genericDesktop(.x), type: .input, reportID: nil, bitOffset: isSigned ? 32 : 0,
        bitSize: 32, isSigned: isSigned)
    }
    let descriptor = try HIDReportDescriptor(parsing: bytes, reading: reading).adding(added)
    let fields = descriptor.reports[0].fields
    #expect(fields.map(\.logicalMinimum) == [0, -2_147_483_648])
    #expect(fields.map(\.logicalMaximum) == [4_294_967_295, 2_147_483_647])
    #expect(fields[0].physicalRange == (0, 4_294_967_295))
    #expect(fields.map(\.resolution) == [1, 1])
    #expect(fields.map { $0.physicalValue(of: 2_000_000_000) } == [2e9, 2e9])
    #expect(fields[0].valueRange == 0...4_294_967_295)
  }

  @Test(
    "a maximum of all ones is signed by HID 1.11, and for Linux only after a negative minimum",
    arguments: [
      ([0x15, 0x00, 0x25, 0xff], 255, -1),
      ([0x15, 0x00, 0x26, 0xff, 0xff], 65_535, -1),
      ([0x15, 0x00, 0x27, 0xff, 0xff, 0xff, 0xff], 4_294_967_295, -1),
      ([0x15, 0x81, 0x25, 0x80], -128, -128),
      ([0x15, 0x81, 0x25, 0x7f], 127, 127),
      ([0x15, 0x00, 0x26, 0xff, 0x00], 255, 255),
    ] as [([UInt8], Int64, Int64)])
  func logicalMaximum(items: [UInt8], linux: Int64, specification: Int64) throws {
    if linux < 0, items[1] == 0x81 {
      // -127 to -128 is a reversed range: Linux refuses it, and the specification does not mention
      // it.
      #expect(throws: HIDReportDescriptorError.self) { try field(items, .linux) }
    } else {
      #expect(try field(items, .linux).logicalMaximum == linux)
    }
    #expect(try field(items, .specification).logicalMaximum == specification)
    let physical = items.map { $0 & 0xfc == 0x14 || $0 & 0xfc == 0x24 ? $0 + 0x20 : $0 }
    #expect(try field(physical, .linux).physicalMaximum == linux)
    #expect(try field(physical, .specification).physicalMaximum == specification)
  }

  @Test(
    "a unit exponent is a nibble by HID 1.11, and Linux takes a wider number as it is",
    arguments: [
      ([0x55, 0x0d], -3, -3), ([0x55, 0x07], 7, 7), ([0x55, 0xfd], -3, -3), ([0x55, 0x10], 16, 0),
      ([0x55, 0x80], -128, 0), ([0x56, 0xfd, 0xff], -3, -3), ([0x54], 0, 0),
    ] as [([UInt8], Int, Int)])
  func exponent(items: [UInt8], linux: Int, specification: Int) throws {
    #expect(try field(items, .linux).unitExponent == linux)
    #expect(try field(items, .specification).unitExponent == specification)
  }

  @Test(
    "each delimited set is one control by HID 1.11, and Linux takes all usages of the first set")
  func delimiters() throws {
    // The items are the delimited sets {X, Z} and {Y, Rx}, and the wheel.
    let items: [UInt8] = [
      0xa9, 0x01, 0x09, 0x30, 0x09, 0x32, 0xa9, 0x00, 0xa9, 0x01, 0x09, 0x31, 0x09, 0x33, 0xa9,
      0x00,
      0x09, 0x38,
    ]
    let linux = try field(items, .linux, count: 3)
    #expect(linux.usages.map { $0 } == [.genericDesktop(.x), .genericDesktop(.z)])
    let specified = try field(items, .specification, count: 3)
    #expect(
      specified.usages.map { $0 } == [
        .genericDesktop(.x), .genericDesktop(.y), .genericDesktop(.wheel),
      ])
    for field in [linux, specified] {
      #expect(field.alternatives.map(\.index) == [0, 1])
      #expect(
        field.alternatives.map { $0.usages.map { $0 } } == [
          [.genericDesktop(.x), .genericDesktop(.z)], [.genericDesktop(.y), .genericDesktop(.rx)],
        ])
    }
  }

  @Test("a range in a delimited set is one control by HID 1.11, whose first usage is preferred")
  func delimitedRanges() throws {
    // The items are the delimited sets {buttons 1 to 5} and {button 16, button 17}.
    let items: [UInt8] = [
      0x05, 0x09, 0xa9, 0x01, 0x19, 0x01, 0x29, 0x05, 0xa9, 0x00,
      0xa9, 0x01, 0x09, 0x10, 0x09, 0x11, 0xa9, 0x00,
    ]
    let linux = try field(items, .linux, count: 2)
    #expect(linux.usages.map { $0 } == (1...5).map { .button($0) })
    let specified = try field(items, .specification, count: 2)
    #expect(specified.usages.map { $0 } == [.button(1), .button(16)])
    for field in [linux, specified] {
      #expect(field.alternatives.map(\.index) == [0, 1])
      #expect(field.alternatives.first?.usages.map { $0 } == (1...5).map { .button($0) })
    }
  }

  @Test("a usage range in a later delimited set is an alternative, in both readings")
  func laterDelimitedRanges() throws {
    // The sets {button 1}, {buttons 2 to 4}, {button 5, buttons 6 and 7} and {button 8}.
    let items: [UInt8] = [
      0x05, 0x09, 0xa9, 0x01, 0x09, 0x01, 0xa9, 0x00,
      0xa9, 0x01, 0x19, 0x02, 0x29, 0x04, 0xa9, 0x00,
      0xa9, 0x01, 0x09, 0x05, 0x19, 0x06, 0x29, 0x07, 0xa9, 0x00,
      0xa9, 0x01, 0x09, 0x08, 0xa9, 0x00,
    ]
    #expect(try field(items, .linux, count: 4).usages.map { $0 } == [.button(1)])
    for reading in HIDReading.allCases {
      let field = try field(items, reading, count: 4)
      #expect(field.alternatives.map(\.index) == [0, 1, 2, 3])
      #expect(
        field.alternatives.map { $0.usages.map { $0 } } == [
          [.button(1)], [.button(2), .button(3), .button(4)],
          [.button(5), .button(6), .button(7)], [.button(8)],
        ])
    }
    // Linux ignores this range: it does not refuse it for its 65,536 usages.
    let long: [UInt8] = [0xa9, 0x01, 0x1a, 0x00, 0x00, 0x2a, 0xff, 0xff, 0xa9, 0x00]
    #expect(try field(items + long, .linux, count: 4).alternatives.count == 4)
  }

  @Test("a late Usage Page is that of all usages by HID 1.11, and of the last ones for Linux")
  func latePage() throws {
    // The items are X of the previous page, then button 2 of the new page. Linux goes back through
    // the usages and stops at button 2, which has the new page already.
    let items: [UInt8] = [0x09, 0x30, 0x05, 0x09, 0x09, 0x02]
    #expect(
      try field(items, .linux, count: 2).usages.map { $0 } == [.genericDesktop(.x), .button(2)])
    #expect(
      try field(items, .specification, count: 2).usages.map { $0 } == [.button(0x30), .button(2)])
    let behind: [UInt8] = [0x09, 0x30, 0x05, 0x09]
    for reading in HIDReading.allCases {
      #expect(try field(behind, reading).usages.map { $0 } == [.button(0x30)])
    }
  }

  @Test("a 32-bit end of a usage range gives its page to the other end by HID 1.11")
  func mixedWidths() throws {
    let wideMaximum: [UInt8] = [0x19, 0x01, 0x2b, 0x03, 0x00, 0x09, 0x00]
    #expect(
      try field(wideMaximum, .specification, count: 3).usages.map { $0 } == [
        .button(1), .button(2), .button(3),
      ])
    let wideMinimum: [UInt8] = [0x1b, 0x01, 0x00, 0x09, 0x00, 0x29, 0x03]
    #expect(
      try field(wideMinimum, .specification, count: 3).usages.map { $0 } == [
        .button(1), .button(2), .button(3),
      ])
    // Linux takes the numbers as they are. 0x90001 is above 3, so Linux counts from there to its
    // limit. The page is the one in force, because the maximum has two bytes at most.
    let linux = try field(wideMinimum, .linux, count: 3).usages
    #expect(linux.count == HIDReportDescriptor.maximumUsageCount)
    #expect(linux.first == .genericDesktop(.pointer))
  }

  @Test("long items and reserved global items are passed over by HID 1.11, and refused by Linux")
  func skipped() throws {
    let long: [UInt8] = [0xfe, 0x02, 0x10, 0xaa, 0xbb, 0x09, 0x30]
    #expect(try field(long, .specification).usages.map { $0 } == [.genericDesktop(.x)])
    #expect(throws: HIDReportDescriptorError.longItem(offset: 10)) { try field(long, .linux) }
    let reserved: [UInt8] = [0xc4 | 1, 0x07, 0x09, 0x30]
    #expect(try field(reserved, .specification).usages.map { $0 } == [.genericDesktop(.x)])
    #expect(throws: HIDReportDescriptorError.reservedGlobalItem(offset: 10, code: 0xc4)) {
      try field(reserved, .linux)
    }
    #expect(throws: HIDReportDescriptorError.truncatedItem(offset: 0)) {
      try HIDReportDescriptor(parsing: [0xfe, 0x02, 0x10, 0xaa], reading: .specification)
    }
  }

  @Test("a fifth Push and more than 4,096 bytes are refused by Linux alone")
  func limits() throws {
    let pushes = [UInt8](repeating: 0xa4, count: 5) + [0x09, 0x30]
    #expect(throws: HIDReportDescriptorError.pushTooDeep(offset: 14)) {
      try field(pushes, .linux)
    }
    _ = try field(pushes, .specification)
    let long = [UInt8]((0..<2049).flatMap { _ in [0x75, 0x08] as [UInt8] })
    #expect(throws: HIDReportDescriptorError.descriptorTooLong(byteCount: 4098)) {
      try HIDReportDescriptor(parsing: long)
    }
    _ = try HIDReportDescriptor(parsing: long, reading: .specification)
    #expect(throws: HIDReportDescriptorError.descriptorTooLong(byteCount: 65_536)) {
      try HIDReportDescriptor(
        parsing: [UInt8](repeating: 0xa4, count: 65_536), reading: .specification)
    }
    #expect(
      HIDReportDescriptorError.descriptorTooLong(byteCount: 4098).description
        == "the report descriptor has 4098 bytes; the kernel takes at most 4096")
    #expect(
      HIDReportDescriptorError.descriptorTooLong(byteCount: 65_536).description
        == "the report descriptor has 65536 bytes; the kernel takes at most 4096, and HID 1.11 "
        + "allows at most 65535")
  }

  @Test(
    "designators and strings are kept with their field or collection",
    arguments: HIDReading.allCases)
  func indices(reading: HIDReading) throws {
    let bytes: [UInt8] = [
      0x05, 0x01, 0x09, 0x05, 0x79, 0x04, 0xa1, 0x01,
      0x09, 0x30, 0x39, 0x02, 0x89, 0x05, 0x99, 0x07, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,
      0x09, 0x31, 0x49, 0x03, 0x59, 0x04, 0x81, 0x02,
      0x09, 0x32, 0x81, 0x02, 0xc0,
    ]
    let descriptor = try HIDReportDescriptor(parsing: bytes, reading: reading)
    #expect(descriptor.collections[0].strings == [HIDIndexRange(first: 4, last: 4)])
    #expect(descriptor.collections[0].designators == [])
    let fields = descriptor.reports[0].fields
    #expect(fields.map(\.designators.count) == [1, 1, 0])
    #expect(fields[0].designators == [HIDIndexRange(first: 2, last: 2)])
    #expect(fields[0].strings == [HIDIndexRange(first: 5, last: 7)])
    #expect(fields[1].designators == [HIDIndexRange(first: 3, last: 4)])
    #expect(fields[1].strings == [])
    #expect(fields.allSatisfy { $0.alternatives.isEmpty })
  }

  @Test("descriptors with more than a thousand usages or fields are read whole")
  func crowded() throws {
    let usages = [UInt8]((0..<1500).flatMap { _ in [0x08] as [UInt8] })
    let many: [UInt8] = [0x05, 0x01, 0x75, 0x01, 0x96, 0xdc, 0x05] + usages + [0x81, 0x02]
    let descriptor = try HIDReportDescriptor(parsing: many)
    #expect(descriptor.reports[0].fields[0].usages.count == 1500)
    let fields = [UInt8](repeating: 0x80, count: 4000)
    #expect(try HIDReportDescriptor(parsing: fields).reports[0].fields.count == 4000)
  }

  @Test("fields of reports that take turns are kept with their report, in order")
  func turns() throws {
    var bytes: [UInt8] = [0x05, 0x01, 0x75, 0x08, 0x95, 0x01, 0x15, 0x00, 0x25, 0x7f]
    // Forty reports in reverse order, twice.
    for round in 0..<2 as Range<UInt8> {
      for id in (1...40 as ClosedRange<UInt8>).reversed() {
        bytes += [0x85, id, 0x09, 0x30 + round, 0x81, 0x02]
      }
    }
    let descriptor = try HIDReportDescriptor(parsing: bytes)
    #expect(descriptor.reports.compactMap { $0.id?.rawValue } == Array(1...40))
    for report in descriptor.reports {
      #expect(report.bitCount == 16)
      #expect(report.fields.map(\.bitOffset) == [0, 8])
      #expect(report.fields.map(\.index) == [0, 1])
      #expect(
        report.fields.compactMap { $0.usage(at: 0) } == [.genericDesktop(.x), .genericDesktop(.y)])
      #expect(descriptor.report(.input, id: report.id) == report)
    }
    #expect(descriptor.report(.input, id: HIDReportID(rawValue: 41)) == nil)
    #expect(descriptor.report(.output, id: HIDReportID(rawValue: 1)) == nil)
  }
}
