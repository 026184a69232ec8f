// SPDX-License-Identifier: Apache-2.0

public import HIDTraces

/// Why a script stopped: which line, what was awaited, and what came instead.
public struct HIDScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, and what went wrong there.
  public let problem: HIDTextProblem
  /// What happened instead since the line was reached: an event a line, the newest last.
  public let instead: [String]

  /// The place, the problem, and what came instead.
  public var description: String {
    let lines = [problem.description] + (instead.isEmpty ? ["  nothing came instead"] : instead)
    return lines.joined(separator: "\n")
  }
}
