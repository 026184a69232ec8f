// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// Why a script stopped: which line, what was awaited, and what came instead.
public struct HIDScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, and what went wrong there.
  public let problem: HIDTextProblem
  /// What happened instead since the last expectation that was met, or since the line was reached: an event a line, the newest last.
  public let instead: [String]
  /// Whether something was awaited, in whose place something can have come.
  let hasAwaited: Bool

  /// The place, the problem, and what came instead.
  public var description: String {
    let came = hasAwaited && instead.isEmpty ? ["  nothing came instead"] : instead
    return ([problem.description] + came).joined(separator: "\n")
  }
}

/// Where a script was when its task was cancelled before it came to its end.
public struct HIDScriptStop: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the script is called.
  public let file: String
  /// The command that was not done with.
  public let location: HIDTextLocation

  /// The place, as in `caps.hidscript:5:1`.
  public var description: String { "\(file):\(location)" }
}
