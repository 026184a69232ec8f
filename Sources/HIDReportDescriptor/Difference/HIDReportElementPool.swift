// SPDX-License-Identifier: Apache-2.0

/// The runs of one report that are not yet paired with runs of another report.
///
/// A run is a series of controls: see ``HIDReportElementRun``.
///
/// Runs are grouped by collection, and by array or variable. A search looks at one group only. It
/// skips the empty entries at the front of the group, because the next match is mostly just behind
/// them.
struct HIDReportElementPool {
  /// The properties that both runs of a pair share.
  private struct Key: Hashable {
    let collection: String
    let isArray: Bool

    init(_ run: HIDReportElementRun) {
      collection = run.collection
      isArray = run.slotCount != nil
    }
  }

  /// The indices of the runs with one key, and the number of empty entries at the front.
  private struct Group {
    var places: [Int] = []
    var emptyCount = 0
  }

  /// The parts of each run that are not yet paired, in order.
  private var places: [[HIDReportElementRun]] = []
  private var groups: [Key: Group] = [:]

  init(_ runs: [HIDReportElementRun]) {
    for (place, run) in runs.enumerated() {
      places.append([run])
      groups[Key(run), default: Group()].places.append(place)
    }
  }

  /// The parts of runs that are not paired, in order.
  var rest: [HIDReportElementRun] { places.flatMap(\.self) }

  /// Removes the usages of `other` from the first run that has the same key and shares a usage.
  ///
  /// The parts of the run whose usages are outside `other` stay in the pool.
  ///
  /// - Returns: The found run as it was before, with all its usages; `nil` if no run matches.
  mutating func take(overlapping other: HIDReportElementRun) -> HIDReportElementRun? {
    let key = Key(other)
    guard var group = groups[key] else { return nil }
    while group.emptyCount < group.places.count, places[group.places[group.emptyCount]].isEmpty {
      group.emptyCount += 1
    }
    groups[key] = group
    for place in group.places[group.emptyCount...] {
      for (index, run) in places[place].enumerated() where run.overlaps(other) {
        var left: [HIDReportElementRun] = []
        if run.first < other.first { left.append(run.cut(run.first, other.first - 1)) }
        if run.last > other.last { left.append(run.cut(other.last + 1, run.last)) }
        places[place].replaceSubrange(index...index, with: left)
        return run
      }
    }
    return nil
  }
}
