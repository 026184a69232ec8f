// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// The problems that make bytes unreadable as a trace.
public struct HIDTraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems; at least one in an error that hidsim throws.
  public var problems: [HIDTextProblem]

  /// Creates an error from problems.
  public init(problems: [HIDTextProblem]) { self.problems = problems }

  /// Creates an error from one problem.
  public init(_ problem: HIDTextProblem) { problems = [problem] }

  /// The problems, one per line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Returns the warning about given report descriptors that no device of a trace needs.
func unusedDescriptors(_ count: Int, in file: String) -> HIDTextProblem {
  HIDTextProblem(
    file: file, location: .start,
    message: "\(count) of the given report descriptors \(count == 1 ? "is" : "are") not used",
    help: "each device of the recording already has one")
}

/// The warnings of one trace: up to a hundred, and then a warning that there are more.
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
