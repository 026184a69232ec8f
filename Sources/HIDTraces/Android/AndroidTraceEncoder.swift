// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// An encoder that writes commands of Android's `hid` program, one object per line.
///
/// Devices keep their numbers if Android can use all of them. Otherwise, they are numbered from 1.
///
/// The first event keeps its time, unless that is before 0 or after a day. Then it is at 0, and the
/// other events keep their distances from it.
struct AndroidTraceEncoder: TraceEncoder {
  /// The longest pause before a report that is written, in milliseconds: a leap year.
  static let longestGap: Int64 = 366 * Int64(AndroidCommandReader.longestDelay)

  private(set) var leftOut: [String: Int] = [:]
  private let devices: [HIDTraceDevice]
  private let ids: [Int]
  private var clock = HIDTraceClock()
  /// The timestamp that is written as 0, in microseconds; nil before the first event.
  private var start: Int64?
  /// The time since ``start`` that each device's commands have reached, in milliseconds.
  private var written: [Int64]

  init(_ devices: [HIDTraceDevice]) {
    self.devices = devices
    let own = devices.map(\.number)
    let areUsable = Set(own).count == own.count && own.allSatisfy { (1...0x7FFF_FFFF).contains($0) }
    ids = areUsable ? own : devices.indices.map { $0 + 1 }
    written = Array(repeating: 0, count: devices.count)
  }

  // MARK: Devices

  mutating func begin(into output: inout [UInt8]) {
    for (id, device) in zip(ids, devices) { register(device, id, &output) }
  }

  private mutating func register(_ device: HIDTraceDevice, _ id: Int, _ output: inout [UInt8]) {
    var line = JSONLine()
    line.add("id", .integer(id))
    line.add("command", .string("register"))
    let name = device.name.map { text($0, limit: AndroidDevice.maximumNameByteCount) } ?? ""
    if !name.isEmpty { line.add("name", .string(name)) }
    line.add("vid", .integer(device.identity?.vendorID ?? 0))
    line.add("pid", .integer(device.identity?.productID ?? 0))
    let busType = device.identity?.busType ?? 3
    if busType != 3, busType != 5 { leaveOut("buses that are neither USB nor Bluetooth") }
    line.add("bus", .string(busType == 5 ? "bluetooth" : "usb"))
    if let serialNumber = device.serialNumber {
      line.add(
        "uniq", .string(text(serialNumber, limit: AndroidDevice.maximumSerialNumberByteCount)))
    }
    line.add("descriptor", .array(device.descriptor.map { .integer($0) }))
    let reports = device.reports.filter { $0.type == .feature && $0.bytes.count > 0 }
    leaveOut("initial reports that are not feature reports", device.reports.count - reports.count)
    if !reports.isEmpty {
      line.add(
        "feature_reports",
        .array(
          reports.map { report in
            .object {
              $0.add("id", .integer(report.id?.rawValue ?? 0))
              $0.add("data", .array(Array(report.bytes).map { .integer($0) }))
            }
          }))
    }
    if device.physicalPath != nil { leaveOut("physical paths") }
    if device.versionNumber != nil { leaveOut("release numbers") }
    output += line.utf8
    output.append(0x0A)
  }

  /// Returns the text without control characters, shortened to `limit` bytes; counts both losses.
  private mutating func text(_ text: String, limit: Int) -> String {
    var shown = ""
    if text.unicodeScalars.contains(where: \.isControl) {
      leaveOut("control characters of names and serial numbers")
    }
    for scalar in text.unicodeScalars where !scalar.isControl {
      guard shown.utf8.count + UTF8.width(scalar) <= limit else {
        leaveOut("the ends of names and serial numbers that are too long")
        break
      }
      shown.unicodeScalars.append(scalar)
    }
    return shown
  }

  // MARK: Events

  mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8]) {
    guard devices.indices.contains(event.device) else {
      return leaveOut("events with the number of a device that the trace does not declare")
    }
    let time = clock.time(of: event)
    let start = start ?? firstTime(time)
    self.start = start
    switch event.kind {
    case .input(let bytes) where bytes.count > 0: write(bytes, at: time, event.device, &output)
    case .input: leaveOut("empty input reports")
    case .original: leaveOut("reports before the kernel changed them")
    case .output: leaveOut("output reports")
    case .getReport: leaveOut("get-report requests")
    case .setReport: leaveOut("set-report requests")
    case .opened, .closed: leaveOut("open and close events")
    case .plugged, .unplugged: leaveOut("plug and unplug events")
    case .packet: leaveOut("packets of the command link")
    case .lost(let count): leaveOut("counts of lost input reports", count > 0 ? 1 : 0)
    }
  }

  private mutating func firstTime(_ time: Int64) -> Int64 {
    let day = Int64(AndroidCommandReader.longestDelay) * 1000
    guard time < 0 || time > day else { return 0 }
    leaveOut("time before the first event")
    return time
  }

  private mutating func write(
    _ bytes: HIDReportBytes, at time: Int64, _ device: Int, _ output: inout [UInt8]
  ) {
    let (difference, isTooLong) = time.subtractingReportingOverflow(start ?? 0)
    let elapsed = isTooLong ? .max : max(0, difference)
    // Absolute times are rounded, so that errors do not add up.
    let remainder = elapsed % 1000
    if remainder != 0 { leaveOut("fractions of milliseconds") }
    let milliseconds = elapsed / 1000 + (remainder >= 500 ? 1 : 0)
    var gap = max(0, milliseconds - written[device])
    written[device] = max(written[device], milliseconds)
    if gap > Self.longestGap {
      gap = Self.longestGap
      leaveOut("parts of pauses beyond a year")
    }
    while gap > 0 {
      let delay = min(gap, Int64(AndroidCommandReader.longestDelay))
      gap -= delay
      command("delay", device, &output) { $0.add("duration", .integer(delay)) }
    }
    command("report", device, &output) {
      $0.add("report", .array(Array(bytes).map { .integer($0) }))
    }
  }

  private func command(
    _ name: String, _ device: Int, _ output: inout [UInt8], _ body: (inout JSONLine) -> Void
  ) {
    var line = JSONLine()
    line.add("id", .integer(ids[device]))
    line.add("command", .string(name))
    body(&line)
    output += line.utf8
    output.append(0x0A)
  }

  private mutating func leaveOut(_ what: String, _ count: Int = 1) {
    if count > 0 { leftOut[what, default: 0] += count }
  }
}
