// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import TestSupport
import Testing

@Suite("HIDReportDecoder")
struct HIDReportDecoderTests {
  private func decode(_ decoder: HIDReportDecoder, _ report: [UInt8]) -> [Int64] {
    var values = [Int64](repeating: -999, count: decoder.valueCount)
    var span = values.mutableSpan
    let count = decoder.decode(report.span, into: &span)
    return Array(values.prefix(count))
  }

  @Test("a keyboard's values are eight modifiers, then the six slots")
  func keyboard() throws {
    let layout = try #require(
      HIDReportDescriptor(parsing: Example.keyboard).report(.input, id: nil))
    let decoder = HIDReportDecoder(layout)
    #expect(decoder.valueCount == 14)
    #expect(decoder.valueIndex(of: layout.fields[0]) == 0)
    #expect(decoder.valueIndex(of: layout.fields[1]) == nil)
    #expect(decoder.valueIndex(of: layout.fields[2]) == 8)
    #expect(
      decode(decoder, [0b1000_0010, 0xaa, 4, 5, 0, 0, 0, 0xff]) == [
        0, 1, 0, 0, 0, 0, 0, 1, 4, 5, 0, 0, 0, 255,
      ])
  }

  @Test(
    "a gamepad's values are bits across bytes, signed axes of 12 bits, and a hat in part of a byte")
  func gamepad() throws {
    let layout = try #require(
      HIDReportDescriptor(parsing: Example.gamepad).report(.input, id: nil))
    // The report has buttons 1 and 10, X -2048, Y 2047 and hat 7.
    #expect(
      decode(HIDReportDecoder(layout), [0x01, 0x02, 0xe0, 0xff, 0xdd]) == [
        1, 0, 0, 0, 0, 0, 0, 0, 0, 1, -2048, 2047, 7,
      ])
  }

  @Test("a short report gives the values before the first element that is not whole")
  func short() throws {
    let layout = try #require(
      HIDReportDescriptor(parsing: Example.gamepad).report(.input, id: nil))
    let decoder = HIDReportDecoder(layout)
    #expect(decode(decoder, []) == [])
    #expect(decode(decoder, [0x01]) == [1, 0, 0, 0, 0, 0, 0, 0])
    #expect(decode(decoder, [0x01, 0x02, 0xe0]).count == 11)
    #expect(decode(decoder, [0x01, 0x02, 0xe0, 0xff, 0xdd, 1, 2, 3]).count == 13)
  }

  @Test("decoded values are those of single elements, whatever the sizes, signs and places")
  func agreement() throws {
    var random = SplitMix64(seed: 7)
    for _ in 0..<300 {
      var bytes: [UInt8] = [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01]
      if Bool.random(using: &random) { bytes += [0x85, 0x03] }
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let size =
          [1, 1, 2, 4, 7, 8, 8, 12, 16, 16, 24, 32, 33, 63, 64, 65].randomElement(
            using: &random) ?? 1
        let isSigned = Bool.random(using: &random)
        bytes += [0x15, isSigned ? 0x81 : 0x00, 0x25, 0x7f, 0x75, UInt8(size)]
        bytes += [0x95, .random(in: 0...20, using: &random), 0x09, 0x30, 0x81, 0x02]
      }
      let layout = try HIDReportDescriptor(parsing: bytes + [0xc0]).reports[0]
      let decoder = HIDReportDecoder(layout)
      for count in [layout.byteCount, layout.byteCount + 3, layout.byteCount / 2] {
        let report = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let payload = Array(report.dropFirst(layout.payloadOffset))
        var expected: [Int64] = []
        elements: for field in layout.fields where (1...64).contains(field.bitSize) {
          for index in 0..<field.count {
            guard let value = field.value(at: index, in: payload) else { break elements }
            expected.append(value)
          }
        }
        #expect(decode(decoder, report) == expected)
      }
    }
  }

  @Test("an array of 33 slots has the same changes as one of 32")
  func manySlots() throws {
    for count in [32, 33] as [UInt8] {
      let bytes: [UInt8] = [
        0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x65, 0x75, 0x08, 0x95, count, 0x81,
        0x00,
      ]
      let layout = try HIDReportDescriptor(parsing: bytes).reports[0]
      var old = [UInt8](repeating: 0, count: Int(count))
      var new = old
      (old[0], old[1], old[2]) = (4, 5, 4)
      (new[3], new[4], new[5]) = (5, 6, 6)
      let changes = layout.changes(from: old, to: new)
      #expect(
        changes.map(\.usage) == [.keyboardOrKeypad(.keyboardA), .keyboardOrKeypad(.keyboardC)])
      #expect(changes.map(\.value) == [0, 1])
      new[6] = 1  // ErrorRollOver
      #expect(layout.changes(from: old, to: new).isEmpty)
      #expect(layout.isRollOver(new) && !layout.isRollOver(old))
    }
  }
}
