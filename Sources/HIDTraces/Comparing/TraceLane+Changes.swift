// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor

extension TraceLane {
  /// The largest number of event pairs whose costs are compared.
  private static let weighedCount = 1024
  private static let lonelyCost = 100

  /// Passes two ranges of events to `body` as missing, added or changed, at the lowest total cost.
  ///
  /// If there are more than 1,024 pairs to compare, events are paired in their order instead.
  func change(_ ones: Range<Int>, _ others: Range<Int>, _ body: (Outcome) -> Void) {
    if ones.isEmpty || others.isEmpty || ones.count * others.count > Self.weighedCount {
      return changeInOrder(ones, others, body)
    }
    // The lowest cost from each pair of positions to the end.
    let width = others.count + 1
    var costs = [Int](repeating: 0, count: (ones.count + 1) * width)
    for one in (0...ones.count).reversed() {
      for other in (0...others.count).reversed() {
        var best = Int.max
        if one < ones.count { best = costs[(one + 1) * width + other] + Self.lonelyCost }
        if other < others.count {
          best = min(best, costs[one * width + other + 1] + Self.lonelyCost)
        }
        if one < ones.count, other < others.count,
          let cost = cost(ones.lowerBound + one, others.lowerBound + other)
        {
          best = min(best, costs[(one + 1) * width + other + 1] + cost)
        }
        costs[one * width + other] = best == .max ? 0 : best
      }
    }
    var one = 0
    var other = 0
    while one < ones.count || other < others.count {
      let here = costs[one * width + other]
      if one < ones.count, other < others.count,
        let cost = cost(ones.lowerBound + one, others.lowerBound + other),
        here == costs[(one + 1) * width + other + 1] + cost
      {
        body(.changed(first[ones.lowerBound + one], second[others.lowerBound + other]))
        one += 1
        other += 1
      } else if one < ones.count, here == costs[(one + 1) * width + other] + Self.lonelyCost {
        body(.missing(first[ones.lowerBound + one]))
        one += 1
      } else {
        body(.added(second[others.lowerBound + other]))
        other += 1
      }
    }
  }

  private func changeInOrder(
    _ ones: Range<Int>, _ others: Range<Int>, _ body: (Outcome) -> Void
  ) {
    let count = min(ones.count, others.count)
    for (one, other) in zip(ones, others) {
      if isComparable(one, other) {
        body(.changed(first[one], second[other]))
      } else {
        body(.missing(first[one]))
        body(.added(second[other]))
      }
    }
    for one in ones.dropFirst(count) { body(.missing(first[one])) }
    for other in others.dropFirst(count) { body(.added(second[other])) }
  }

  /// Returns whether one event can be a change of the other: both have the same name, report
  /// type and report ID.
  private func isComparable(_ one: Int, _ other: Int) -> Bool {
    let before = first[one].event.kind
    let after = second[other].event.kind
    return before.name == after.name && before.reportType == after.reportType
      && before.reportID(on: descriptor) == after.reportID(on: descriptor)
  }

  /// Returns the cost of a pair as one changed event; nil if the events are not comparable.
  ///
  /// It is below the cost of one missing and one added event. It grows with the share of the first
  /// 64 bytes that differ.
  private func cost(_ one: Int, _ other: Int) -> Int? {
    guard isComparable(one, other) else { return nil }
    guard let before = first[one].key.reportBytes, let after = second[other].key.reportBytes else {
      return Self.lonelyCost
    }
    let count = max(1, min(64, max(before.count, after.count)))
    var unequal = 0
    for place in 0..<count
    where place >= before.count || place >= after.count || before[place] != after[place] {
      unequal += 1
    }
    return Self.lonelyCost / 2 + Self.lonelyCost * unequal / count
  }
}
