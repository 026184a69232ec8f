// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The results of a comparison with an oracle: differences with a rule, and unexplained ones.
struct OracleFindings {
  /// A position in a descriptor's reports that a rule explains.
  struct Place: Hashable {
    var type: HIDReportType
    /// The report ID in hidsim's reading; -1 if there is none.
    var id: Int64
    /// The number of bits in the payload before the field, in hidsim's reading.
    var bitOffset: Int
  }

  /// The rules that apply to the descriptor, with the positions that they explain.
  private(set) var rules: [OracleRule: Set<Place>] = [:]
  /// Differences without a rule.
  private(set) var unexplained: [String] = []

  mutating func note(_ rule: OracleRule, at place: Place? = nil) {
    rules[rule, default: []].formUnion(place.map { [$0] } ?? [])
  }

  mutating func fail(_ difference: String) { unexplained.append(difference) }

  /// Records a difference under the rule that explains it, or as unexplained.
  mutating func check<Value: Equatable>(
    _ what: String, ours: Value, theirs: Value, at place: Place,
    rule: @autoclosure () -> OracleRule?
  ) {
    guard ours != theirs else { return }
    if let rule = rule() {
      note(rule, at: place)
    } else {
      fail("\(place.type) \(place.id) bit \(place.bitOffset): \(what) \(ours), theirs \(theirs)")
    }
  }
}
