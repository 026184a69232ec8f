// SPDX-License-Identifier: Apache-2.0

/// The events of hid-recorder's text in the order of the file: of all devices, or of one.
struct RecorderCursor: Sendable {
  private var lines: TraceLines
  private var parser: RecorderLineParser
  /// The index of each device by its number.
  private let places: [Int: Int]
  /// The index of the only device whose events are read; nil to read the events of all devices.
  private let only: Int?
  /// The index of the device to which the current lines belong; nil if it has none.
  private var current: Int?
  private var latest: [Int64]

  var warnings: TraceWarnings { parser.problems.warnings }

  init(
    _ source: HIDTraceSource, _ options: HIDTraceReadingOptions, places: [Int: Int],
    only: Int? = nil
  ) {
    lines = TraceLines(source)
    parser = RecorderLineParser(file: source.name, isLenient: options.isLenient)
    self.places = places
    self.only = only
    current = places[0]
    latest = Array(repeating: 0, count: places.count)
  }

  /// Reads the next event; nil at the end.
  ///
  /// - Throws: The problems from this position to the end of the file, up to twenty.
  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    while let range = try lines.next() {
      if let (time, report) = RecorderFastLine.parse(lines.bytes.span, range) {
        if let event = event(time, .input(report)) { return event }
        continue
      }
      if let event = try read(range) { return event }
    }
    try parser.problems.check()
    return nil
  }

  /// Passes events to a visitor while it wants more, and returns whether there may be more.
  ///
  /// - Throws: As ``next()`` does.
  mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    var report = InlineArray<64, UInt8>(repeating: 0)
    while visitor.wantsMore {
      // Most lines have the form of `RecorderFastLine` and are complete, so their ends need not be
      // searched.
      if let line = RecorderFastLine.parse(
        lines.bytes.span, from: lines.position, into: &report)
      {
        lines.skip(to: line.end)
        guard let device = note(line.microseconds) else { continue }
        visitor.input(
          report.span.extracting(first: line.count), device: device, at: line.microseconds,
          line: lines.number)
        continue
      }
      guard let range = try lines.next() else {
        try parser.problems.check()
        return false
      }
      if let (time, report) = RecorderFastLine.parse(lines.bytes.span, range) {
        if let event = event(time, .input(report)) { visitor.take(event) }
      } else if let event = try read(range) {
        visitor.take(event)
      }
    }
    return true
  }

  /// Reads a line that ``RecorderFastLine`` does not read; nil if it has no event to return.
  private mutating func read(_ range: Range<Int>) throws(HIDTraceError) -> HIDTraceEvent? {
    parser.problems.line = lines.number
    if parser.problems.isFull { try parser.problems.check() }
    switch parser.parse(lines.bytes[range], isWhole: lines.isWhole) {
    case .device(let number): current = places[number]
    case .event(let time, let kind): return event(time, kind)
    // The other lines describe devices, which were read before.
    default: break
    }
    return nil
  }

  private mutating func event(_ time: Int64, _ kind: HIDTraceEvent.Kind) -> HIDTraceEvent? {
    note(time).map {
      HIDTraceEvent(microseconds: time, device: $0, kind: kind, line: lines.number)
    }
  }

  /// Records the time of an event and returns the index of its device.
  ///
  /// It is nil if the events of the device are not read, or after a problem.
  private mutating func note(_ time: Int64) -> Int? {
    // A device without an index was rejected or left out when the devices were read.
    guard let device = current, only == nil || only == device else { return nil }
    guard parser.problems.problems.isEmpty else { return nil }
    if time < latest[device] {
      parser.problems.line = lines.number
      parser.problems.warn(timeGoesBack(from: latest[device], to: time), at: 1)
    }
    latest[device] = time
    return device
  }
}

/// Returns the warning about a time that is before the time of the event before it.
func timeGoesBack(from earlier: Int64, to later: Int64) -> String {
  "the time goes back from \(recorderStamp(earlier)) to \(recorderStamp(later))"
}

/// Returns a time as recordings write it: at least six digits of seconds, and six of microseconds.
private func recorderStamp(_ microseconds: Int64) -> String {
  var text: [UInt8] = []
  text.append(stamp: microseconds)
  return String(decoding: text, as: UTF8.self)
}
