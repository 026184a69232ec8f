// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDText

/// The devices of hid-recorder's text, from one pass over it that skips the reports.
struct RecorderHeaders {
  private var parser: RecorderLineParser
  private(set) var devices: [HIDTraceDevice] = []
  private(set) var places: [Int: Int] = [:]
  /// True if the timestamps go back from one device to another.
  ///
  /// Timestamps that go back within one device do not count.
  private(set) var goesBack = false

  /// The largest number of initial reports of a device: one for each ID of each type.
  private static let reportCapacity = 768
  /// The largest total number of bytes of the initial reports of all devices.
  private static let reportByteCapacity = 1 << 20

  private var current = 0
  private var hasTooMany = false
  private var reportByteCount = 0
  /// The first line of each device.
  private var firstLines: [Int] = []
  private var latest: Int64 = .min
  private var clocks: [Int64] = []

  var warnings: TraceWarnings { parser.problems.warnings }

  /// Reads the devices.
  ///
  /// - Throws: The problems of the devices and of the `#!` lines, together with those of the other
  ///   events, up to twenty. Problems of `E:` and `B:` lines alone are not found here.
  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    parser = RecorderLineParser(file: source.name, isLenient: options.isLenient)
    var lines = TraceLines(source)
    while let range = try lines.next() {
      parser.problems.line = lines.number
      if isReport(lines.bytes.span, range) {
        note(try? stamp(lines.bytes[range]))
      } else if parser.problems.isFull {
        break
      } else {
        take(parser.parse(lines.bytes[range], isWhole: lines.isWhole))
      }
    }
    leaveOutCutDevice()
    checkDevices()
    guard parser.problems.problems.isEmpty else { throw try allProblems(source, options) }
  }

  /// Returns whether a line is an `E:` or `B:` line.
  private func isReport(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard range.count >= 2, bytes[range.lowerBound + 1] == 0x3A else { return false }
    return bytes[range.lowerBound] == 0x45 || bytes[range.lowerBound] == 0x42
  }

  private struct NoStamp: Error {}

  /// Returns the time in microseconds, with the same limits and meaning as
  /// ``RecorderLineParser/parseStamp(_:)``, also without six digits of microseconds; throws if it
  /// is not valid.
  private func stamp(_ line: ArraySlice<UInt8>) throws(NoStamp) -> Int64 {
    var seconds: Int64?
    var value: Int64 = 0
    var digits = 0
    for byte in line.dropFirst(2) {
      switch byte {
      case 0x30...0x39 where digits < 18:
        value = value * 10 + Int64(byte - 0x30)
        digits += 1
      case 0x2E where seconds == nil && digits > 0 && value < 1 << 40:
        seconds = value
        value = 0
        digits = 0
      case 0x20, 0x09:
        if seconds == nil, digits == 0 { continue }
        guard let seconds, digits > 0, value < 1_000_000_000 else { throw NoStamp() }
        return seconds * 1_000_000 + value
      default: throw NoStamp()
      }
    }
    throw NoStamp()
  }

  private mutating func note(_ stamp: Int64?) {
    let place = place()
    guard let stamp, let place else { return }
    clocks[place] = max(clocks[place], stamp)
    if clocks[place] < latest { goesBack = true }
    latest = max(latest, clocks[place])
  }

  private mutating func take(_ line: RecorderLine?) {
    switch line {
    case .device(let number):
      current = number
      _ = place()
    case .event(let time, _): note(time)
    case .descriptor(let bytes):
      guard let place = place() else { return }
      if devices[place].line > 0 {
        parser.problems.doubt(
          """
          device \(current) has a report descriptor already, in line \(devices[place].line)
          """, at: 1,
          help:
            "if there are several devices, write a \"D: …\" line before the lines of each device")
      }
      devices[place].descriptor = bytes
      devices[place].line = parser.problems.line
    case .name(let text): change { $0.name = text }
    case .physicalPath(let text): change { $0.physicalPath = text.isEmpty ? nil : text }
    case .identity(let identity): change { $0.identity = identity }
    case .unidentified: change { $0.identity = nil }
    case .serialNumber(let text): change { $0.serialNumber = text }
    case .versionNumber(let number): change { $0.versionNumber = number }
    case .report(let report): take(report)
    case .version, nil: break
    }
  }

  private mutating func take(_ report: HIDTraceInitialReport) {
    guard let place = place() else { return }
    guard devices[place].reports.count < Self.reportCapacity else {
      return parser.problems.fail(
        "the device has more than \(Self.reportCapacity) initial reports", at: 1)
    }
    reportByteCount += report.bytes.count
    guard reportByteCount <= Self.reportByteCapacity else {
      return parser.problems.fail(
        "the initial reports of all devices have more than "
          + "\(Self.reportByteCapacity) bytes together",
        at: 1)
    }
    devices[place].reports.append(report)
  }

  private mutating func change(_ body: (inout HIDTraceDevice) -> Void) {
    if let place = place() { body(&devices[place]) }
  }

  /// Returns the index of the device to which the current lines belong.
  ///
  /// Adds the device if it is new. If there are too many devices, adds a problem once, and returns
  /// nil.
  private mutating func place() -> Int? {
    if let place = places[current] { return place }
    guard devices.count < HIDTraceReader.maximumDeviceCount else {
      guard !hasTooMany else { return nil }
      hasTooMany = true
      parser.problems.fail(HIDTraceReader.tooManyDevices, at: 1)
      return nil
    }
    places[current] = devices.count
    devices.append(HIDTraceDevice(number: current, descriptor: []))
    firstLines.append(parser.problems.line)
    clocks.append(.min)
    return devices.count - 1
  }

  /// Leaves out the last of several devices if the file ends with its lines, and they have neither
  /// a report descriptor nor an event.
  private mutating func leaveOutCutDevice() {
    guard devices.count > 1, let device = devices.last, device.number == current,
      device.line == 0, clocks.last == .min, let line = firstLines.last
    else { return }
    parser.problems.line = line
    parser.problems.warn(
      "device \(device.number) is left out: the file ends before its report descriptor",
      at: 1)
    places[device.number] = nil
    devices.removeLast()
  }

  private mutating func checkDevices() {
    guard parser.problems.problems.isEmpty else { return }
    if devices.allSatisfy({ $0.line == 0 }), devices.allSatisfy({ $0.name == nil }) {
      return parser.problems.fail(
        "expected a recording, found no R: line", at: .start,
        help: "a recording holds a report descriptor as \"R: 64 05 01 …\"")
    }
    for (device, line) in zip(devices, firstLines) where device.line == 0 {
      parser.problems.fail(
        "device \(device.number) has no report descriptor",
        at: HIDTextLocation(line: line, column: 1),
        help: "add a line \"R: 64 05 01 …\"")
    }
  }

  /// Returns the problems of the devices and of the events, in the order of the file.
  private func allProblems(
    _ source: HIDTraceSource, _ options: HIDTraceReadingOptions
  ) throws(HIDTraceError) -> HIDTraceError {
    var problems = parser.problems.problems
    var cursor = RecorderCursor(source, options, places: places)
    do throws(HIDTraceError) {
      while try cursor.next() != nil {}
    } catch {
      problems += error.problems.filter { !problems.contains($0) }
    }
    return HIDTraceError(
      problems: Array(
        problems.sorted { $0.location < $1.location }.prefix(RecorderProblems.capacity)))
  }
}
