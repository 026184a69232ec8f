// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// The failure of a script at a line: the problem, and the events that came instead.
public struct HIDScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line and the description of the failure.
  public let problem: HIDTextProblem
  /// The events that came instead, one line of text each, the newest last.
  ///
  /// They are, for example, the events since the last met expectation or since the line was
  /// reached. The array is empty if none came, and if the failure is not about events.
  public let instead: [String]
  /// True if the failure lists the events that came instead, even if there were none.
  let hasAwaited: Bool

  /// The location, the problem and the events that came instead.
  public var description: String {
    let came = hasAwaited && instead.isEmpty ? ["  nothing came instead"] : instead
    return ([problem.description] + came).joined(separator: "\n")
  }
}

/// The error for a script that was stopped because its task was cancelled or its session ended.
public struct HIDScriptStop: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file of the command at which the script was stopped.
  public let file: String
  /// The location of the command at which the script was stopped.
  public let location: HIDTextLocation

  /// The location, as in `caps.hidscript:5:1`.
  public var description: String { "\(file):\(location)" }
}
