// SPDX-License-Identifier: Apache-2.0

/// The number of compared cases and events, and of those that were not compared, by rule.
struct AndroidTally: Hashable, Sendable, CustomStringConvertible {
  /// The reasons for which an event or a property is not compared.
  enum Rule: String, Hashable, Sendable {
    /// The test waits for a motion and skips the keys before it, or waits for a key and skips the
    /// motions before it.
    ///
    /// Source: Android's CTS, tests/tests/hardware, InputTestCase.java, waitForKey and
    /// waitForMotion.
    case otherKind = "of another kind than the next that is waited for"
    /// Files of the older form do not name the sources of their events.
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
