// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// Why bytes are not a trace.
public struct HIDTraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, the first in the file first; never empty.
  public var problems: [HIDTextProblem]

  /// Creates an error from what is wrong.
  public init(problems: [HIDTextProblem]) { self.problems = problems }

  /// Creates an error from the one thing that is wrong.
  public init(_ problem: HIDTextProblem) { problems = [problem] }

  /// The problems, one a line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The warnings of one trace, up to a hundred of them.
package struct TraceWarnings: Sendable {
  private static let capacity = 100
  package private(set) var problems: [HIDTextProblem] = []

  package init() {}

  package mutating func add(_ problem: HIDTextProblem) {
    guard problems.count <= Self.capacity else { return }
    guard problems.count == Self.capacity else { return problems.append(problem) }
    problems.append(
      HIDTextProblem(
        file: problem.file, location: problem.location, message: "more warnings are left out"))
  }
}
