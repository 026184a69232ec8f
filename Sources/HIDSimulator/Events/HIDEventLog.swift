// SPDX-License-Identifier: Apache-2.0

import DequeModule
internal import HIDBus
public import IOLoop
import Synchronization

/// The events of the devices of a run, in order, for any number of readers.
///
/// The log keeps the last 65,536 events, and fewer if their reports take more than 64 MiB. A reader
/// that falls further behind gets the number of events that it missed. Input reports can be counted
/// without being kept, since a device can send a million of them a second. Events of hosts are also
/// kept apart, up to the same limits, so that input reports never displace them.
///
/// Times never decrease. An event that arrives after a later event gets the time of that event.
public final class HIDEventLog: Sendable {
  /// The numbers of events so far, by kind.
  public struct Totals: Hashable, Sendable {
    /// All events, and the input reports that are only counted.
    public internal(set) var events = 0
    /// Input reports, also those that were logged and could not be sent.
    public internal(set) var inputs = 0
    /// Output reports received.
    public internal(set) var outputs = 0
    /// Requests that were answered, or left without an answer.
    public internal(set) var requests = 0
    /// Requests and output reports whose report the report descriptor does not declare.
    public internal(set) var unexpected = 0
    /// Replies (see ``HIDDeviceEvent/Kind/lost(_:)``) and input reports that were lost, as far as
    /// they can be counted.
    public internal(set) var lost = 0
    /// Input reports that were sent while no client had the device open.
    ///
    /// The kernel's drivers count as clients. Reports that the device sends by itself, and reports
    /// that release controls at the end, are not counted.
    public internal(set) var unheard = 0
    /// Warnings about reports that real hardware might have understood differently.
    public internal(set) var fidelity = 0
  }

  /// A condition that selects events by their kind.
  ///
  /// The log is locked during the call.
  package typealias Condition = @Sendable (HIDDeviceEvent.Kind) -> Bool

  /// The condition on the event for which a reader waits; nil for any event.
  // A list of bare closures is not specialized by the compiler.
  private struct Awaited: Sendable {
    let condition: Condition?
  }

  /// An event of a host, and its index in the log.
  package struct HostEvent: Sendable {
    package let index: Int
    package let event: HIDDeviceEvent
  }

  private struct State: Sendable {
    var events: Deque<HIDDeviceEvent> = []
    var firstIndex = 0
    /// The approximate memory that the events' reports take, in bytes.
    var byteCount = 0
    /// The events of hosts, in order.
    ///
    /// `hostByteCount` is the approximate memory of their reports.
    var hostEvents: Deque<HostEvent> = []
    var hostByteCount = 0
    /// The index after the newest event of a host that was dropped.
    var hostStart = 0
    var lastTime = MonotonicTime(nanoseconds: 0)
    var totals = Totals()
    var isFinished = false
    /// The readers that wait, each with what it waits for.
    var waiters = WaiterList<Awaited>()
    var endIndex: Int { firstIndex + events.count }

    /// Removes and returns the readers whose condition an event from an index on meets.
    mutating func takeWaiters(from index: Int) -> [Promise<Void>] {
      guard !waiters.isEmpty else { return [] }
      var others = WaiterList<Awaited>()
      swap(&others, &waiters)
      defer { swap(&others, &waiters) }
      return others.takeAll { hasEvent(from: index, where: $0.condition) }
    }

    /// Returns whether an event from an index on meets a condition, or the event at the index was
    /// dropped.
    func hasEvent(from index: Int, where isMeant: Condition?) -> Bool {
      guard index >= firstIndex else { return true }
      let rest = events.dropFirst(index - firstIndex)
      guard let isMeant else { return !rest.isEmpty }
      return rest.contains { isMeant($0.kind) }
    }

    mutating func append(_ event: consuming HIDDeviceEvent) {
      byteCount += event.kind.byteCount
      while events.count >= HIDEventLog.capacity || byteCount > HIDEventLog.byteCapacity,
        let first = events.popFirst()
      {
        byteCount -= first.kind.byteCount
        firstIndex += 1
      }
      event.time = max(event.time, lastTime)
      lastTime = event.time
      totals.count(event)
      if event.kind.isHosts { keep(event) }
      events.append(event)
    }

