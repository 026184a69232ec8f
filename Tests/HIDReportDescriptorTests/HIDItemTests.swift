// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import TestSupport
import Testing

@Suite("HIDItem")
struct HIDItemTests {
  @Test("the size code 3 stands for four bytes; data is little-endian")
  func decode() throws {
    let items = try HIDItem.decodeAll([
      0x05, 0x01, 0x26, 0x34, 0x12, 0x27, 0x78, 0x56, 0x34, 0x12, 0xc0, 0x15, 0x81,
    ])
    #expect(
      items.map(\.tag) == [
        .usagePage, .logicalMaximum, .logicalMaximum, .endCollection, .logicalMinimum,
      ])
    #expect(items.map(\.data) == [1, 0x1234, 0x1234_5678, 0, 0x81])
    #expect(items.map(\.offset) == [0, 2, 5, 10, 11])
    #expect(items.map(\.kind) == [.global, .global, .global, .main, .global])
    #expect(items[4].signedData == -127)
  }

  @Test("a long item is kept whole, and the next one is found")
  func longItem() throws {
    let items = try HIDItem.decodeAll([0xfe, 0x02, 0x10, 0xaa, 0xbb, 0xc0])
    #expect(items.map(\.isLong) == [true, false])
    #expect(items.map(\.longTag) == [0x10, nil])
    #expect(items.map(\.byteCount) == [5, 1])
    #expect(items[0].tag == nil)
  }

  @Test(
    "the shortest form has the fewest bytes that hold the value, signed or unsigned",
    arguments: [
      (.logicalMaximum, 0, [0x25, 0x00]), (.logicalMaximum, 127, [0x25, 0x7f]),
      (.logicalMaximum, 255, [0x26, 0xff, 0x00]), (.logicalMinimum, -128, [0x15, 0x80]),
      (.logicalMinimum, -129, [0x16, 0x7f, 0xff]),
      (.logicalMaximum, 65_535, [0x27, 0xff, 0xff, 0x00, 0x00]),
      (.logicalMaximum, 4_294_967_295, [0x27, 0xff, 0xff, 0xff, 0xff]),
      (.usage, 255, [0x09, 0xff]), (.usage, 256, [0x0a, 0x00, 0x01]),
      (.usage, 0x0008_0002, [0x0b, 0x02, 0x00, 0x08, 0x00]), (.push, 0, [0xa4]),
      (.endCollection, 0, [0xc0]),
    ] as [(HIDItemTag, Int64, [UInt8])])
  func shortest(tag: HIDItemTag, value: Int64, expected: [UInt8]) throws {
    var bytes: [UInt8] = []
    try #require(HIDItem(shortest: tag, value: value)).encode(into: &bytes)
    #expect(bytes == expected)
  }

  @Test("a value that an item's 32 bits do not hold is refused")
  func tooLarge() {
    #expect(HIDItem(shortest: .logicalMinimum, value: -2_147_483_649) == nil)
    #expect(HIDItem(shortest: .logicalMaximum, value: 4_294_967_296) == nil)
    #expect(HIDItem(shortest: .usage, value: -1) == nil)
    #expect(HIDItem(shortest: .usage, value: .max) == nil)
  }

  @Test("an item is encoded in the given width, and data beyond it is cut")
  func widths() {
    let forms: [[UInt8]] = [-1, 0, 1, 2, 3, 4, 5].map {
      var bytes: [UInt8] = []
      HIDItem(.unit, data: 0x1234_5678, dataByteCount: $0).encode(into: &bytes)
      return bytes
    }
    let four: [UInt8] = [0x67, 0x78, 0x56, 0x34, 0x12]
    #expect(forms == [[0x64], [0x64], [0x65, 0x78], [0x66, 0x78, 0x56], four, four, four])
  }

  @Test("short items encode to the bytes they came from")
  func roundTrip() throws {
    for seed in 0..<200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var bytes: [UInt8] = []
      while bytes.count < 100 {
        let prefix = UInt8.random(in: 0..<0xf0, using: &random)
        bytes.append(prefix)
        for _ in 0..<(prefix & 3 == 3 ? 4 : prefix & 3) {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        }
      }
      var written: [UInt8] = []
      for item in try HIDItem.decodeAll(bytes) { item.encode(into: &written) }
      #expect(written == bytes, "seed \(seed)")
    }
  }

  @Test("every item has a unique name, by which it is found")
  func names() {
    for tag in HIDItemTag.allCases { #expect(HIDItemTag(name: tag.name) == tag) }
    #expect(Set(HIDItemTag.allCases.map(\.name)).count == 27)
  }
}
