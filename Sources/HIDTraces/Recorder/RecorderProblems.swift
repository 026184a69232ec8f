// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The problems of a text, and the warnings about it.
struct RecorderProblems: Sendable {
  static let capacity = 20

  let file: String
  private let isLenient: Bool
  /// True while a last line that may be cut is parsed.
  ///
  /// ``doubt(_:at:help:)`` then adds a problem even if reading is lenient.
  var isCut = false
  /// The number of the current line.
  var line = 0
  private(set) var problems: [HIDTextProblem] = []
  private(set) var warnings = TraceWarnings()

  init(file: String, isLenient: Bool) {
    self.file = file
    self.isLenient = isLenient
  }

  var isFull: Bool { problems.count >= Self.capacity }

  mutating func fail(_ message: String, at column: Int, help: String? = nil) {
    fail(message, at: HIDTextLocation(line: line, column: column), help: help)
  }

  mutating func fail(_ message: String, at location: HIDTextLocation, help: String? = nil) {
    guard !isFull else { return }
    problems.append(
      HIDTextProblem(file: file, location: location, message: message, help: help))
  }

  /// Adds a problem; if reading is lenient and the line is not cut (``isCut``), adds a warning.
  ///
  /// - Returns: True if only a warning was added: the caller then uses the value as it is.
  @discardableResult
  mutating func doubt(_ message: String, at column: Int, help: String? = nil) -> Bool {
    let goesOn = isLenient && !isCut
    if goesOn {
      warn(message, at: column, help: help)
    } else {
      fail(message, at: column, help: help)
    }
    return goesOn
  }

  mutating func warn(_ message: String, at column: Int, help: String? = nil) {
    warnings.add(
      HIDTextProblem(
        file: file, location: HIDTextLocation(line: line, column: column), message: message,
        help: help))
  }

  /// Replaces the problems of the last line of a cut file with a warning.
  ///
  /// - Parameter count: The number of problems before that line.
  /// - Returns: True if the line had a problem.
  mutating func forgiveCutLine(since count: Int) -> Bool {
    guard problems.count > count else { return false }
    problems.removeLast(problems.count - count)
    warn(TraceLines.cutMessage, at: 1)
    return true
  }

  /// Throws the problems, if there are any.
  func check() throws(HIDTraceError) {
    guard problems.isEmpty else {
      throw HIDTraceError(problems: problems.sorted { $0.location < $1.location })
    }
  }
}
