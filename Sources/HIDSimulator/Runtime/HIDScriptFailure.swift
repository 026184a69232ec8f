// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// The failure of a script at a line: the expectation, and the events that came instead.
public struct HIDScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line and the description of the failure.
  public let problem: HIDTextProblem
  /// Events that came instead, such as those since the last met expectation or since the line was
  /// reached, each as one line of text, the newest last.
  public let instead: [String]
  /// True if the failed command waited for events, so that others can have come instead.
  let hasAwaited: Bool

  /// The location, the problem and the events that came instead.
  public var description: String {
    let came = hasAwaited && instead.isEmpty ? ["  nothing came instead"] : instead
    return ([problem.description] + came).joined(separator: "\n")
  }
}

/// The location of a script when its task or its session ended before the script did.
public struct HIDScriptStop: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file in which the command stands.
  public let file: String
  /// The command that was not completed.
  public let location: HIDTextLocation

  /// The location, as in `caps.hidscript:5:1`.
  public var description: String { "\(file):\(location)" }
}
