// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A script's rules for the answers of a device, which take precedence over the device file.
struct ScriptedAnswers: Sendable {
  typealias Reply = HIDAnswerPolicy.Reply

  private struct Rule: Sendable {
    let request: HIDReportRequest
    let reply: Reply
  }

  /// The rules for one request each, in the order in which they were added.
  private var once: [Rule] = []
  /// The rules for all such requests.
  private var always: [HIDReportRequest: Reply] = [:]

  /// Adds a rule for the next matching request, or sets the rule for all matching requests.
  mutating func answer(
    _ request: HIDReportRequest, with reply: Reply, isOnce: Bool
  ) {
    if isOnce { once.append(Rule(request: request, reply: reply)) } else { always[request] = reply }
  }

  /// Removes all rules for a request.
  mutating func forget(_ request: HIDReportRequest) {
    once.removeAll { $0.request == request }
    always[request] = nil
  }

  /// Returns the reply to a request, and removes its rule if the rule is for one request.
  ///
  /// - Returns: The reply; nil if no rule matches.
  mutating func reply(to request: HIDReportRequest) -> Reply? {
    if let index = once.firstIndex(where: { $0.request == request }) {
      return once.remove(at: index).reply
    }
    return always[request]
  }
}
