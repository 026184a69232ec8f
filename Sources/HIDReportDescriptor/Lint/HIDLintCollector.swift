// SPDX-License-Identifier: Apache-2.0

/// The findings so far, with a limit for each rule.
struct HIDLintCollector {
  /// The most findings of one rule that are told one by one.
  static let limit = 20

  private struct Omitted {
    var count: Int
    var firstOffset: Int?
    /// The number of rules before it, in the order of their first such finding.
    var order: Int
  }

  private let silenced: Set<HIDLintRule>
  private var found: [HIDLintFinding] = []
  private var counts: [HIDLintRule: Int] = [:]
  private var omitted: [HIDLintRule: Omitted] = [:]
  /// Whether there was a finding that makes Linux refuse the device, silenced or not.
  private(set) var hasRefusal = false

  init(silencing rules: Set<HIDLintRule>) { silenced = rules }

  mutating func add(
    _ rule: HIDLintRule, at offset: Int?, _ explanation: @autoclosure () -> String,
    fix: @autoclosure () -> String? = nil
  ) {
    if rule.severity == .error, rule != .multiplierStopsLinux { hasRefusal = true }
    guard !silenced.contains(rule) else { return }
    counts[rule, default: 0] += 1
    guard counts[rule, default: 0] <= Self.limit else {
      let order = omitted.count
      omitted[rule, default: Omitted(count: 0, firstOffset: offset, order: order)].count += 1
      return
    }
    found.append(
      HIDLintFinding(rule: rule, offset: offset, explanation: explanation(), fix: fix()))
  }

  mutating func add(_ error: HIDReportDescriptorError, fix: @autoclosure () -> String? = nil) {
    add(HIDLintRule(error), at: error.offset, error.explanation, fix: fix())
  }

  /// The findings by place, those of the whole first; at one place the worse first.
  var findings: [HIDLintFinding] {
    let rest = omitted.sorted { $0.value.order < $1.value.order }.map { rule, omitted in
      HIDLintFinding(
        rule: rule, offset: omitted.firstOffset,
        explanation: "\(omitted.count) more like this: \(rule.title)", fix: nil)
    }
    return (found + rest).enumerated().sorted { left, right in
      let places = (left.element.offset ?? -1, right.element.offset ?? -1)
      if places.0 != places.1 { return places.0 < places.1 }
      if left.element.severity != right.element.severity {
        return left.element.severity > right.element.severity
      }
      return left.offset < right.offset
    }.map(\.element)
  }
}
