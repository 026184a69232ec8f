// SPDX-License-Identifier: Apache-2.0

import DequeModule
public import IOLoop

/// Writes what happens to devices as one trace, in one order, while it happens.
///
/// It takes events from sources, each of which is in order by itself: the stream of a device, or what another program tells
/// of several. An event is written when no source can bring one from before any more: when every other has brought a
/// later one, or when it has lain for ``holdBack``. One source alone is written at once. An event that is later still
/// stands where it came, with the time of the one before it.
///
/// Stamps are microseconds since the first event. What is written is whole lines, so that it is a trace at any time.
public struct HIDTraceRecorder: Sendable {
  /// How long an event waits for those of other sources, where it is not known that none is on its way.
  ///
  /// Twice what a loaded machine of one core needed between the time a report was taken and the moment its reader had it
  /// (20 ms); and less than a person notices.
  public static let holdBack = Duration.milliseconds(50)
  /// How many events wait at most, before they do not wait for other sources any more.
  public static let capacity = 65_536

  /// What was recorded of one device.
  public struct Totals: Hashable, Sendable {
    /// Input reports.
    public var inputs = 0
    /// Output reports.
    public var outputs = 0
    /// Get- and set-report requests.
    public var requests = 0
    /// Input reports that the recorder lost.
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

  /// The devices, in the order in which they were added.
  public private(set) var devices: [HIDTraceDevice] = []
  /// What was recorded of each.
  public private(set) var totals: [Totals] = []
  private var writer: HIDTraceWriter?
  private var redaction: HIDTraceRedaction?
  private var sources: [Source] = []
  private var waitingCount = 0
  private var base: MonotonicTime?
  private var last: Int64 = 0

  /// Begins a recording.
  ///
  /// - Parameters:
  ///   - devices: The devices, which events name by their place among them.
  ///   - sources: How many sources there are, which events name from 0 on.
  ///   - isRedacted: Whether what was typed is taken out; see ``HIDTraceRedaction``.
  public init(devices: [HIDTraceDevice], sources: Int, isRedacted: Bool = false) {
    let shown = isRedacted ? devices.map(HIDTraceRedaction.redacted) : devices
    // There is a writer of this format.
    writer = HIDTraceWriter(.recorder, devices: shown)
    self.devices = shown
    redaction = isRedacted ? HIDTraceRedaction(devices: devices) : nil
    totals = devices.map { _ in Totals() }
    self.sources = (0..<sources).map { _ in Source() }
  }

  /// Writes what stands before the first event: once, first.
  public mutating func begin(into output: inout [UInt8]) {
    if redaction != nil { output += Array((HIDTraceRedaction.comment + "\n").utf8) }
    writer?.begin(into: &output)
  }

  /// Adds a device behind those that are there.
  ///
  /// - Returns: Its place; `nil` where the trace can hold no more.
  public mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Int? {
    guard devices.count < HIDTraceReader.maximumDeviceCount else { return nil }
    let shown = redaction == nil ? device : HIDTraceRedaction.redacted(device)
    guard writer?.add(shown, into: &output) == true else { return nil }
    redaction?.add(device)
    devices.append(shown)
    totals.append(Totals())
    return devices.count - 1
  }

  /// Takes an event of a source, which has brought none that is later.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - device: The place of the device, from 0.
  ///   - time: When it happened.
  ///   - source: Who brings it.
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

  /// Takes it that a source brings nothing more: nobody waits for it.
  public mutating func end(_ source: Int) {
    if sources.indices.contains(source) { sources[source].hasEnded = true }
  }

  /// Writes the events whose turn has come.
  ///
  /// - Returns: When to call again, if nothing is added meanwhile; `nil` where nothing waits.
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

  /// Writes all events that wait.
  public mutating func finish(into output: inout [UInt8]) {
    while let first = firstSource() { takeFirst(of: first, into: &output) }
  }

  /// The source that has the earliest event; of several, the first.
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

  /// Whether no source can bring an event from before a time.
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
    case .lost(let count): lost += count
    case .original, .opened, .closed, .plugged, .unplugged, .packet: break
    }
  }
}
