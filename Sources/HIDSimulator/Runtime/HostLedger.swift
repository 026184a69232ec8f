// SPDX-License-Identifier: Apache-2.0

/// Which events of hosts the expectations of scripts have consumed.
///
/// The events of an interface are consumed in order. An expectation consumes the event that meets
/// it, and passes over those before it, of every interface that it is about: they are not looked at
/// again, but count as unexpected.
struct HostLedger: Sendable {
  /// The index from which on events count that nothing expects: those before it came before the
  /// script.
  let begin: Int
  /// The index of the first event that an expectation looks at.
  private let first: Int
  /// By interface, the index after the last event that was consumed.
  private var next: [String: Int] = [:]
  /// The newest events that met an expectation: another one that waited beside it may pass over
  /// them.
  private var expected: Set<Int> = []
  /// Whether more events were passed over than ``passedOver`` has.
  private(set) var hasPassedOverMore = false
  /// Whether the log still had every event that was passed over.
  private(set) var isWhole = true
  /// The first events that were passed over, by index.
  private(set) var passedOver: [Int: HIDDeviceEvent] = [:]

  private static let capacity = 1024

  /// Makes a ledger in which nothing is consumed.
  ///
  /// - Parameters:
  ///   - begin: The index from which on events count that nothing expects.
  ///   - first: The index of the first event that can be expected: what a driver asks while it
  ///     takes the device can be, too.
  init(begin: Int, from first: Int = 0) {
    self.begin = begin
    self.first = first
  }

  /// The index of the first event of an interface that is not consumed.
  func next(of label: String) -> Int { next[label] ?? first }

  /// The index of the first event of some interfaces that is not consumed.
  func next(of labels: Set<String>) -> Int { labels.map { next(of: $0) }.min() ?? first }

  /// Whether an event of one of some interfaces has been consumed.
  func hasConsumed(of labels: Set<String>) -> Bool { labels.contains { next[$0] != nil } }

  /// Whether an event is not consumed.
  func isOpen(_ event: HIDEventLog.HostEvent) -> Bool {
    event.index >= next(of: event.event.device)
  }

  /// Whether an event, consumed or not, is one that an expectation is needed for.
  func counts(_ event: HIDEventLog.HostEvent) -> Bool {
    event.index >= begin && !event.event.isDrivers
  }

  /// Consumes events.
  ///
  /// - Parameters:
  ///   - events: Those that were expected, in order.
  ///   - end: The index after the last of them, or after all that are passed over.
  ///   - labels: The interfaces that the expectation is about.
  mutating func consume(
    _ events: [HIDEventLog.HostEvent], upTo end: Int, of labels: Set<String>, in log: HIDEventLog
  ) {
    let indices = Set(events.map(\.index))
    let (passed, _, isAll) = log.hostEvents(from: max(next(of: labels), begin)) { event in
      event.index < end && labels.contains(event.event.device) && isOpen(event)
        && event.event.kind.breaksSilence && counts(event) && !indices.contains(event.index)
    }
    isWhole = isWhole && isAll
    for event in passed.prefix(Self.capacity - passedOver.count) {
      passedOver[event.index] = event.event
    }
    if passed.contains(where: { passedOver[$0.index] == nil }) { hasPassedOverMore = true }
    for index in indices { passedOver[index] = nil }
    expected.formUnion(indices)
    if expected.count > 2 * Self.capacity {
      expected = Set(expected.sorted().suffix(Self.capacity))
    }
    for label in labels { next[label] = max(next(of: label), end) }
  }

  /// Adds what the expectations of a script have consumed that had a copy of this ledger to begin
  /// with.
  mutating func merge(_ other: HostLedger) {
    next.merge(other.next) { max($0, $1) }
    expected.formUnion(other.expected)
    hasPassedOverMore = hasPassedOverMore || other.hasPassedOverMore
    isWhole = isWhole && other.isWhole
    passedOver.merge(other.passedOver) { mine, _ in mine }
    // One that waited beside another one passes over what met that.
    passedOver = passedOver.filter { !expected.contains($0.key) }
  }
}
