// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import TestSupport
import Testing

@Suite("Texts that are not descriptors", .timeLimit(.minutes(5)), .serialized)
struct HIDDescriptorReadingErrorTests {
  private func problem(
    _ bytes: [UInt8], _ format: HIDDescriptorFormat? = nil
  ) throws -> HIDTextProblem {
    try #require(throws: HIDTextProblem.self) {
      try HIDDescriptorText.read(bytes, name: "a.txt", format: format)
    }
  }

  @Test(
    "every mistake is refused with line, column, the text found and the text expected",
    arguments: [
      ("", nil, "1:1: expected a report descriptor, found an empty file"),
      // Hex.
      ("05 0g", nil, "1:4: expected a byte in hex, found \"0g\"; such as 05 01 or 0x05, 0x01"),
      ("a1\n01 090", nil, "2:4: expected bytes of two hexadecimal digits, found \"090\""),
      (
        "5, 300", nil,
        "1:4: expected a byte from 0 to 255, found \"300\"; these numbers are decimal"
      ),
      (
        "0x05, 0x100", nil,
        "1:7: expected a byte from 0x00 to 0xff, found \"0x100\"; write single bytes"
      ),
      ("05 01 é", nil, "1:7: expected a byte in hex, found the byte 0xc3"),
      ("05 01 /* x", nil, "1:7: expected the end of the comment, */, found the end of the file"),
      ("hello", nil, "1:1: expected a byte in hex, found \"hello\""),
      (
        "Usage (X)", .hex,
        "1:1: expected a byte in hex, found \"Usage\"; to read items in words without"
      ),
      ("05\u{0}01 09 02 a1 01 c0", nil, "1:3: expected a byte in hex, found the byte 0x00"),
      ("# nothing\n( )", nil, "1:1: expected bytes in hex, found no byte"),
      ("// Usage", .text, "1:1: expected bytes with their items beside them, found no byte"),
      // C.
      (
        "char a[] = {\n  0x05, HID_USAGE_PAGE(1),\n};", nil,
        "2:9: expected a byte, found the macro \"HID_USAGE_PAGE\"; names are not resolved"
      ),
      ("char a[] = { 0x05, USAGE };", nil, "1:20: expected a byte, found the name \"USAGE\""),
      (
        "char a[] = { 0x05 0x01 };", nil,
        "1:19: expected \",\" or \"}\" after the byte, found \"0x01\""
      ),
      (
        "char a[] = { 0x05 | 1 };", nil,
        "1:19: expected \",\" or \"}\" after the byte, found \"|\"; expressions are not computed"
      ),
      ("void f() { char a[] = { 1, id }; }", nil, "1:28: expected a byte, found the name \"id\""),
      ("char a[] = { 256 };", nil, "1:14: expected a byte from 0 to 255, found \"256\""),
      ("char a[] = { 09 };", nil, "1:14: \"09\" is not a C number"),
      ("char a[] = { 'a' };", nil, "1:14: expected a byte or \"}\", found \"'\""),
      (
        "char a[] = { 0x05,\n", nil,
        "2:1: expected a byte or \"}\", found the end of the file; the array begins in line 1, column 12"
      ),
      (
        "char a[] = {\n#ifdef X\n 5\n#endif\n};", nil,
        "2:1: expected a byte, found #ifdef; conditions"
      ),
      ("int x;", .c, "1:1: expected an array such as \"const uint8_t name[] = "),
      // Items in words.
      (
        "Usage Page (Generic Desktop)\n  Usge (Mouse)", nil,
        "2:3: expected an item, found \"Usge\"; did you mean \"Usage\"?"
      ),
      (
        "Usage Page (Generic Desktop)\nUsage (Mose)", nil,
        "2:8: Usage cannot be \"Mose\"; expected a usage of page Generic Desktop, or a number; did you mean \"Mouse\"?"
      ),
      (
        "Usage Page (Generic Dektop)", nil,
        "1:13: Usage Page cannot be \"Generic Dektop\"; expected a"
      ),
      (
        "Collection (Aplication)", nil,
        "1:13: Collection cannot be \"Aplication\"; expected Physical"
      ),
      (
        "Input (Data,Vra)", nil,
        "1:8: Input cannot be \"Vra\"; expected flags such as Data, Var, Abs"
      ),
      ("Input (Data,Cnst)", nil, "1:8: Input cannot be both \"Data\" and \"Cnst\""),
      ("Report Size (eight)", nil, "1:14: Report Size cannot be \"eight\"; expected a number"),
      ("Report Size", nil, "1:1: Report Size has no value; expected one in brackets after it"),
      ("Report Size ()", nil, "1:14: Report Size has no value"),
      (
        "Report Size (8", nil,
        "1:15: expected \")\" for the \"(\" in column 13, found the end of the file"
      ),
      (
        "Report Size (8) 0x75 0x10 0", nil,
        "1:17: expected the end of the line or a comma, found \"0x75\""
      ),
      ("Report Size (8) 95 01", nil, "1:17: expected the bytes of Report Size, found 95 01"),
      (
        "Report Size (8) [3 bytes]", nil,
        "1:17: expected a width, [0 bytes], [1 byte], [2 bytes] or [4 bytes]"
      ),
      ("Report Size (300) [1 byte]", nil, "1:14: Report Size 300 does not fit into 1 byte"),
      (
        "Report Size (4294967296)", nil,
        "1:14: Report Size cannot be 4294967296; expected 0 to 4294967295"
      ),
      ("Report Size (-1)", nil, "1:14: Report Size cannot be -1; expected 0 to 4294967295"),
      ("Push (x)", nil, "1:7: Push takes no value"),
      ("Push\n[c5 x]", nil, "2:5: expected a byte in hex or \"]\", found \"x\""),
      ("Usage (1) Usage", nil, "1:11: expected the end of the line or a comma, found \"Usage\""),
      // Recordings.
      (
        "R: 3 05 01", nil,
        "1:4: expected 3 bytes of the descriptor, found 2; the line may have been cut"
      ),
      ("R: x", nil, "1:4: expected the descriptor's byte count, found \"x\""),
      ("R: 1 100", nil, "1:6: expected a byte as two hexadecimal digits, found \"100\""),
      (
        "R: 1 c0\nR: 1 c0", nil,
        "2:4: device 0 has a report descriptor already, in line 1; with several"
      ),
      ("D: x", nil, "1:4: expected a device number from 0 to 65535, found \"x\""),
      (
        "N: a\nI: 3 g 1", nil,
        "2:6: expected the vendor as a hexadecimal number from 0 to ffff, found \"g\""
      ),
      ("N: a", nil, "1:1: expected a recording, found no R: line"),
      // JSON.
      (
        "[{\"usage\": \"mose\"}]", nil,
        "1:12: usage cannot be \"mose\"; expected a usage of page 0x0000"
      ),
      ("{\"name\": \"x\"}", nil, "1:1: expected a report descriptor, found an object without one"),
      (
        "{\"reportDescriptor\": {\"file\": \"x.bin\"}}", nil,
        "1:22: \"file\" names another file for the report descriptor, which is not read here; give that file instead"
      ),
      ("{\"interfaces\": [{}]}", nil, "1:17: the interface has no \"reportDescriptor\""),
      ("[{\"usage\" 1}]", nil, "1:11: expected \":\" after the key, found \"1\""),
      // Trees and the kernel's file.
      (
        "05 01", .tree,
        "1:6: expected the line \"report descriptor, … bytes:\" and the bytes after it"
      ),
    ] as [(String, HIDDescriptorFormat?, String)])
  func mistakes(text: String, format: HIDDescriptorFormat?, expected: String) throws {
    let found = try problem(Array(text.utf8), format).description
    #expect(found.hasPrefix("a.txt:" + expected), "\(found)")
  }

  @Test("gzip files, captures, UTF-16 and texts over 1 MiB are refused with the reason")
  func wrongFiles() throws {
    #expect(try problem([0x1f, 0x8b, 8, 0]).message.contains("found a gzip file"))
    let captures: [[UInt8]] = [
      [0xd4, 0xc3, 0xb2, 0xa1, 2, 0], [0xa1, 0xb2, 0x3c, 0x4d],
      [0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0],
    ]
    for capture in captures {
      #expect(try problem(capture).message.contains("found a capture of packets"))
      #expect(throws: HIDTextProblem.self) {
        try HIDDescriptorText.read(capture, name: "capture", format: .binary)
      }
    }
    #expect(try problem([0xff, 0xfe, 0x30, 0]).message.contains("found text in UTF-16"))
    let long = try problem([UInt8](repeating: 0x20, count: 1 << 20 + 1))
    #expect(long.message == "the text is 1048577 bytes long, and the limit is 1048576")
  }

  @Test(
    "a descriptor over 65,536 bytes is refused, and one of 65,536 is read, in each short format")
  func longDescriptors() async throws {
    let bytes = [UInt8](repeating: 0xc0, count: 65_537)
    for format in HIDDescriptorFormat.allCases {
      await Task.yield()
      let text = HIDDescriptorText.write(bytes, as: format)
      guard text.count <= HIDDescriptorText.maximumTextByteCount else { continue }
      #expect(try problem(text, format).message.contains("65536"), "\(format)")
      let shorter = HIDDescriptorText.write(Array(bytes.dropLast()), as: format)
      let read = try HIDDescriptorText.read(shorter, name: "a", format: format)
      #expect(read.map(\.bytes.count) == [65_536])
    }
  }

  @Test("a descriptor over 65,536 bytes in JSON is refused at the element that exceeds the limit")
  func longItems() throws {
    func bytes(_ count: Int) -> String {
      "{\"hex\": \"\(String(repeating: "c0", count: count))\"}"
    }
    let message = "the report descriptor is longer than 65536 bytes"
    for (text, place) in [
      ("[\(bytes(65_537))]", "1:3"), ("[\(bytes(65_536)),\n\"push\"]", "2:1"),
      ("[\(bytes(65_535)),\n{\"usagePage\": 1}, \"pop\"]", "2:2"),
      ("[{\"collection\": 1, \"items\": [\n\(bytes(65_537))]}]", "2:2"),
    ] {
      let found = try problem(Array(text.utf8), .items)
      #expect(found.description == "a.txt:\(place): \(message)")
    }
    let text = Array("[\(bytes(65_535)), \"push\"]".utf8)
    let read = try HIDDescriptorText.read(text, name: "a.txt", format: .items)
    #expect(read.map(\.bytes.count) == [65_536])
  }

  @Test("texts with changed bytes never trap, in their own format or another")
  func mutations() async throws {
    let texts = HIDDescriptorFormat.allCases.map {
      HIDDescriptorText.write(Example.keyboard, as: $0, name: "x")
    }
    for seed in 0..<300 as Range<UInt64> {
      await Task.yield()
      var random = SplitMix64(seed: seed)
      guard var text = texts.randomElement(using: &random) else { continue }
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: text.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(.random(in: 0...255, using: &random), at: place)
        case 2: text[place] = .random(in: 0...255, using: &random)
        default: text[place] = Array("(){}[],;/*\"#0x\n".utf8).randomElement(using: &random) ?? 0
        }
        if text.isEmpty { break }
      }
      for format in [nil] + HIDDescriptorFormat.allCases.map(Optional.some) {
        guard let all = try? HIDDescriptorText.read(text, name: "m", format: format) else {
          continue
        }
        for one in all { _ = one.location(ofByte: one.bytes.count - 1) }
      }
    }
  }

  @Test(
    "long texts of one repeated unit are read or refused",
    arguments: [
      "{", "[", "(", "05 ", "/*", "//", "/* ", "a[]={", "Usage (", "Usage ", "; ", "\"", "'\n", "=",
      "= {", "[c5]\n", "R: ", "D: 1\n", "N: a\n", "\\", "#\n", "0x", "INPUT[", "Push; ", "Push ",
      "[{\"a\":", "{\"hex\": \"", "é", "\r", "Usage Usage ", "00000000: ",
    ])
  func long(unit: String) async {
    let text = Array(String(repeating: unit, count: (1 << 14) / unit.utf8.count).utf8)
    for format in [nil] + HIDDescriptorFormat.allCases.map(Optional.some) {
      await Task.yield()
      _ = try? HIDDescriptorText.read(text, name: "m", format: format)
    }
  }
}
