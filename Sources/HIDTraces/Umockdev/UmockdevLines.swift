// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The lines of a file; any bytes but LF can stand in them.
struct UmockdevLines: Sendable {
  /// One line, without its end.
  struct Line: Sendable {
    var bytes: ArraySlice<UInt8>
    /// Its number, from 1.
    var number: Int
    /// Whether a line end follows, and not the end of the file.
    var hasEnd: Bool

    /// The place of one of its bytes; columns count bytes, since scripts are no text.
    func place(_ index: Int? = nil) -> HIDTextLocation {
      HIDTextLocation(line: number, column: (index ?? bytes.startIndex) - bytes.startIndex + 1)
    }
  }

  /// The longest line, in bytes: reads that follow each other fast make one of all their reports.
  static let maximumByteCount = 16 << 20

  private var lines: TraceLines

  init(_ source: HIDTraceSource) {
    lines = TraceLines(source, maximumByteCount: Self.maximumByteCount, isText: false)
  }

  /// Reads the next line; nil at the end.
  ///
  /// - Throws: That the file cannot be read; that the line is too long.
  mutating func next() throws(HIDTraceError) -> Line? {
    guard let range = try lines.next() else { return nil }
    return Line(bytes: lines.bytes[range], number: lines.number, hasEnd: lines.isWhole)
  }
}

/// What is wrong and what is odd in the files of one trace.
struct UmockdevFindings: Sendable {
  static let maximumProblemCount = 20

  let isLenient: Bool
  private(set) var problems: [HIDTextProblem] = []
  private(set) var warnings = TraceWarnings()

  init(isLenient: Bool) { self.isLenient = isLenient }

  /// Whether so much is wrong that nothing more is to be found.
  var isFull: Bool { problems.count >= Self.maximumProblemCount }

  mutating func fail(_ problem: HIDTextProblem) { if !isFull { problems.append(problem) } }

  /// Adds what is a problem, unless the trace is read leniently.
  mutating func doubt(_ problem: HIDTextProblem) {
    if isLenient { warnings.add(problem) } else { fail(problem) }
  }

  mutating func warn(_ problem: HIDTextProblem) { warnings.add(problem) }

  /// - Throws: What is wrong, if anything is.
  func check() throws(HIDTraceError) {
    guard problems.isEmpty else { throw HIDTraceError(problems: problems) }
  }
}
