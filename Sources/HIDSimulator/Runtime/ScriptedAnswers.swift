// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// How a script has a device answer requests: what it says comes before everything else.
struct ScriptedAnswers: Sendable {
  /// How one request is answered.
  struct Reply: Hashable, Sendable {
    let answer: HIDScript.Answer
    /// How much later than at once.
    let delay: Duration
  }

  private struct Rule: Sendable {
    let pattern: HIDScript.HostEventPattern
    let reply: Reply
  }

  /// In the order in which they were given; each is used up by one request.
  private var once: [Rule] = []
  /// One for each kind of request.
  private var always: [HIDScript.HostEventPattern: Reply] = [:]

  /// Adds a rule for the next matching request that has none yet, or replaces that for all of them.
  mutating func answer(
    _ pattern: HIDScript.HostEventPattern, with reply: Reply, isOnce: Bool
  ) {
    if isOnce { once.append(Rule(pattern: pattern, reply: reply)) } else { always[pattern] = reply }
  }

  /// Drops all rules for a kind of request.
  mutating func forget(_ pattern: HIDScript.HostEventPattern) {
    once.removeAll { $0.pattern == pattern }
    always[pattern] = nil
  }

  /// How a request is answered; nil where the script does not say.
  mutating func reply(
    to kind: HIDScript.HostEventKind, _ type: HIDReportType, _ id: HIDReportID?
  ) -> Reply? {
    let pattern = HIDScript.HostEventPattern(kind: kind, type: type, id: id, bytes: nil)
    if let index = once.firstIndex(where: { $0.pattern == pattern }) {
      return once.remove(at: index).reply
    }
    return always[pattern]
  }
}
