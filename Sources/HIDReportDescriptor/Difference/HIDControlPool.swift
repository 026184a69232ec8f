// SPDX-License-Identifier: Apache-2.0

/// Runs of one descriptor that are still to be paired with those of another.
///
/// They are found by what they are for; only those for the same are looked through, and of these none that is gone already at
/// the front, where the next one mostly is.
struct HIDControlPool {
  /// What both runs of a pair are for.
  private struct Key: Hashable {
    let collection: String
    let isArray: Bool

    init(_ run: HIDControlRun) {
      collection = run.collection
      isArray = run.slotCount != nil
    }
  }

  /// The places of the runs for the same, and how many of them are empty at the front.
  private struct Group {
    var places: [Int] = []
    var emptyCount = 0
  }

  /// What is left of each run, in order.
  private var places: [[HIDControlRun]] = []
  private var groups: [Key: Group] = [:]

  init(_ runs: [HIDControlRun]) {
    for (place, run) in runs.enumerated() {
      places.append([run])
      groups[Key(run), default: Group()].places.append(place)
    }
  }

  /// What nothing was paired with, in order.
  var rest: [HIDControlRun] { places.flatMap(\.self) }

  /// Takes the first run that is for the same and has a usage of another; what goes beyond stays.
  ///
  /// - Returns: The run with all its usages; `nil` where there is none.
  mutating func take(overlapping other: HIDControlRun) -> HIDControlRun? {
    let key = Key(other)
    guard var group = groups[key] else { return nil }
    while group.emptyCount < group.places.count, places[group.places[group.emptyCount]].isEmpty {
      group.emptyCount += 1
    }
    groups[key] = group
    for place in group.places[group.emptyCount...] {
      for (index, run) in places[place].enumerated() where run.overlaps(other) {
        var left: [HIDControlRun] = []
        if run.first < other.first { left.append(run.cut(run.first, other.first - 1)) }
        if run.last > other.last { left.append(run.cut(other.last + 1, run.last)) }
        places[place].replaceSubrange(index...index, with: left)
        return run
      }
    }
    return nil
  }
}
