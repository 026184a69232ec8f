// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of the lines of a file, which can contain any bytes except LF.
struct UmockdevLines: Sendable {
  /// One line, without its line break.
  struct Line: Sendable {
    var bytes: ArraySlice<UInt8>
    /// The number of the line, from 1.
    var number: Int
    /// True if a line break ends the line, false if the end of the file does.
    var hasEnd: Bool

    /// Returns the location of one of its bytes.
    ///
    /// Columns count bytes, because scripts are not text.
    func place(_ index: Int? = nil) -> HIDTextLocation {
      HIDTextLocation(line: number, column: (index ?? bytes.startIndex) - bytes.startIndex + 1)
    }
  }

  /// The longest line, in bytes.
  ///
  /// A line can be long because umockdev combines reads that follow each other.
  static let maximumByteCount = 16 << 20

  private var lines: TraceLines

  init(_ source: HIDTraceSource) {
    lines = TraceLines(source, maximumByteCount: Self.maximumByteCount, isText: false)
  }

  /// Reads the next line; nil at the end.
  ///
  /// - Throws: An error if the file cannot be read, or if the line is too long.
  mutating func next() throws(HIDTraceError) -> Line? {
    guard let range = try lines.next() else { return nil }
    return Line(bytes: lines.bytes[range], number: lines.number, hasEnd: lines.isWhole)
  }
}

/// The problems in the files of one trace, and the warnings about them.
struct UmockdevFindings: Sendable {
  static let maximumProblemCount = 20

  let isLenient: Bool
  private(set) var problems: [HIDTextProblem] = []
  private(set) var warnings = TraceWarnings()

  init(isLenient: Bool) { self.isLenient = isLenient }

  /// True if there are so many problems that reading can stop.
  var isFull: Bool { problems.count >= Self.maximumProblemCount }

  mutating func fail(_ problem: HIDTextProblem) { if !isFull { problems.append(problem) } }

  /// Adds a problem, or a warning if the trace is read leniently.
  mutating func doubt(_ problem: HIDTextProblem) {
    if isLenient { warnings.add(problem) } else { fail(problem) }
  }

  mutating func warn(_ problem: HIDTextProblem) { warnings.add(problem) }

  /// Throws the problems, if there are any.
  func check() throws(HIDTraceError) {
    guard problems.isEmpty else { throw HIDTraceError(problems: problems) }
  }
}
