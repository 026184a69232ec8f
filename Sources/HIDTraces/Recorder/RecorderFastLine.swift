// SPDX-License-Identifier: Apache-2.0

import HIDText
import IOLoop

/// The `E:` lines as hid-recorder and hidsim write them: nearly all lines of nearly all traces.
enum RecorderFastLine {
  /// Reads `E: 000001.250000 8 00 00 04 00 00 00 00 00`, if the line is exactly of that form.
  ///
  /// - Parameters:
  ///   - bytes: What the line stands in.
  ///   - range: The line.
  /// - Returns: The stamp and the report; nil for any other line, which may be right all the same.
  @inline(__always)
  static func parse(
    _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> (microseconds: Int64, report: HIDReportBytes)? {
    var report = InlineArray<64, UInt8>(repeating: 0)
    guard
      let (time, count, end) = fields(bytes, range.lowerBound, range.upperBound, into: &report),
      // The recorder in Rust leaves a blank at the end.
      end == range.upperBound || end + 1 == range.upperBound && bytes[end] == 0x20
    else { return nil }
    return (time, HIDReportBytes(inline: report, count: count))
  }

  /// Reads such a line with its line break.
  ///
  /// - Parameters:
  ///   - bytes: What the line stands in.
  ///   - start: Where it begins.
  ///   - report: Where the bytes of the report are put, the first of it.
  /// - Returns: The stamp, how many bytes the report has, and where the next line begins; nil for a line that is of another
  ///   form, or not there to its end.
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
    // The shortest: "E: 0.000000 0".
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

  /// Reads one to nine decimal digits.
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
