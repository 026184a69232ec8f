// SPDX-License-Identifier: Apache-2.0

/// What was compared, and what was not: each by a rule with a name.
struct AndroidTally: Hashable, Sendable, CustomStringConvertible {
  /// Why something that a test or a device says is not compared.
  enum Rule: String, Hashable, Sendable {
    /// The test waits for a motion and passes over keys that come before it, or for a key and passes over
    /// motions.
    ///
    /// Source: Android's CTS, tests/tests/hardware, InputTestCase.java, waitForKey and waitForMotion.
    case otherKind = "of another kind than the next that is waited for"
    /// Files of the older form do not say what sources they want.
    case noSource = "whose source the file does not say"
  }

  var cases = 0
  var events = 0
  var exceptions: [Rule: Int] = [:]

  mutating func count(_ rule: Rule) { exceptions[rule, default: 0] += 1 }

  var description: String {
    let rest = exceptions.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "; \($0.value) \($0.key.rawValue)" }
    return "\(cases) cases, \(events) events compared\(rest.joined())"
  }
}
