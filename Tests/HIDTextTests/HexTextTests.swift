// SPDX-License-Identifier: Apache-2.0

import HIDText
import Testing

@Suite("HexText")
struct HexTextTests {
  @Test(
    "printed bytes are words of one or an even number of digits, with white space or commas between",
    arguments: [
      ("01 02 ff AB", [1, 2, 255, 0xAB]), ("0102ffab", [1, 2, 255, 0xAB]), ("1 f", [1, 15]),
      ("0x01,0X2\t0x0304 ", [1, 2, 3, 4]), ("", []), (" ,\r", []), ("0", [0]),
      ("0x2", [2]), ("00 04 00", [0, 4, 0]), ("00 04 0", [0, 4, 0]),
    ] as [(String, [UInt8])])
  func hex(text: String, expected: [UInt8]) throws {
    #expect(try HexText.bytes(text, as: .printed).get() == expected)
  }

  @Test(
    "a word that is not a byte is refused with its text",
    arguments: [
      ("01 zz 02", "zz"), ("012", "012"), ("0x", "0x"), ("1x", "1x"), ("01 #", "#"), ("é", "é"),
      ("0x0g", "0x0g"), ("01:02", "01:02"), ("/ @", "/"), ("`0", "`0"), ("g0", "g0"), ("G0", "G0"),
    ])
  func noByte(text: String, word: String) {
    for form in [HexText.Form.pairs, .printed] {
      #expect {
        try HexText.bytes(text, as: form).get()
      } throws: {
        ($0 as? HexText.WordError)?.word == word
      }
    }
    #expect(HexText.bytes(word: word) == nil)
  }

  @Test(
    "the bytes of a file are pairs, of which one can follow 0x",
    arguments: [
      ("01", [1]), ("0x04", [4]), ("0X04", [4]), ("000004", [0, 0, 4]), ("aB", [0xAB]), ("4", nil),
      ("0x4", nil), ("0x0304", nil), ("", nil), ("01 02", nil), ("+1", nil), ("0x", nil),
    ] as [(String, [UInt8]?)])
  func pairs(word: String, expected: [UInt8]?) {
    #expect(HexText.bytes(word: word) == expected)
    var bytes: [UInt8] = [7]
    #expect(HexText.append(word: word, to: &bytes) == (expected != nil))
    if let expected { #expect(bytes == [7] + expected) }
  }

  @Test("the bytes after a comment are left out")
  func comment() throws {
    var bytes: [UInt8] = [7]
    try HexText.append("01 #02".utf8.span, to: &bytes, as: .printed, hasComments: true)
    try HexText.append("3#zz".utf8.span, to: &bytes, as: .printed, hasComments: true)
    #expect(bytes == [7, 1, 3])
  }
}
