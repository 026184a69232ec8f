// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import IOLoop

/// The events of a device that both traces have, as far as they are not settled.
struct TraceLane: Sendable {
  /// How many events ahead are paired, to find what both traces have again.
  static let windowCount = 2048
  /// How many events ahead are searched where those have nothing in common.
  static let searchedCount = 24 * 1024

  /// An event that waits.
  struct Entry: Sendable {
    var event: HIDTraceEvent
    /// Since the first event of its trace, in microseconds, and never going back.
    var time: Int64
    /// What is compared.
    var key: HIDTraceEvent.Kind

    /// How much memory it takes, 1 for any short report.
    var cost: Int { 1 + (event.kind.reportBytes?.count ?? 0) / 128 }
  }

  /// What became of events.
  enum Outcome: Sendable {
    case same(Entry, Entry)
    case missing(Entry)
    case added(Entry)
    case changed(Entry, Entry)
  }

  /// How times are compared: within how many microseconds, after how many are added to those of the first trace.
  struct Times: Sendable {
    var tolerance: Int64
    /// Nil until there is an event that both traces have.
    var offset: Int64?

    mutating func agree(_ first: Entry, _ second: Entry) -> Bool {
      if offset == nil { offset = second.time - first.time }
      return isNear(first, second)
    }

    func isNear(_ first: Entry, _ second: Entry) -> Bool {
      guard let offset else { return true }
      return (second.time - first.time - offset).magnitude <= UInt64(tolerance)
    }
  }

  private(set) var first: Deque<Entry> = []
  private(set) var second: Deque<Entry> = []
  private(set) var cost = 0
  /// How many events of each trace there must be, so that some can be settled.
  private var neededCount = Self.windowCount
  /// Of the device in the first trace, which says what reports are alike.
  let descriptor: HIDReportDescriptor?

  init(_ descriptor: HIDReportDescriptor?) { self.descriptor = descriptor }

  mutating func add(_ entry: Entry, toFirst: Bool) {
    cost += entry.cost
    if toFirst { first.append(entry) } else { second.append(entry) }
  }

  /// Settles what can be: all where both traces have ended, and otherwise what is far enough before what is still to come.
  ///
  /// - Parameters:
  ///   - ended: Which of the traces has ended.
  ///   - isForced: Whether something has to be settled with what there is.
  mutating func settle(
    _ times: inout Times?, ended: (first: Bool, second: Bool), isForced: Bool = false,
    _ body: (Outcome) -> Void
  ) {
    var isForced = isForced
    while true {
      while let one = first.first, let other = second.first, one.key == other.key,
        times?.agree(one, other) ?? true
      {
        drop(1, 1)
        isForced = false
        body(.same(one, other))
      }
      if first.isEmpty, ended.first || second.isEmpty {
        if ended.first { take(0, second.count, [], &times, body) }
        return
      }
      if second.isEmpty, ended.second {
        take(first.count, 0, [], &times, body)
        return
      }
      guard
        isForced
          || (ended.first || first.count >= neededCount)
            && (ended.second || second.count >= neededCount)
      else { return }
      settleWindow(&times, ended, isForced: isForced, body)
      isForced = false
    }
  }

  private mutating func settleWindow(
    _ times: inout Times?, _ ended: (first: Bool, second: Bool), isForced: Bool,
    _ body: (Outcome) -> Void
  ) {
    let one = min(first.count, Self.windowCount)
    let other = min(second.count, Self.windowCount)
    let pairs = pairs(0..<one, 0..<other, times)
    let isWholeFirst = ended.first && one == first.count
    let isWholeSecond = ended.second && other == second.count
    if isWholeFirst, isWholeSecond { return take(one, other, pairs, &times, body) }
    // A few pairs among many events are the same by accident: what they have in common may be further ahead.
    let isUnlike = 8 * pairs.count < min(one, other)
    if isUnlike {
      guard isForced || neededCount == Self.searchedCount else {
        neededCount = Self.searchedCount
        return
      }
      neededCount = Self.windowCount
      if let place = commonRun() {
        let before = pairs.filter { $0.first < place.first && $0.second < place.second }
        return take(place.first, place.second, before, &times, body)
      }
    }
    // Pairs near the end of the window may be better ones when more is known.
    let half = (one + other) / 2
    let far = pairs.firstIndex { $0.first + $0.second + 2 >= half }
    if let place = far ?? pairs.indices.last {
      let pair = pairs[place]
      if far != nil || 8 * (pair.first + pair.second + 2) >= one + other {
        take(pair.first + 1, pair.second + 1, Array(pairs[...place]), &times, body)
        return
      }
    }
    settleUnlike(pairs, &times, ended, body)
  }

