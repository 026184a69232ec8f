// SPDX-License-Identifier: Apache-2.0

/// The findings so far, with a limit for each rule.
struct HIDLintCollector {
  /// The number of findings of one rule that are listed individually.
  static let limit = 20

  private struct Omitted {
    var count: Int
    var firstOffset: Int?
    /// The index of the rule among the rules with omitted findings.
    var order: Int
  }

  private let silenced: Set<HIDLintRule>
  private var found: [HIDLintFinding] = []
  private var counts: [HIDLintRule: Int] = [:]
  private var omitted: [HIDLintRule: Omitted] = [:]
  /// True if a finding, silenced or not, makes Linux refuse the device.
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

  /// The findings, sorted by offset; findings about the whole descriptor come first.
  ///
  /// At one offset, the more severe findings come first.
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
