// SPDX-License-Identifier: Apache-2.0

import DequeModule
public import HIDReportDescriptor
public import HIDText

/// A comparison of two traces, device by device and event by event, in bounded memory.
///
/// ```swift
/// var comparison = try HIDTraceComparison(HIDTraceReader(recorded), HIDTraceReader(replayed))
/// while let difference = try comparison.next() { print(difference) }
/// ```
///
/// Devices are paired by their properties. The remaining devices are paired by order if both traces
/// have the same number of devices. The events of each device are paired so that as many as
/// possible are equal: one missing event is one difference. Up to some 24,500 missing events in a
/// row are recognized as missing.
///
/// The order of events of different devices does not matter, as long as at most 65,536 events wait
/// for events of the other trace. A long report counts as several events.
public struct HIDTraceComparison: Sendable {
  /// The options of a comparison.
  public struct Options: Sendable {
    /// The names of the events that are compared.
    public var names: Set<HIDEventName>
    /// The largest allowed difference between the times of an event; nil to ignore times.
    ///
    /// Times count from the first event that both traces have. The latency of requests is never
    /// compared.
    public var tolerance: Duration?
    /// The parts of reports that are not compared.
    public var exclusions: [HIDTraceExclusion]
    /// The number of differences after which those of events have no aspects, values and text.
    ///
    /// Further differences are still returned and counted.
    public var detailedCount: Int

    /// The names of the events that are compared by default.
    ///
    /// Open events, close events and packets of the command link are not included, because a replay
    /// does not repeat them. Over the command link of a device, a client sends commands to it: the
    /// Bluetooth side of an InputStick, for example.
    public static let names = Set(HIDTraceEvent.names).subtracting([.opened, .closed, .packet])

    /// Creates options.
    public init(
      names: Set<HIDEventName> = Self.names, tolerance: Duration? = nil,
      exclusions: [HIDTraceExclusion] = [], detailedCount: Int = .max
    ) {
      self.names = names
      self.tolerance = tolerance
      self.exclusions = exclusions
      self.detailedCount = detailedCount
    }
  }

  /// The counts of equal and different events so far.
  public struct Totals: Hashable, Sendable {
    /// The number of events that are equal in both traces.
    public internal(set) var same = 0
    /// The number of events that only the first trace has.
    public internal(set) var missing = 0
    /// The number of events that only the second trace has.
    public internal(set) var added = 0
    /// The number of events with another content or time in the second trace.
    public internal(set) var changed = 0
    /// The number of differences of devices and their report descriptors.
    public internal(set) var devices = 0
    /// The number of events of both traces that were not compared.
    ///
    /// Their name or their report is not compared, or only one trace has their device.
    public internal(set) var passedOver = 0

    /// The number of all differences.
    public var differences: Int { missing + added + changed + devices }
  }

  /// The limit of the memory for waiting events of all devices, in events with short reports.
  private static let capacity = 64 * 1024

  /// The counts of equal and different events so far.
  public private(set) var totals = Totals()
  /// The warnings about both traces, as far as they were read.
  public var warnings: [HIDTextProblem] {
    first.reader.warnings + second.reader.warnings
  }

  private var first: Side
  private var second: Side
  private let options: Options
  private var times: TraceLane.Times?
  private var lanes: [Lane] = []
  private var cost = 0
  private var pending: Deque<HIDTraceDifference> = []
  private var isOver = false

  private struct Lane: Sendable {
    var queue: TraceLane
    var witness: TraceWitness
    var firstMask: TraceMask
    var secondMask: TraceMask
  }

  /// Starts a comparison.
  ///
  /// - Parameters:
  ///   - first: The reader of the first trace.
  ///   - second: The reader of the second trace.
  ///   - options: The options of the comparison.
  /// - Throws: An exclusion that names a control which no paired device has, or a usage of an
  ///   array.
  public init(
    _ first: HIDTraceReader, _ second: HIDTraceReader, options: Options = Options()
  ) throws(HIDTraceExclusion.Failure) {
    self.first = Side(first)
    self.second = Side(second)
    self.options = options
    times = options.tolerance.map {
      TraceLane.Times(tolerance: min(HIDRelativeTraceClock.furthest, max(0, $0.microseconds)))
    }
    let pairing = TracePairing(first.devices, second.devices)
    let firstLabels = first.devices.labels
    let secondLabels = second.devices.labels
    var found: Set<Int> = []
    for (one, other) in pairing.pairs {
      let before = first.devices[one]
      let after = second.devices[other]
      let sides = (
        TraceWitness.Side(
          label: firstLabels[one], descriptor: try? HIDReportDescriptor(parsing: before.descriptor)),
        TraceWitness.Side(
          label: secondLabels[other],
          descriptor: try? HIDReportDescriptor(parsing: after.descriptor))
      )
      self.first.lanes[one] = lanes.count
      self.second.lanes[other] = lanes.count
      lanes.append(
        Lane(
          queue: TraceLane(sides.0.descriptor), witness: TraceWitness(sides.0, sides.1),
          firstMask: try TraceMask(options.exclusions, on: sides.0.descriptor, found: &found),
          secondMask: try TraceMask(options.exclusions, on: sides.1.descriptor, found: &found)))
      compare(before, after, sides.0, sides.1)
    }
    for place in pairing.missing { addDevice(first.devices[place], firstLabels[place], .missing) }
    for place in pairing.added { addDevice(second.devices[place], secondLabels[place], .added) }
    for (place, exclusion) in options.exclusions.enumerated() where !found.contains(place) {
      guard case .control(let name) = exclusion.part else { continue }
      throw .unknown(control: name, of: "no device that is in both traces")
    }
  }