  /// Settles events of which there are next to none in both traces.
  private mutating func settleUnlike(
    _ pairs: [TraceAlignment.Pair], _ times: inout Times?, _ ended: (first: Bool, second: Bool),
    _ body: (Outcome) -> Void
  ) {
    let one = min(first.count, Self.searchedCount)
    let other = min(second.count, Self.searchedCount)
    let isWholeFirst = ended.first && one == first.count
    let isWholeSecond = ended.second && other == second.count
    // What is left of a trace that has ended waits for the rest of the other.
    var end = pairs.last.map { (one: $0.first + 1, other: $0.second + 1) } ?? (one: 0, other: 0)
    if !isWholeSecond || one <= other { end.other = max(end.other, (other + 1) / 2) }
    if !isWholeFirst || other <= one { end.one = max(end.one, (one + 1) / 2) }
    take(end.one, end.other, pairs, &times, body)
  }

  private mutating func drop(_ one: Int, _ other: Int) {
    for entry in first.prefix(one) { cost -= entry.cost }
    for entry in second.prefix(other) { cost -= entry.cost }
    first.removeFirst(one)
    second.removeFirst(other)
  }

  /// The longest way to pair events that are equal, also in time where times are given.
  private func pairs(
    _ ones: Range<Int>, _ others: Range<Int>, _ times: Times?
  ) -> [TraceAlignment.Pair] {
    var numbers: [HIDTraceEvent.Kind: Int] = [:]
    func number(_ entry: Entry) -> Int {
      if let number = numbers[entry.key] { return number }
      let next = numbers.count
      numbers[entry.key] = next
      return next
    }
    let firstNumbers = ones.map { number(first[$0]) }
    let secondNumbers = others.map { number(second[$0]) }
    var reach: [Range<Int>]?
    if let times, let offset = times.offset {
      var low = others.lowerBound
      var high = others.lowerBound
      reach = ones.map { place in
        let time = first[place].time + offset
        while low < others.upperBound, second[low].time < time - times.tolerance { low += 1 }
        high = max(low, high)
        while high < others.upperBound, second[high].time <= time + times.tolerance { high += 1 }
        return low - others.lowerBound..<high - others.lowerBound
      }
    }
    return TraceAlignment(firstNumbers, secondNumbers, reach: reach).pairs.map {
      TraceAlignment.Pair(
        first: $0.first + ones.lowerBound, second: $0.second + others.lowerBound)
    }
  }

  /// Settles the first events of both queues, of which some are paired.
  private mutating func take(
    _ one: Int, _ other: Int, _ pairs: [TraceAlignment.Pair], _ times: inout Times?,
    _ body: (Outcome) -> Void
  ) {
    var ones = 0
    var others = 0
    for pair in pairs + [TraceAlignment.Pair(first: one, second: other)] {
      gap(ones..<pair.first, others..<pair.second, times, body)
      guard pair.first < one, pair.second < other else { break }
      match(pair.first, pair.second, &times, body)
      ones = pair.first + 1
      others = pair.second + 1
    }
    drop(one, other)
  }

  private func match(
    _ one: Int, _ other: Int, _ times: inout Times?, _ body: (Outcome) -> Void
  ) {
    let isSame = times?.agree(first[one], second[other]) ?? true
    body(isSame ? .same(first[one], second[other]) : .changed(first[one], second[other]))
  }

  /// Settles events between two that both traces have.
  private func gap(
    _ ones: Range<Int>, _ others: Range<Int>, _ times: Times?, _ body: (Outcome) -> Void
  ) {
    guard !ones.isEmpty, !others.isEmpty, times?.offset != nil else {
      return change(ones, others, body)
    }
    // The same at another time.
    var firstStart = ones.lowerBound
    var secondStart = others.lowerBound
    for pair in pairs(ones, others, nil) {
      change(firstStart..<pair.first, secondStart..<pair.second, body)
      body(.changed(first[pair.first], second[pair.second]))
      firstStart = pair.first + 1
      secondStart = pair.second + 1
    }
    change(firstStart..<ones.upperBound, secondStart..<others.upperBound, body)
  }
}
