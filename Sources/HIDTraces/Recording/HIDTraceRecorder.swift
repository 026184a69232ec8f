// SPDX-License-Identifier: Apache-2.0

import DequeModule
public import IOLoop

/// A recorder that writes the events of devices as one trace, in one order, while they happen.
///
/// Events come from sources, each of which is in order by itself. A source is the stream of a
/// device, or another program that reports on several devices. An event is written when no source
/// can add an earlier one any more: every other source has ended, or has added an event that is not
/// earlier. It is also written when its time is ``holdBack`` ago, or when more than ``capacity``
/// events wait. The events of a single source do not wait. An event that comes even later is
/// written at that point, with the time of the event before it.
///
/// Timestamps are microseconds since the first written event. The output always consists of whole
/// lines, so that it is a trace at any time.
public struct HIDTraceRecorder: Sendable {
  /// The age from which an event no longer waits for events of other sources.
  ///
  /// On a loaded machine with one core, 20 ms passed between a report and the moment when its
  /// reader had it. This time is more than twice as long, and less than a person notices.
  public static let holdBack = Duration.milliseconds(50)
  /// The largest number of events that wait for other sources; more are written, earliest first.
  public static let capacity = 65_536

  /// The counts of the recorded events of one device.
  public struct Totals: Hashable, Sendable {
    /// The number of input reports.
    public var inputs = 0
    /// The number of output reports.
    public var outputs = 0
    /// The number of get-report and set-report requests.
    public var requests = 0
    /// The number of input reports that were lost; see ``HIDTraceEvent/Kind/lost(_:)``.
    public var lost = 0
  }

  private struct Waiting: Sendable {
    let time: MonotonicTime
    let event: HIDTraceEvent
  }

  private struct Source: Sendable {
    var waiting: Deque<Waiting> = []
    /// The time of its last event.
    var latest = MonotonicTime(nanoseconds: 0)
    var hasEnded = false
  }

  /// The devices, in the order in which they were added; redacted ones in a redacted recording.
  public private(set) var devices: [HIDTraceDevice] = []
  /// The counts of the written events of each device.
  public private(set) var totals: [Totals] = []
  private var writer: HIDTraceWriter?
  private var redaction: HIDTraceRedaction?
  private var sources: [Source] = []
  private var waitingCount = 0
  private var base: MonotonicTime?
  private var last: Int64 = 0

  /// Starts a recording.
  ///
  /// - Parameters:
  ///   - devices: The devices, which events name by their index.
  ///   - sources: The number of sources, which events name by their index.
  ///   - isRedacted: True to remove typed text; see ``HIDTraceRedaction``.
  public init(devices: [HIDTraceDevice], sources: Int, isRedacted: Bool = false) {
    let shown = isRedacted ? devices.map(HIDTraceRedaction.redacted) : devices
    // This format always has a writer.
    writer = HIDTraceWriter(.recorder, devices: shown)
    self.devices = shown
    redaction = isRedacted ? HIDTraceRedaction(devices: devices) : nil
    totals = devices.map { _ in Totals() }
    self.sources = (0..<sources).map { _ in Source() }
  }

  /// Writes the lines before the first event; must be called once, before other output.
  public mutating func begin(into output: inout [UInt8]) {
    if redaction != nil { output += Array((HIDTraceRedaction.comment + "\n").utf8) }
    writer?.begin(into: &output)
  }

  /// Adds a device after the existing ones, and writes its lines.
  ///
  /// - Returns: The index of the device; `nil` if the trace can hold no more devices.
  public mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Int? {
    guard devices.count < HIDTraceReader.maximumDeviceCount else { return nil }
    let shown = redaction == nil ? device : HIDTraceRedaction.redacted(device)
    guard writer?.add(shown, into: &output) == true else { return nil }
    redaction?.add(device)
    devices.append(shown)
    totals.append(Totals())
    return devices.count - 1
  }

  /// Adds an event of a source.
  ///
  /// If its time is before that of the previous event of the source, the event gets the time of the
  /// previous event. An event with an unknown device or source is ignored.
  ///
  /// - Parameters:
  ///   - kind: The content of the event.
  ///   - device: The index of the device.
  ///   - time: The time of the event.
  ///   - source: The index of the source.
  public mutating func add(
    _ kind: HIDTraceEvent.Kind, device: Int, at time: MonotonicTime, from source: Int
  ) {
    guard sources.indices.contains(source), devices.indices.contains(device) else { return }
    let time = max(time, sources[source].latest)
    sources[source].latest = time
    sources[source].waiting.append(
      Waiting(time: time, event: HIDTraceEvent(microseconds: 0, device: device, kind: kind)))
    waitingCount += 1
  }

  /// Ends a source: events of other sources no longer wait for it.
  public mutating func end(_ source: Int) {
    if sources.indices.contains(source) { sources[source].hasEnded = true }
  }

  /// Writes the events that no longer have to wait.
  ///
  /// - Returns: The time of the next call, if nothing is added before; `nil` if nothing waits.
  public mutating func write(at now: MonotonicTime, into output: inout [UInt8]) -> MonotonicTime? {
    while let first = firstSource() {
      guard let next = sources[first].waiting.first else { break }
      let due = next.time.advanced(by: Self.holdBack)
      guard due <= now || waitingCount > Self.capacity || isSettled(next.time, of: first) else {
        return due
      }
      takeFirst(of: first, into: &output)
    }
    return nil
  }

  /// Writes all waiting events.
  public mutating func finish(into output: inout [UInt8]) {
    while let first = firstSource() { takeFirst(of: first, into: &output) }
  }

  /// Returns the source with the earliest waiting event, the first of several; nil if no event
  /// waits.
  private func firstSource() -> Int? {
    guard waitingCount > 0 else { return nil }
    var first: (source: Int, time: MonotonicTime)?
    for (index, source) in sources.enumerated() {
      guard let time = source.waiting.first?.time else { continue }
      if let first, first.time <= time { continue }
      first = (index, time)
    }
    return first?.source
  }

  /// Returns whether no other source can still add an event from before a time.
  private func isSettled(_ time: MonotonicTime, of own: Int) -> Bool {
    for (index, source) in sources.enumerated() where index != own {
      if !source.hasEnded, source.waiting.isEmpty, source.latest < time { return false }
    }
    return true
  }

  private mutating func takeFirst(of source: Int, into output: inout [UInt8]) {
    guard let waiting = sources[source].waiting.popFirst() else { return }
    waitingCount -= 1
    var event = waiting.event
    if redaction != nil {
      guard let redacted = redaction?.redacted(event) else { return }
      event = redacted
    }
    let base = base ?? waiting.time
    self.base = base
    let since = waiting.time.nanoseconds - min(waiting.time.nanoseconds, base.nanoseconds)
    last = max(last, Int64(clamping: since / 1000))
    event.microseconds = last
    totals[event.device].count(event.kind)
    writer?.write(event, into: &output)
  }
}

extension HIDTraceRecorder.Totals {
  fileprivate mutating func count(_ kind: HIDTraceEvent.Kind) {
    switch kind {
    case .input: inputs += 1
    case .output: outputs += 1
    case .getReport, .setReport: requests += 1
    // The count can come from another program.
    case .lost(let count): lost = Int(clamping: Int64(lost).added(Int64(count)))
    case .original, .opened, .closed, .plugged, .unplugged, .packet: break
    }
  }
}
