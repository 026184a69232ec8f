// SPDX-License-Identifier: Apache-2.0

import HIDText

/// Bytes of a capture, with the byte order of their numbers.
///
/// A number that reaches beyond the end of the bytes is 0.
struct CaptureBytes {
  private let bytes: ArraySlice<UInt8>
  private let isBigEndian: Bool

  init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  var count: Int { bytes.count }

  /// Returns the bytes from an offset; fewer than requested at the end.
  func bytes(at offset: Int, count: Int = .max) -> ArraySlice<UInt8> {
    bytes.dropFirst(offset).prefix(count)
  }

  /// Returns a part of the bytes with the same byte order.
  func part(at offset: Int, count: Int = .max) -> CaptureBytes {
    CaptureBytes(bytes(at: offset, count: count), isBigEndian: isBigEndian)
  }

  func byte(at offset: Int) -> UInt8 {
    offset < bytes.count ? bytes[bytes.startIndex + offset] : 0
  }

  func half(at offset: Int) -> UInt16 { UInt16(truncatingIfNeeded: number(at: offset, count: 2)) }

  func word(at offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(at: offset, count: 4)) }

  func long(at offset: Int) -> UInt64 { number(at: offset, count: 8) }

  private func number(at offset: Int, count: Int) -> UInt64 {
    guard offset + count <= bytes.count else { return 0 }
    let first = bytes.startIndex + offset
    var value: UInt64 = 0
    for place in 0..<count {
      value = value << 8 | UInt64(bytes[isBigEndian ? first + place : first + count - 1 - place])
    }
    return value
  }
}

/// The part of a file that is kept in memory, so that small packets do not need a read each.
struct CaptureWindow: Sendable {
  private static let byteCount = 256 * 1024

  let source: HIDTraceSource
  private var start = 0
  private var buffer: [UInt8] = []

  init(_ source: HIDTraceSource) { self.source = source }

  /// Returns the bytes from an offset of the file; fewer than requested only at the end.
  mutating func bytes(at offset: Int, count: Int) throws(HIDTraceError) -> ArraySlice<UInt8> {
    if offset < start || offset + count > start + buffer.count {
      buffer = try source.bytes(at: offset, count: max(count, Self.byteCount))
      start = offset
    }
    return buffer.dropFirst(offset - start).prefix(count)
  }
}

extension HIDTraceSource {
  /// Returns a problem of a packet, with the number of the packet as its line.
  func problem(packet: Int, _ message: String, help: String? = nil) -> HIDTextProblem {
    HIDTextProblem(
      file: name, location: HIDTextLocation(line: max(1, packet), column: 1),
      message: "packet \(packet) \(message)", help: help)
  }

  /// Returns a problem of the whole capture.
  func problem(_ message: String, help: String? = nil) -> HIDTextProblem {
    HIDTextProblem(file: name, location: .start, message: message, help: help)
  }
}
