// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor

/// The costs of reading report descriptors and reports, measured by the public interface alone.
///
/// It is the counterpart of `scripts/bench.d/descriptor.c`, which explains the arguments. The
/// instructions are counted from outside.
@main
enum DescriptorBench {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    switch (words.first, words.count) {
    case ("parse", 3...):
      try parse(words.dropFirst(2), count: Int(words[1]) ?? 1)
    case ("decode", 3) where words[1] == "keyboard":
      try decode(keyboard, count: Int(words[2]) ?? 1, byteCount: 8, id: 0)
    case ("decode", 3) where words[1] == "gamepad":
      try decode(gamepad, count: Int(words[2]) ?? 1, byteCount: 14, id: 1)
    case ("changes", 3) where words[1] == "keyboard":
      try changes(keyboard, count: Int(words[2]) ?? 1, byteCount: 8, id: 0)
    case ("changes", 3) where words[1] == "gamepad":
      try changes(gamepad, count: Int(words[2]) ?? 1, byteCount: 14, id: 1)
    default:
      print("usage: DescriptorBench parse COUNT FILE... | decode|changes keyboard|gamepad COUNT")
      exit(64)
    }
  }

  private static func parse(_ paths: ArraySlice<String>, count: Int) throws {
    var sum = 0
    for path in paths {
      let bytes = contents(of: path)
      for _ in 0..<count {
        let descriptor = try HIDReportDescriptor(parsing: bytes)
        sum += descriptor.reports.count + descriptor.collections.count
      }
    }
    print(sum)
  }

  /// A report descriptor with the input report of `Descriptors/keyboard.json`.
  ///
  /// Its array of keys ends at 0xff, and not at 0xdd.
  private static let keyboard: [UInt8] = [
    0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0xe0, 0x29, 0xe7, 0x15, 0x00, 0x25, 0x01,
    0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01, 0x95, 0x06, 0x26, 0xff,
    0x00, 0x19, 0x00, 0x2a, 0xff, 0x00, 0x81, 0x00, 0xc0,
  ]

  /// A report descriptor with the input report of `Descriptors/gamepad.json`, without units.
  private static let gamepad: [UInt8] = [
    0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01, 0x05, 0x09, 0x19, 0x01, 0x29, 0x10, 0x15, 0x00,
    0x25, 0x01, 0x75, 0x01, 0x95, 0x10, 0x81, 0x02, 0x05, 0x01, 0x09, 0x39, 0x25, 0x07, 0x75, 0x04,
    0x95, 0x01, 0x81, 0x42, 0x81, 0x01, 0x09, 0x01, 0xa1, 0x00, 0x09, 0x30, 0x09, 0x31, 0x09, 0x32,
    0x09, 0x35, 0x16, 0x01, 0x80, 0x26, 0xff, 0x7f, 0x75, 0x10, 0x95, 0x04, 0x81, 0x02, 0xc0, 0x05,
    0x02, 0x09, 0xc5, 0x09, 0xc4, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x02, 0x81, 0x02,
    0xc0,
  ]

  /// Reports that are the same in C and in Swift: eight bytes of an xorshift, after the ID.
  private struct Reports {
    private(set) var storage: InlineArray<16, UInt8>
    private let first: Int
    private var state: UInt64 = 1

    init(id: UInt8) {
      storage = .init(repeating: 0)
      storage[0] = id
      first = id == 0 ? 0 : 1
    }

    mutating func advance() {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      for index in 0..<8 {
        storage[first &+ index] = UInt8(truncatingIfNeeded: state &>> UInt64(8 &* index))
      }
    }
  }

  private static func layout(_ descriptor: [UInt8]) throws -> HIDReportLayout {
    try HIDReportDescriptor(parsing: descriptor).reports[0]
  }

  private static func decode(
    _ descriptor: [UInt8], count: Int, byteCount: Int, id: UInt8
  ) throws {
    let decoder = HIDReportDecoder(try layout(descriptor))
    var values = [Int64](repeating: 0, count: 32)
    var reports = Reports(id: id)
    var sum: UInt64 = 0
    var span = values.mutableSpan
    for round in 0..<count {
      reports.advance()
      let found = decoder.decode(reports.storage.span.extracting(first: byteCount), into: &span)
      sum &+= UInt64(bitPattern: span[round % found])
    }
    // Of few digits: a longer text would be allocated.
    print(UInt32(truncatingIfNeeded: sum))
  }

  private static func changes(
    _ descriptor: [UInt8], count: Int, byteCount: Int, id: UInt8
  ) throws {
    let decoder = HIDReportDecoder(try layout(descriptor))
    var reports = Reports(id: id)
    var previous = reports
    var sum: Int64 = 0
    for _ in 0..<count {
      reports.advance()
      decoder.forEachChange(
        from: previous.storage.span.extracting(first: byteCount),
        to: reports.storage.span.extracting(first: byteCount)
      ) { _, _, value in
        sum &+= value
      }
      previous.advance()
    }
    print(UInt32(truncatingIfNeeded: sum))
  }

  private static func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else {
      perror(path)
      exit(66)
    }
    defer { fclose(file) }
    return [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
      count = fread(buffer.baseAddress, 1, buffer.count, file)
    }
  }
}
