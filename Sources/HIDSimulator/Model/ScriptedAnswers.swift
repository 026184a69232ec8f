// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A script's rules for the answers of a device, which take precedence over the device file.
struct ScriptedAnswers: Sendable {
  typealias Reply = HIDAnswerPolicy.Reply

  private struct Rule: Sendable {
    let pattern: HIDScript.HostEventPattern
    let reply: Reply
  }

  /// The rules for one request each, in the order in which they were added.
  private var once: [Rule] = []
  /// The rule for all requests of each kind.
  private var always: [HIDScript.HostEventPattern: Reply] = [:]

  /// Adds a rule for the next matching request, or sets the rule for all matching requests.
  mutating func answer(
    _ pattern: HIDScript.HostEventPattern, with reply: Reply, isOnce: Bool
  ) {
    if isOnce { once.append(Rule(pattern: pattern, reply: reply)) } else { always[pattern] = reply }
  }

  /// Removes all rules for a kind of request.
  mutating func forget(_ pattern: HIDScript.HostEventPattern) {
    once.removeAll { $0.pattern == pattern }
    always[pattern] = nil
  }

  /// Returns the reply to a request, and removes its rule if the rule is for one request.
  ///
  /// - Returns: The reply; nil if no rule matches.
  mutating func reply(
    to name: HIDEventName, _ type: HIDReportType, _ id: HIDReportID?
  ) -> Reply? {
    let pattern = HIDScript.HostEventPattern(name: name, type: type, id: id, bytes: nil)
    if let index = once.firstIndex(where: { $0.pattern == pattern }) {
      return once.remove(at: index).reply
    }
    return always[pattern]
  }
}
