// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Foundation
import HIDReportDescriptor

/// The lines of an oracle's file, one a descriptor.
enum OracleLines {
  /// Calls the body with the name and the text of each descriptor's line.
  ///
  /// The text is not decoded: some files unpack to 90 MB.
  static func forEach(
    in file: String, _ body: (_ name: String, _ line: String) throws -> Void
  ) throws {
    let text = Array(try DescriptorCorpus.text(unpacking: file).utf8)
    let head = "{\"file\":\"".utf8.count
    var start = 0
    while start < text.count {
      let end = index(of: UInt8(ascii: "\n"), in: text, from: start)
      let nameStart = min(start + head, end)
      let nameEnd = min(index(of: UInt8(ascii: "\""), in: text, from: nameStart), end)
      let name = String(decoding: text[nameStart..<nameEnd], as: UTF8.self)
      try body(name, String(decoding: text[start..<end], as: UTF8.self))
      start = end + 1
    }
  }

  /// Returns the next index of a byte, or the end; uses `memchr`, because loops are slow in debug
  /// builds.
  private static func index(of byte: UInt8, in text: [UInt8], from start: Int) -> Int {
    text.withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, Int32(byte), bytes.count - start)
      else { return bytes.count }
      return UnsafeRawPointer(found) - base
    }
  }

  /// Returns the descriptor in a file of the corpus.
  ///
  /// The file has bytes in hex, or a device for Android's `hid` command.
  static func descriptor(_ file: String) throws -> [UInt8] {
    struct Device: Decodable {
      var descriptor: [UInt8]
    }
    guard file.hasSuffix(".json") else { return try DescriptorCorpus.bytes(file) }
    let text = try DescriptorCorpus.text(file)
    return try JSONDecoder().decode(Device.self, from: Data(text.utf8)).descriptor
  }

  /// Returns the error in a line; `nil` if the line has a reading.
  static func error(_ line: String, file: String) -> String? {
    let head = "{\"file\":\"\(file)\",\"error\":\""
    return line.hasPrefix(head) ? String(line.dropFirst(head.count).dropLast(2)) : nil
  }

  /// Returns whether an error is that of a reader without limits, for a descriptor that needs
  /// limits.
  static func isExhaustion(_ error: String, of bytes: [UInt8]) -> Bool {
    guard error.hasPrefix("Late") || error.hasPrefix("MemoryError") else { return false }
    var total: UInt64 = 0
    var count: UInt64 = 0
    var page: UInt64 = 0
    var minimum: UInt64 = 0
    for item in (try? HIDItem.decodeAll(bytes)) ?? [] {
      let usage = UInt64(item.data) | (item.dataByteCount > 2 ? 0 : page << 16)
      switch item.tag {
      case .usagePage: page = UInt64(item.data)
      case .reportCount: count = UInt64(item.data)
      case .usageMinimum: minimum = usage
      case .usageMaximum: total += usage > minimum ? usage - minimum : 0
      case .input, .output, .feature: total += count
      default: break
      }
    }
    return total > 100_000
  }
}
