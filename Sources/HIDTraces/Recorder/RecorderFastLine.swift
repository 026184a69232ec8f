// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A parser of `E:` lines in the form in which hid-recorder and hidsim write them.
///
/// Nearly all lines of nearly all traces have this form.
enum RecorderFastLine {
  /// Reads `E: 000001.250000 8 00 00 04 00 00 00 00 00` if the line has exactly that form, with up
  /// to nine digits of seconds, up to 64 bytes, and an optional blank at the end.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that contain the line.
  ///   - range: The range of the line.
  /// - Returns: The timestamp and the report; nil for any other line, which can still be valid.
  @inline(__always)
  static func parse(
    _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> (microseconds: Int64, report: HIDReportBytes)? {
    var report = InlineArray<64, UInt8>(repeating: 0)
    guard
      let (time, count, end) = fields(bytes, range.lowerBound, range.upperBound, into: &report),
      // The recorder in Rust writes a blank at the end.
      end == range.upperBound || end + 1 == range.upperBound && bytes[end] == 0x20
    else { return nil }
    return (time, HIDReportBytes(inline: report, count: count))
  }

  /// Reads a line such as `E: 000001.250000 2 00 04` with its line break, with up to 64 bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that contain the line.
  ///   - start: The index at which the line begins.
  ///   - report: Receives the bytes of the report, from index 0.
  /// - Returns: The timestamp, the length of the report, and the index of the next line; nil if the
  ///   line has another form or is incomplete.
  @inline(__always)
  static func parse(
    _ bytes: Span<UInt8>, from start: Int, into report: inout InlineArray<64, UInt8>
  ) -> (microseconds: Int64, count: Int, end: Int)? {
    guard let (time, count, last) = fields(bytes, start, bytes.count, into: &report) else {
      return nil
    }
    var end = last
    if end < bytes.count, bytes[end] == 0x20 { end += 1 }
    guard end < bytes.count, bytes[end] == 0x0A else { return nil }
    return (time, count, end + 1)
  }

  @inline(__always)
  private static func fields(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, into report: inout InlineArray<64, UInt8>
  ) -> (microseconds: Int64, count: Int, end: Int)? {
    var at = start
    // The shortest line is "E: 0.000000 0".
    guard end - at >= 13, bytes[at] == 0x45, bytes[at + 1] == 0x3A, bytes[at + 2] == 0x20 else {
      return nil
    }
    at += 3
    guard let seconds = number(bytes, &at, end), at < end, bytes[at] == 0x2E else { return nil }
    at += 1
    let fraction = at
    guard let micros = number(bytes, &at, end), at - fraction == 6, at < end, bytes[at] == 0x20
    else { return nil }
    at += 1
    guard let count = number(bytes, &at, end), count <= 64, at + 3 * Int(count) <= end else {
      return nil
    }
    for index in 0..<Int(count) {
      guard bytes[at] == 0x20, let high = digit(bytes[at + 1]), let low = digit(bytes[at + 2])
      else { return nil }
      report[index] = high << 4 | low
      at += 3
    }
    return (seconds * 1_000_000 + micros, Int(count), at)
  }

  /// Reads one to nine decimal digits; nil if there are none or more.
  @inline(__always)
  private static func number(_ bytes: Span<UInt8>, _ at: inout Int, _ end: Int) -> Int64? {
    let start = at
    var value: Int64 = 0
    while at < end {
      let digit = bytes[at] &- 0x30
      guard digit < 10 else { break }
      value = value &* 10 &+ Int64(digit)
      at += 1
      guard at - start <= 9 else { return nil }
    }
    return at > start ? value : nil
  }

  @inline(__always)
  private static func digit(_ byte: UInt8) -> UInt8? {
    let decimal = byte &- 0x30
    if decimal < 10 { return decimal }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }
}
