// SPDX-License-Identifier: Apache-2.0

import HIDText

/// What is wrong in a text, and what is odd in it.
struct RecorderProblems: Sendable {
  static let capacity = 20

  let file: String
  private let isLenient: Bool
  /// Whether what is read is the end of a file that was cut, where nothing that is odd is meant.
  var isCut = false
  /// The line that is read.
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

  /// An error, or a warning where the caller asked for leniency: then what is odd is used as it is.
  ///
  /// - Returns: Whether to go on.
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

  /// Takes back what is wrong with the last line of a file that was cut in its middle.
  ///
  /// - Returns: Whether anything was.
  mutating func forgiveCutLine(since count: Int) -> Bool {
    guard problems.count > count else { return false }
    problems.removeLast(problems.count - count)
    warn(TraceLines.cutMessage, at: 1)
    return true
  }

  /// Throws what is wrong, if anything is.
  func check() throws(HIDTraceError) {
    guard problems.isEmpty else {
      throw HIDTraceError(problems: problems.sorted { $0.location < $1.location })
    }
  }
}
