// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of the lines of a trace, which reads its bytes in pieces.
package struct TraceLines: Sendable {
  /// The number of bytes that are read at a time.
  private static let pieceByteCount = 256 * 1024
  /// The longest line of text, in bytes; a line with the longest report has some 49,200.
  package static let textLineByteCount = 128 * 1024
  /// The warning about a last line that is cut off.
  static let cutMessage = "the file ends in the middle of this line, which is left out"

  private let source: HIDTraceSource
  private let maximumByteCount: Int
  /// True if the lines are text, with an optional byte order mark and optional carriage returns.
  private let isText: Bool
  /// The bytes in memory: the line that was returned last, bytes after it, and perhaps before it.
  package private(set) var bytes: [UInt8] = []
  /// The index in ``bytes`` at which the next line begins.
  package private(set) var position = 0
  private var offset: Int
  private var isAtEnd = false
  /// The number of the line that was returned or skipped last, from 1; 0 before the first line.
  package private(set) var number = 0
  /// True if a line break ends the line that was returned last, false if the end of the bytes does.
  package private(set) var isWhole = true

  package init(
    _ source: HIDTraceSource, maximumByteCount: Int = textLineByteCount, isText: Bool = true
  ) {
    self.source = source
    self.maximumByteCount = maximumByteCount
    self.isText = isText
    offset = 0
  }

  /// Reads the next line without its line break; nil at the end.
  ///
  /// - Returns: A range of ``bytes`` that is valid until the next call.
  /// - Throws: An error if the source cannot be read, or if a line is too long.
  package mutating func next() throws(HIDTraceError) -> Range<Int>? {
    var searched = position
    while true {
      let found = lineBreak(from: searched)
      guard (found ?? bytes.count) - position <= maximumByteCount else {
        throw HIDTraceError(
          HIDTextProblem(
            file: source.name, location: HIDTextLocation(line: number + 1, column: 1),
            message: "this line is longer than \(maximumByteCount) bytes",
            help:
              "traces have no lines of this length; check that the file is a trace, with line breaks"
          ))
      }
      if let end = found {
        defer { position = end + 1 }
        return line(position..<end, isWhole: true)
      }
      if isAtEnd {
        guard position < bytes.count else { return nil }
        defer { position = bytes.count }
        return line(position..<bytes.count, isWhole: false)
      }
      searched = bytes.count - position
      try readOn()
    }
  }

  /// Skips a line that the caller has read from ``bytes`` directly.
  ///
  /// - Parameter end: The index at which the line after it begins.
  package mutating func skip(to end: Int) {
    position = end
    number += 1
    isWhole = true
  }

  /// Moves the bytes that are not used yet to the start, and reads the next piece after them.
  private mutating func readOn() throws(HIDTraceError) {
    bytes.removeFirst(position)
    position = 0
    let piece = try source.bytes(at: offset, count: Self.pieceByteCount)
    isAtEnd = piece.count < Self.pieceByteCount
    offset += piece.count
    if bytes.isEmpty { bytes = piece } else { bytes += piece }
  }

  private func lineBreak(from start: Int) -> Int? {
    let span = bytes.span
    var index = start
    while index < span.count {
      if span[index] == 0x0A { return index }
      index += 1
    }
    return nil
  }

  private mutating func line(_ range: Range<Int>, isWhole: Bool) -> Range<Int> {
    number += 1
    self.isWhole = isWhole
    guard isText else { return range }
    var range = range
    if number == 1, bytes[range].starts(with: [0xEF, 0xBB, 0xBF]) {
      range = range.lowerBound + 3..<range.upperBound
    }
    let hasReturn = !range.isEmpty && bytes[range.upperBound - 1] == 0x0D
    return hasReturn ? range.lowerBound..<range.upperBound - 1 : range
  }
}