    /// Keeps the event of a host that is appended next, and drops the oldest host events beyond the
    /// limits.
    mutating func keep(_ event: HIDDeviceEvent) {
      hostByteCount += event.kind.byteCount
      hostEvents.append(HostEvent(index: endIndex, event: event))
      while hostEvents.count > HIDEventLog.capacity || hostByteCount > HIDEventLog.byteCapacity,
        let first = hostEvents.popFirst()
      {
        hostByteCount -= first.event.kind.byteCount
        hostStart = first.index + 1
      }
    }

    /// Returns the position in `hostEvents` of the first event at an index or after it.
    func hostPosition(of index: Int) -> Int {
      var (low, high) = (0, hostEvents.count)
      while low < high {
        let middle = (low + high) / 2
        if hostEvents[middle].index < index { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private static let capacity = 65_536
  private static let byteCapacity = 64 << 20
  private let state = Mutex(State())
  private let inputIsKept: Atomic<Bool>

  /// The timeline of all times in the log.
  public let timeline: Timeline

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - keepsInput: True to keep input reports as events; false to count them only.
  ///   - timeline: The timeline of all times in the log.
  public init(keepsInput: Bool = true, timeline: Timeline = .real) {
    inputIsKept = Atomic(keepsInput)
    self.timeline = timeline
  }

  /// True if input reports are events of the log; false if they are only counted.
  public var keepsInput: Bool { inputIsKept.load(ordering: .relaxed) }

  /// Makes the log keep input reports as events from now on.
  package func keepInput() { inputIsKept.store(true, ordering: .relaxed) }

  /// The numbers of events so far.
  public var totals: Totals { state.withLock { $0.totals } }

  /// The index of the next event.
  public var endIndex: Int { state.withLock { $0.endIndex } }

  func append(_ event: consuming HIDDeviceEvent) {
    // The event is moved into the log: it is long, and would be copied otherwise.
    var added = Optional(event)
    let waiters = state.withLock { state -> [Promise<Void>] in
      guard let event = added.take() else { return [] }
      let waiters = state.waiters.takeAll { $0.condition?(event.kind) ?? true }
      state.append(event)
      return waiters
    }
    waiters.fulfill()
  }

  /// Adds events in order, and wakes waiting readers once.
  func append(_ events: [HIDDeviceEvent]) {
    let waiters = state.withLock { state in
      for event in events { state.append(event) }
      return state.takeWaiters(from: state.endIndex - events.count)
    }
    waiters.fulfill()
  }

  /// Counts input reports that are not events of the log.
  func count(inputs count: Int) {
    state.withLock { state in
      state.totals.events += count
      state.totals.inputs += count
    }
  }

  /// Counts input reports that were sent while no client had the device open.
  func count(unheard count: Int) { state.withLock { $0.totals.unheard += count } }

  /// Ends the log: waiting readers resume, and later waits return at once.
  ///
  /// Events can still be added and read.
  public func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      return state.waiters.takeAll()
    }
    waiters.fulfill()
  }

  /// Returns the kept events from an index on, and the number of dropped events from the index on.
  ///
  /// - Parameter index: The index of the first event to read; moved to the index after the last
  ///   event.
  public func read(from index: inout Int) -> (events: [HIDDeviceEvent], missed: Int) {
    read(from: &index, atMost: .max)
  }

  /// Returns the first kept events from an index on, and the number of dropped events from the
  /// index on.
  ///
  /// - Parameters:
  ///   - index: The index of the first event to read; moved to the index after the last event that
  ///     is returned.
  ///   - count: The largest number of events to return.
  package func read(
    from index: inout Int, atMost count: Int
  ) -> (events: [HIDDeviceEvent], missed: Int) {
    let start = index
    let result = state.withLock { state in
      let missed = max(0, state.firstIndex - start)
      let skip = max(0, start - state.firstIndex)
      return (events: Array(state.events.dropFirst(skip).prefix(count)), missed: missed)
    }
    index += result.events.count + result.missed
    return result
  }

  /// Returns the kept events from an index on that meet a condition.
  ///
  /// - Parameters:
  ///   - index: The index of the first event to examine; moved to the index after the last event.
  ///   - isMeant: The condition, called with the log locked.
  package func read(from index: inout Int, where isMeant: Condition) -> [HIDDeviceEvent] {
    let start = index
    let (events, end) = state.withLock { state in
      let skip = max(0, start - state.firstIndex)
      var found: [HIDDeviceEvent] = []
      for event in state.events.dropFirst(skip) where isMeant(event.kind) { found.append(event) }
      return (found, state.endIndex)
    }
    index = max(index, end)
    return events
  }

  /// Returns the events of hosts from an index on that meet a condition.
  ///
  /// - Returns: The events; the index after the last event examined; true if no event of a host
  ///   from the index on has been dropped.
  package func hostEvents(
    from index: Int, where isMeant: (HostEvent) -> Bool
  ) -> (events: [HostEvent], end: Int, isWhole: Bool) {
    state.withLock { state in
      let events = state.hostEvents[state.hostPosition(of: index)...].filter(isMeant)
      return (Array(events), state.endIndex, index >= state.hostStart)
    }
  }

  /// Returns whether all events of hosts from an index on are kept.
  package func hasHostEvents(from index: Int) -> Bool { state.withLock { index >= $0.hostStart } }

  /// Returns the last kept event of a host before an index that meets a condition.
  package func lastHostEvent(before index: Int, where isMeant: (HostEvent) -> Bool) -> HostEvent? {
    state.withLock { $0.hostEvents[..<$0.hostPosition(of: index)].last(where: isMeant) }
  }

  /// Waits until there is an event at an index, the log has ended, the deadline has passed, or the
  /// task is cancelled.
  ///
  /// Without a deadline the time of the wait has no limit. The wait does not end the caller's work
  /// on a virtual timeline.
  ///
  /// - Returns: True if the log has had an event at the index, even if it has been dropped.
  public func wait(for index: Int, until deadline: MonotonicTime? = nil) async -> Bool {
    await wait(for: index, until: deadline, isWork: false, where: nil)
    return endIndex > index
  }

  /// Waits like ``wait(for:until:)``, and ends the caller's work on the timeline meanwhile.
  ///
  /// Virtual time stands still from the caller's resumption until the caller waits again.
  package func workWaits(for index: Int, until deadline: MonotonicTime? = nil) async -> Bool {
    await wait(for: index, until: deadline, isWork: true, where: nil)
    return endIndex > index
  }

  /// Waits like ``workWaits(for:until:)``, but until an event at the index or after it meets a
  /// condition.
  ///
  /// Other events do not wake the caller. If the event at the index has been dropped, the method
  /// returns at once.
  ///
  /// - Returns: True if the log has had an event at the index. No event need meet the condition if
  ///   events were dropped, the log has ended, the deadline has passed, or the task is cancelled.
  package func workWaits(
    for index: Int, until deadline: MonotonicTime? = nil, where isMeant: @escaping Condition
  ) async -> Bool {
    await wait(for: index, until: deadline, isWork: true, where: isMeant)
    return endIndex > index
  }

  private func wait(
    for index: Int, until deadline: MonotonicTime?, isWork: Bool, where isMeant: Condition?
  ) async {
    while !Task.isCancelled {
      let news = state.withLock { state -> Promise<Void>? in
        if state.isFinished || state.hasEvent(from: index, where: isMeant) { return nil }
        if let deadline, timeline.now >= deadline { return nil }
        return state.waiters.append(Awaited(condition: isMeant), worksOn: isWork ? timeline : nil)
      }
      guard let news else { return }
      let timer = deadline.map { deadline in
        timeline.schedule(at: deadline) { [weak self] in self?.wake(news) }
      }
      defer { if let timer { timeline.cancel(timer) } }
      await news.get(onCancel: { wake(news) })
    }
  }

  private func wake(_ news: Promise<Void>) {
    state.withLock { _ = $0.waiters.remove(news) }
    news.fulfill()
  }
}

extension HIDEventLog.Totals {
  fileprivate mutating func count(_ event: HIDDeviceEvent) {
    events += 1
    switch event.kind {
    case .output(let report):
      outputs += 1
      if !report.isDeclared { unexpected += 1 }
    case .getReport(_, _, let answer), .setReport(_, let answer):
      requests += 1
      if !answer.isDeclared { unexpected += 1 }
    case .input: inputs += 1
    case .lost(let count), .lostInput(let count): lost += count
    case .fidelity: if !event.isDrivers { fidelity += 1 }
    case .usb(let event): if event.isRefusedClassRequest { unexpected += 1 }
    case .plugged, .driverChanged, .unusable, .unplugged, .opened, .closed, .request, .packet,
      .link:
      break
    }
  }
}