  /// Returns the next difference; nil at the end.
  ///
  /// - Throws: The problems in the rest of a trace.
  public mutating func next() throws(HIDTraceError) -> HIDTraceDifference? {
    while true {
      if let difference = pending.popFirst() { return difference }
      if isOver { return nil }
      try advance()
    }
  }

  // MARK: Events

  /// One of the traces.
  private struct Side: Sendable {
    var reader: HIDTraceReader
    /// For each device, the index of its waiting events in `lanes` of the comparison.
    ///
    /// It is nil for a device that only this trace has.
    var lanes: [Int?]
    var clock = HIDRelativeTraceClock()
    var hasEnded = false

    init(_ reader: HIDTraceReader) {
      self.reader = reader
      lanes = [Int?](repeating: nil, count: reader.devices.count)
    }

    /// Reads the next event and its time; nil at the end.
    ///
    /// Events of a device that the trace does not declare are ignored.
    mutating func next() throws(HIDTraceError) -> (event: HIDTraceEvent, time: Int64)? {
      while let event = try reader.next() {
        if lanes.indices.contains(event.device) { return (event, clock.time(of: event)) }
      }
      hasEnded = true
      return nil
    }
  }

  private mutating func advance() throws(HIDTraceError) {
    if !first.hasEnded, let (event, time) = try first.next() { add(event, time, isFirst: true) }
    if !second.hasEnded, let (event, time) = try second.next() { add(event, time, isFirst: false) }
    guard first.hasEnded, second.hasEnded else { return }
    for lane in lanes.indices { settle(lane) }
    isOver = true
  }

  private mutating func add(_ event: HIDTraceEvent, _ time: Int64, isFirst: Bool) {
    guard options.names.contains(event.kind.name),
      let lane = isFirst ? first.lanes[event.device] : second.lanes[event.device]
    else {
      totals.passedOver += 1
      return
    }
    let key =
      isFirst
      ? lanes[lane].firstMask.compared(event.kind, on: lanes[lane].witness.first.descriptor)
      : lanes[lane].secondMask.compared(event.kind, on: lanes[lane].witness.second.descriptor)
    guard let key else {
      totals.passedOver += 1
      return
    }
    let before = lanes[lane].queue.cost
    lanes[lane].queue.add(
      TraceLane.Entry(event: event, time: time, key: key), toFirst: isFirst)
    cost += lanes[lane].queue.cost - before
    settle(lane)
    while cost > Self.capacity,
      let fullest = lanes.indices.max(by: { lanes[$0].queue.cost < lanes[$1].queue.cost })
    {
      settle(fullest, isForced: true)
    }
  }

  private mutating func settle(_ lane: Int, isForced: Bool = false) {
    var outcomes: [TraceLane.Outcome] = []
    let before = lanes[lane].queue.cost
    lanes[lane].queue.settle(
      &times, ended: (first.hasEnded, second.hasEnded), isForced: isForced
    ) { outcomes.append($0) }
    cost += lanes[lane].queue.cost - before
    for outcome in outcomes { tell(outcome, lane) }
  }

  private mutating func tell(_ outcome: TraceLane.Outcome, _ lane: Int) {
    let isDetailed = totals.differences < options.detailedCount
    switch outcome {
    case .same(let one, let other):
      totals.same += 1
      lanes[lane].witness.pass(one, other)
    case .missing(let entry):
      totals.missing += 1
      pending.append(
        lanes[lane].witness.lonely(entry, isFirst: true, isDetailed: isDetailed))
    case .added(let entry):
      totals.added += 1
      pending.append(
        lanes[lane].witness.lonely(entry, isFirst: false, isDetailed: isDetailed))
    case .changed(let one, let other):
      totals.changed += 1
      let isLate = times.map { !$0.isNear(one, other) } ?? false
      pending.append(
        lanes[lane].witness.changed(
          one, other, time: isLate ? other.time - (times?.offset ?? 0) : nil,
          isDetailed: isDetailed))
    }
  }

  // MARK: Devices

  private mutating func compare(
    _ before: HIDTraceDevice, _ after: HIDTraceDevice, _ one: TraceWitness.Side,
    _ other: TraceWitness.Side
  ) {
    let aspects = before.aspects(after)
    if !aspects.isEmpty { addDevice(before, one.label, .changed, aspects) }
    guard before.descriptor != after.descriptor else { return }
    guard let first = one.descriptor, let second = other.descriptor else {
      addDevice(
        before, one.label, .changed,
        [
          .init(
            name: "report descriptor", before: "\(before.descriptor.count) bytes",
            after:
              "\(after.descriptor.count) bytes, which differ; hidsim cannot compare the reports, since at "
              + "least one of the two descriptors is not valid"
          )
        ])
      return
    }
    for difference in first.differences(to: second) {
      totals.devices += 1
      pending.append(
        HIDTraceDifference(
          change: .changed, subject: .descriptor(difference), device: one.label, before: nil,
          after: nil, aspects: [], values: [], furtherValueCount: 0, words: []))
    }
  }

  private mutating func addDevice(
    _ device: HIDTraceDevice, _ label: String, _ change: HIDTraceDifference.Change,
    _ aspects: [HIDDescriptorDifference.Aspect] = []
  ) {
    totals.devices += 1
    pending.append(
      HIDTraceDifference(
        change: change, subject: .device, device: label, before: nil, after: nil,
        aspects: aspects, values: [], furtherValueCount: 0, words: []))
  }
}

extension Duration {
  /// The duration in whole microseconds; the nearest number if it is out of range.
  fileprivate var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, hasOverflown) = seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, isTooMuch) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    guard hasOverflown || isTooMuch else { return sum }
    return self < .zero ? .min : .max
  }
}
