// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor

/// The waiting events of a device that both traces have.
///
/// To settle an event is to decide whether it is the same, missing, added or changed, and to remove
/// it from the waiting events.
struct TraceLane: Sendable {
  /// The largest number of events of each trace that are paired at a time.
  static let windowCount = 2048
  /// The largest number of events of each trace that are searched if the first ``windowCount``
  /// events have too little in common.
  static let searchedCount = 24 * 1024

  /// A waiting event.
  struct Entry: Sendable {
    var event: HIDTraceEvent
    /// The time since the first event of its trace, in microseconds; it never decreases.
    var time: Int64
    /// The part of the event that is compared.
    var key: HIDTraceEvent.Kind

    /// The memory that the event takes, in events with reports of less than 128 bytes.
    var cost: Int { 1 + (event.kind.reportBytes?.count ?? 0) / 128 }
  }

  /// The result of a comparison of events.
  enum Outcome: Sendable {
    case same(Entry, Entry)
    case missing(Entry)
    case added(Entry)
    case changed(Entry, Entry)
  }

  /// The comparison of times: the tolerance, and the offset of the second trace, in microseconds.
  struct Times: Sendable {
    var tolerance: Int64
    /// The offset; nil until an event is found that both traces have.
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
  /// The number of waiting events of each trace at which some events are settled.
  private var neededCount = Self.windowCount
  /// The report descriptor of the device in the first trace, which says whether reports have IDs;
  /// nil if it is not valid.
  let descriptor: HIDReportDescriptor?

  init(_ descriptor: HIDReportDescriptor?) { self.descriptor = descriptor }

  mutating func add(_ entry: Entry, toFirst: Bool) {
    cost += entry.cost
    if toFirst { first.append(entry) } else { second.append(entry) }
  }

  /// Settles as many events as possible and passes each result to `body`.
  ///
  /// If both traces have ended, these are all events. Otherwise, events wait as long as further
  /// events may change their result.
  ///
  /// - Parameters:
  ///   - times: The comparison of times; nil to ignore times.
  ///   - ended: True for each trace that has ended.
  ///   - isForced: True to settle at least one event even if too few events wait.
  ///   - body: Called with each result, in order.
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
    // A few equal pairs among many events can be an accident: the common part may come later.
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
    // Pairs near the end of the window may be replaced by better ones when more events are known.
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

  /// Settles events if the two traces have almost nothing in common.
  private mutating func settleUnlike(
    _ pairs: [TraceAlignment.Pair], _ times: inout Times?, _ ended: (first: Bool, second: Bool),
    _ body: (Outcome) -> Void
  ) {
    let one = min(first.count, Self.searchedCount)
    let other = min(second.count, Self.searchedCount)
    let isWholeFirst = ended.first && one == first.count
    let isWholeSecond = ended.second && other == second.count
    // If a trace has ended, its remaining events wait for the rest of the other trace.
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

  /// Returns the longest pairing of equal events.
  ///
  /// Their times also match if `times` is given and its offset is known.
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

  /// Settles the first `one` events of the first trace and the first `other` events of the second.
  ///
  /// The events in `pairs` are equal.
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

  /// Settles the events between two pairs.
  private func gap(
    _ ones: Range<Int>, _ others: Range<Int>, _ times: Times?, _ body: (Outcome) -> Void
  ) {
    guard !ones.isEmpty, !others.isEmpty, times?.offset != nil else {
      return change(ones, others, body)
    }
    // Pairs equal events whose times do not match.
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
