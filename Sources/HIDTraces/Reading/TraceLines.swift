// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The lines of a trace, one after the other, read in pieces.
package struct TraceLines: Sendable {
  /// How much is read at a time, in bytes.
  private static let pieceByteCount = 256 * 1024
  /// The longest line of text: one with the longest report has 49,200 bytes.
  package static let textLineByteCount = 128 * 1024
  /// The warning about a last line that was cut in its middle.
  static let cutMessage = "the file ends in the middle of this line, which is left out"

  private let source: HIDTraceSource
  private let maximumByteCount: Int
  /// Whether lines are text, which may begin with a byte order mark and have a carriage return at each line's end.
  private let isText: Bool
  /// What was read of the source and not yet handed out, and the line that was handed out last.
  package private(set) var bytes: [UInt8] = []
  /// Where the next line begins in ``bytes``.
  package private(set) var position = 0
  private var offset: Int
  private var isAtEnd = false
  /// The number of the line that was handed out last, from 1.
  package private(set) var number = 0
  /// Whether that line ends with a line break, and not with the bytes.
  package private(set) var isWhole = true

  package init(
    _ source: HIDTraceSource, maximumByteCount: Int = textLineByteCount, isText: Bool = true
  ) {
    self.source = source
    self.maximumByteCount = maximumByteCount
    self.isText = isText
    offset = 0
  }

  /// The next line, without its line break: a range of ``bytes``, until the next call; nil at the end.
  package mutating func next() throws(HIDTraceError) -> Range<Int>? {
    var searched = position
    while true {
      if let end = lineBreak(from: searched) {
        defer { position = end + 1 }
        return line(position..<end, isWhole: true)
      }
      searched = bytes.count - position
      guard searched <= maximumByteCount else {
        throw HIDTraceError(
          HIDTextProblem(
            file: source.name, location: HIDTextLocation(line: number + 1, column: 1),
            message: "this line is longer than \(maximumByteCount) bytes",
            help:
              "traces have no lines of this length; check that the file is a trace, with line breaks"
          ))
      }
      if isAtEnd {
        guard position < bytes.count else { return nil }
        defer { position = bytes.count }
        return line(position..<bytes.count, isWhole: false)
      }
      try readOn()
    }
  }

  /// Passes over a line that was read from ``bytes`` without this.
  ///
  /// - Parameter end: Where the line after it begins.
  package mutating func skip(to end: Int) {
    position = end
    number += 1
    isWhole = true
  }

  /// Keeps what was not handed out yet, at the start of what there is, and reads the next piece behind it.
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
