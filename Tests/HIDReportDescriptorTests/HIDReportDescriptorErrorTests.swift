// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("HIDReportDescriptorError")
struct HIDReportDescriptorErrorTests {
  @Test(
    "a malformed descriptor is refused with its fault and place",
    arguments: [
      ([], .empty),
      ([0x05], .truncatedItem(offset: 0)),
      ([0x05, 0x01, 0x26, 0xff], .truncatedItem(offset: 2)),
      ([0x05, 0x01, 0x27, 0xff, 0xff, 0xff], .truncatedItem(offset: 2)),
      ([0xfe, 0x04, 0x10, 0x00], .truncatedItem(offset: 0)),
      ([0x05, 0x01, 0xfe, 0x01, 0x10, 0x00], .longItem(offset: 2)),
      ([0xc4], .reservedGlobalItem(offset: 0, code: 0xc4)),
      ([0x85, 0x00], .invalidReportID(offset: 0, value: 0)),
      ([0x84], .invalidReportID(offset: 0, value: 0)),
      ([0x05, 0x01, 0x86, 0x00, 0x01], .invalidReportID(offset: 2, value: 256)),
      ([0x76, 0x01, 0x01], .reportSizeTooLarge(offset: 0, bitCount: 257)),
      ([0x77, 0xff, 0xff, 0xff, 0xff], .reportSizeTooLarge(offset: 0, bitCount: .max)),
      ([0x96, 0x01, 0x30], .reportCountTooLarge(offset: 0, count: 12_289)),
      ([0xa4, 0xa4, 0xa4, 0xa4, 0xa4], .pushTooDeep(offset: 4)),
      ([0xa4, 0xb4, 0xb4], .popWithoutPush(offset: 2)),
      ([0xa1, 0x01, 0xc0, 0xc0], .endCollectionWithoutCollection(offset: 3)),
      ([0xa1, 0x01, 0xa1, 0x00, 0xc0], .unclosedCollection(offset: 0)),
      ([0xa9, 0x01, 0xa9, 0x01], .nestedDelimiter(offset: 2)),
      ([0x09, 0x01, 0xa9, 0x00], .closeDelimiterWithoutOpen(offset: 2)),
      ([0xa9, 0x01, 0x09, 0x01], .unclosedDelimiter(offset: 0)),
      (
        [0x15, 0x05, 0x25, 0x04, 0x81, 0x02],
        .logicalRangeReversed(offset: 4, minimum: 5, maximum: 4)
      ),
      (
        [0x15, 0x81, 0x25, 0x80, 0x81, 0x02],
        .logicalRangeReversed(offset: 4, minimum: -127, maximum: -128)
      ),
      (
        [0x76, 0x00, 0x01, 0x96, 0x00, 0x02, 0x85, 0x07, 0x91, 0x01],
        .reportTooLong(
          offset: 8, type: .output, id: HIDReportID(rawValue: 7), bitCount: 131_072,
          maximumByteCount: 16_384)
      ),
      // 12,288 usages, then one more.
      ([0x1a, 0x01, 0x00, 0x2a, 0x00, 0x30, 0x09, 0x01], .tooManyUsages(offset: 6)),
      // Counting to the greatest 32-bit number must end.
      (
        [0x1b, 0xf0, 0xff, 0xff, 0xff, 0x2b, 0xff, 0xff, 0xff, 0xff], .tooManyUsages(offset: 5)
      ),
    ] as [([UInt8], HIDReportDescriptorError)])
  func refused(bytes: [UInt8], error: HIDReportDescriptorError) {
    #expect(throws: error) { try HIDReportDescriptor(parsing: bytes) }
  }

  @Test("a descriptor of 4,096 bytes is accepted, and one of 4,097 is refused")
  func length() throws {
    let bytes = [UInt8](repeating: 0xa4 ^ 0x10, count: 1)  // a Pop
    #expect(throws: HIDReportDescriptorError.popWithoutPush(offset: 0)) {
      try HIDReportDescriptor(parsing: bytes)
    }
    _ = try HIDReportDescriptor(parsing: [UInt8](repeating: 0x04, count: 4096))
    #expect(throws: HIDReportDescriptorError.descriptorTooLong(byteCount: 4097)) {
      try HIDReportDescriptor(parsing: [UInt8](repeating: 0x04, count: 4097))
    }
  }

  @Test("a report may fill the transport's buffer, less the byte of a report ID")
  func reportLength() throws {
    let bytes: [UInt8] = [0x75, 0x08, 0x96, 0xff, 0x0f, 0x81, 0x01]  // 4,095 bytes
    _ = try HIDReportDescriptor(parsing: bytes, maximumReportByteCount: 4096)
    #expect(throws: HIDReportDescriptorError.self) {
      try HIDReportDescriptor(parsing: bytes, maximumReportByteCount: 4095)
    }
    // Invalid limits do not trap.
    for odd in [Int.min, -1, 0, Int.max] {
      _ = try? HIDReportDescriptor(parsing: bytes, maximumReportByteCount: odd)
    }
  }

  @Test("an error's description has the place, the found value and the expected one")
  func descriptions() {
    #expect(
      HIDReportDescriptorError.invalidReportID(offset: 12, value: 0).description
        == "byte 12: report ID 0; expected 1 to 255")
    #expect(
      HIDReportDescriptorError.reportTooLong(
        offset: 8, type: .input, id: HIDReportID(rawValue: 7), bitCount: 40_000,
        maximumByteCount: 4096
      ).description
        == "byte 8: input report 7 has 40000 bits with this field; expected at most 32760: 4096 "
        + "bytes, less one for the report ID")
    #expect(
      HIDReportDescriptorError.empty.description
        == "the report descriptor is empty; expected at least one item")
  }
}
