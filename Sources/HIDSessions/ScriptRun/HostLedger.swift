// SPDX-License-Identifier: Apache-2.0

import HIDSimulator

/// The events of hosts that the expectations of scripts have consumed.
///
/// The events of an interface are consumed in order. An expectation consumes the event that meets
/// it, and passes over the earlier events of every interface that it is about. Later expectations
/// do not examine the passed-over events. Reports, requests and lost replies among them count as
/// unexpected.
struct HostLedger: Sendable {
  /// The index of the first event that can count as unexpected: earlier events came before the
  /// script.
  let begin: Int
  /// The index of the first event that the first expectation examines.
  private let first: Int
  /// The index after the last event that was consumed or passed over, by interface.
  private var next: [String: Int] = [:]
  /// The indices of the newest events that met an expectation.
  ///
  /// Another expectation that waited at the same time may have passed over these events.
  private var expected: Set<Int> = []
  /// True if more unexpected events were passed over than ``passedOver`` has.
  private(set) var hasPassedOverMore = false
  /// True if the log still had every event that was passed over.
  private(set) var isWhole = true
  /// The first unexpected events that were passed over, by index, up to ``capacity``.
  private(set) var passedOver: [Int: HIDDeviceEvent] = [:]

  private static let capacity = 1024

  /// Creates a ledger in which nothing is consumed.
  ///
  /// - Parameters:
  ///   - begin: The index of the first event that can count as unexpected.
  ///   - first: The index of the first event that can be expected. Requests of a driver that takes
  ///     the device can be among the events before `begin`.
  init(begin: Int, from first: Int = 0) {
    self.begin = begin
    self.first = first
  }

  /// Returns the index from which no event of an interface has been consumed or passed over.
  func next(of label: String) -> Int { next[label] ?? first }

  /// Returns the smallest of the indices that ``next(of:)`` returns for some interfaces.
  func next(of labels: Set<String>) -> Int { labels.map { next(of: $0) }.min() ?? first }

  /// Returns whether events of one of some interfaces have been consumed or passed over.
  func hasConsumed(of labels: Set<String>) -> Bool { labels.contains { next[$0] != nil } }

  /// Returns whether an event is neither consumed nor passed over.
  func isOpen(_ event: HIDEventLog.HostEvent) -> Bool {
    event.index >= next(of: event.event.device)
  }

  /// Returns whether an event can count as unexpected: it has come since ``begin``, and not while a
  /// driver was taking the device.
  func counts(_ event: HIDEventLog.HostEvent) -> Bool {
    event.index >= begin && !event.event.isDrivers
  }

  /// Consumes events, and passes over the other events before an index.
  ///
  /// - Parameters:
  ///   - events: The expected events, in order.
  ///   - end: The index before which events are consumed or passed over.
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
    for event in passed.prefix(max(0, Self.capacity - passedOver.count)) {
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

  /// Adds the events that a script has consumed in a copy of this ledger.
  mutating func merge(_ other: HostLedger) {
    next.merge(other.next) { max($0, $1) }
    expected.formUnion(other.expected)
    hasPassedOverMore = hasPassedOverMore || other.hasPassedOverMore
    isWhole = isWhole && other.isWhole
    passedOver.merge(other.passedOver) { mine, _ in mine }
    // If two expectations wait at the same time, one passes over the event of the other.
    passedOver = passedOver.filter { !expected.contains($0.key) }
    if passedOver.count > Self.capacity {
      let kept = Set(passedOver.keys.sorted().prefix(Self.capacity))
      passedOver = passedOver.filter { kept.contains($0.key) }
      hasPassedOverMore = true
    }
  }
}
