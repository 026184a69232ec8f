// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSessions
import HIDSimulator
package import HIDText
package import HIDTraces

/// The events of a trace as JSON, with the keys of the stream's events.
package struct TraceTimeline: Sendable {
  /// A device with its latest reports so far.
  private struct Device {
    let label: String
    let descriptor: HIDReportDescriptor?
    var reports: [ReportKey: [UInt8]] = [:]
  }

  private struct ReportKey: Hashable {
    let type: HIDReportType
    let id: HIDReportID?
  }

  private var devices: [Device]
  private var clock = HIDRelativeTraceClock()
  private let side: JSONText?

  /// Creates a timeline before the first event.
  ///
  /// - Parameters:
  ///   - devices: The devices of the trace.
  ///   - side: The trace of two that are compared: `first` or `second`. Labels then begin with it.
  ///     Nil for a trace that is shown alone.
  package init(_ devices: [HIDTraceDevice], side: String? = nil) {
    self.devices = zip(devices, devices.labels).map { device, label in
      Device(
        label: side.map { "\($0): \(label)" } ?? label,
        descriptor: try? HIDReportDescriptor(parsing: device.descriptor))
    }
    self.side = side.map { .string($0) }
  }

  /// Returns the timeline of a trace.
  ///
  /// - Parameters:
  ///   - reader: The trace, before its first event.
  ///   - limit: The largest number of events; the events of a timeline also end after about
  ///     ``TimelineJSON/byteLimit`` bytes. Later ones are counted.
  ///   - observing: Called with each event that is read, also beyond the limits.
  /// - Returns: The timeline. In a cancelled task, it lacks the events that are not read yet.
  /// - Throws: The problems of the trace.
  package static func timeline(
    reading reader: inout HIDTraceReader, limit: Int = TimelineJSON.eventLimit,
    observing: (HIDTraceEvent) -> Void = { _ in }
  ) throws(HIDTraceError) -> JSONLine {
    var timeline = TraceTimeline(reader.devices)
    let (events, after) = try timeline.events(reading: &reader, limit, observing)
    return TimelineJSON.timeline(timeline.deviceLines, events.map(\.json), after: after)
  }

  /// Returns the timeline of two traces: the events of both, by their times.
  ///
  /// - Parameters:
  ///   - first: A trace, before its first event.
  ///   - second: Another trace, before its first event.
  ///   - limit: The largest number of events of each trace, which also end after about
  ///     ``TimelineJSON/byteLimit`` bytes. Later ones are counted.
  /// - Returns: The timeline. In a cancelled task, it lacks the events that are not read yet.
  /// - Throws: The problems of one of the traces.
  package static func timeline(
    reading first: inout HIDTraceReader, and second: inout HIDTraceReader,
    limit: Int = TimelineJSON.eventLimit / 2
  ) throws(HIDTraceError) -> JSONLine {
    var timelines = (
      TraceTimeline(first.devices, side: "first"), TraceTimeline(second.devices, side: "second")
    )
    let one = try timelines.0.events(reading: &first, limit)
    let other = try timelines.1.events(reading: &second, limit)
    // Events with equal times stay in their order. The times of one device never decrease.
    let events = (one.events + other.events).enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    return TimelineJSON.timeline(
      timelines.0.deviceLines + timelines.1.deviceLines, events.map(\.element.json),
      after: one.after + other.after)
  }

  /// Returns a difference of two traces: its text, and the event that shows it, if there is one.
  package static func line(_ difference: HIDTraceDifference) -> JSONLine {
    JSONLine { line in
      line.add("text", .string(difference.description))
      guard let moment = difference.before ?? difference.after else { return }
      line.add("side", difference.before == nil ? "second" : "first")
      line.add("time", .integer(moment.time))
      if moment.event.line > 0 { line.add("line", .integer(moment.event.line)) }
    }
  }

  /// Returns events as JSON with their times, and the number of those that are beyond the limits.
  ///
  /// In a cancelled task, it reads no further events.
  private mutating func events(
    reading reader: inout HIDTraceReader, _ limit: Int,
    _ observing: (HIDTraceEvent) -> Void = { _ in }
  ) throws(HIDTraceError) -> (events: [(time: Int64, json: JSONText)], after: Int) {
    var events: [(time: Int64, json: JSONText)] = []
    var after = 0
    var byteCount = 0
    while !Task.isCancelled, let event = try reader.next() {
      observing(event)
      guard events.count < limit, byteCount < TimelineJSON.byteLimit else {
        after += 1
        continue
      }
      guard devices.indices.contains(event.device) else { continue }
      let (time, json) = line(event)
      byteCount += json.utf8.count
      events.append((time, .object(json)))
    }
    return (events, after)
  }

  /// The devices, with their elements; the last of many devices have none.
  private var deviceLines: [JSONText] {
    var byteCount = 0
    return devices.map { device in
      var elements: JSONLine?
      if byteCount < TimelineJSON.elementByteLimit {
        elements = device.descriptor.map { ElementJSON.text(of: $0) }
      }
      byteCount += elements?.utf8.count ?? 0
      return .object(TimelineJSON.device(device.label, elements))
    }
  }

  /// Returns the time of the next event in microseconds, and the event as JSON.
  private mutating func line(_ event: HIDTraceEvent) -> (time: Int64, json: JSONLine) {
    let (time, changes) = take(event)
    let device = devices[event.device]
    let json = JSONLine { line in
      line.add("event", .string(event.kind.name.rawValue))
      line.add("device", .string(device.label))
      line.add("time", .integer(time))
      if let side { line.add("side", side) }
      if event.line > 0 { line.add("line", .integer(event.line)) }
      if let type = event.kind.reportType {
        line.add("type", .string("\(type)"))
        line.add(
          "report", .optional(event.kind.reportID(on: device.descriptor)) { .integer($0.rawValue) })
      }
      if let bytes = event.kind.reportBytes { line.add("bytes", .bytes([UInt8](bytes))) }
      if !changes.isEmpty { line.add("changes", EventJSON.values(changes)) }
      event.kind.addOutcome(to: &line)
      if let latency = event.kind.latency { line.add("latency", .integer(latency)) }
    }
    return (time, json)
  }

  /// Returns the time of the next event in microseconds since the first, and the changes that its
  /// report makes; remembers the report.
  ///
  /// - Parameter event: The event, of a device of the trace.
  mutating func take(_ event: HIDTraceEvent) -> (time: Int64, changes: [HIDNamedValue]) {
    (clock.time(of: event), changes(of: event))
  }

  /// Returns the changes that the report of an event makes, and remembers the report.
  ///
  /// A set-report request that the device has not accepted makes no changes, and its report is not
  /// remembered.
  private mutating func changes(of event: HIDTraceEvent) -> [HIDNamedValue] {
    guard let descriptor = devices[event.device].descriptor, let type = event.kind.reportType,
      event.kind.name != .original, let report = event.kind.reportBytes
    else { return [] }
    // The device does not keep a report that it has refused, or not answered.
    if case .setReport(let request) = event.kind, request.answer != .acknowledged { return [] }
    let id = event.kind.reportID(on: descriptor)
    let key = ReportKey(type: type, id: id)
    let bytes = [UInt8](report)
    // A report that is not declared has no elements.
    guard let layout = descriptor.report(type, id: id) else { return [] }
    let before = devices[event.device].reports[key]
    let changes = descriptor.namedChanges(type, from: before, to: bytes)
    HIDReportDecoder(layout).remember(
      bytes.span, in: &devices[event.device].reports[key, default: []])
    return changes
  }

  /// Returns the label of a device.
  func label(of device: Int) -> String { devices[device].label }

  /// Returns the ID of the report of an event; nil if it has none.
  func reportID(of event: HIDTraceEvent) -> HIDReportID? {
    event.kind.reportID(on: devices[event.device].descriptor)
  }
}

extension HIDTraceEvent.Kind {
  /// Adds the answer to a request, the number of lost reports, or the direction of a packet.
  func addOutcome(to line: inout JSONLine) {
    switch self {
    case .getReport(let request): line.add("answer", .string(request.answer.name))
    case .setReport(let request): line.add("answer", .string(request.answer.name))
    case .lost(let count): line.add("count", .integer(count))
    case .packet(let packet): line.add("direction", .string(packet.direction.rawValue))
    case .input, .original, .output, .opened, .closed, .plugged, .unplugged: break
    }
  }

  /// The time in microseconds that a host waited for the answer to a request; nil for other events.
  var latency: Int64? {
    switch self {
    case .getReport(let request): request.latency
    case .setReport(let request): request.latency
    default: nil
    }
  }
}
