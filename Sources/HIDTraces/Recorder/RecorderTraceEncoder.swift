// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText

/// An encoder of hid-recorder's text: `R:`, `N:`, `P:`, `I:`, `E:` and `B:` lines, and `#!` lines
/// for all other data.
///
/// If there are several devices, a `D:` line precedes each device and each change of device. A
/// single device to which others are added later has no `D:` line before it. Control characters in
/// names, paths and serial numbers become blanks: the format cannot contain line breaks in them.
struct RecorderTraceEncoder: TraceEncoder {
  var leftOut: [String: Int] { [:] }

  private var devices: [HIDTraceDevice]
  private var numbers: [Int]
  private var needsSwitches: Bool
  private var current: Int
  private var hasVersion = false

  init(_ devices: [HIDTraceDevice]) {
    self.devices = devices
    let own = devices.map(\.number)
    // Other formats number their devices in other ways, or not at all. hid-replay needs a device 0.
    let areUsable =
      Set(own).count == own.count && own.allSatisfy { (0...65535).contains($0) }
      && own.contains(0)
    numbers = areUsable ? own : Array(devices.indices)
    needsSwitches = numbers != [0]
    current = max(0, devices.count - 1)
  }

  mutating func begin(into output: inout [UInt8]) {
    for index in devices.indices { writeDevice(index, into: &output) }
  }

  mutating func add(_ device: HIDTraceDevice, into output: inout [UInt8]) -> Bool {
    guard numbers.allSatisfy({ $0 < 65535 }) else { return false }
    let isFirst = devices.isEmpty
    devices.append(device)
    numbers.append((numbers.max() ?? -1) + 1)
    needsSwitches = !isFirst || numbers != [0]
    current = devices.count - 1
    writeDevice(current, into: &output)
    return true
  }

  private mutating func writeDevice(_ index: Int, into output: inout [UInt8]) {
    let device = devices[index]
    if needsSwitches { output.append(text: "D: \(numbers[index])\n") }
    output.append(text: "R: ")
    output.append(counted: device.descriptor.span)
    output.append(0x0A)
    // hid-replay chooses a name if there is no `N:` line. It terminates on a name of blanks.
    let name = (device.name ?? "").inOneLine
    if !name.isBlank { output.append(text: "N: \(name)\n") }
    if let path = device.physicalPath { output.append(text: "P: \(path.inOneLine)\n") }
    // hid-replay terminates without an identity.
    let identity = device.identity ?? HIDTraceDevice.Identity(busType: 3, vendorID: 0, productID: 0)
    let bus = String(identity.busType, radix: 16)
    output.append(
      text: "I: \(bus) \(identity.vendorID.hexDigits()) \(identity.productID.hexDigits())\n")
    if device.identity == nil {
      writeVersion(into: &output)
      output.append(text: "#! unidentified\n")
    }
    if let number = device.versionNumber {
      writeVersion(into: &output)
      output.append(text: "#! version \(number.hexDigits())\n")
    }
    if let serial = device.serialNumber {
      writeVersion(into: &output)
      output.append(text: "#! serial \(serial.inOneLine)\n")
    }
    for report in device.reports {
      writeVersion(into: &output)
      output.append(text: "#! report")
      write(report.type, report.id, into: &output)
      output.append(0x20)
      report.bytes.withSpan { output.append(counted: $0) }
      output.append(0x0A)
    }
  }

  mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8]) {
    guard devices.indices.contains(event.device) else { return }
    if needsSwitches, event.device != current {
      output.append(text: "D: \(numbers[event.device])\n")
      current = event.device
    }
    let time = event.microseconds
    switch event.kind {
    case .input(let report): write("E: ", time, report, into: &output)
    case .original(let report): write("B: ", time, report, into: &output)
    case .output(let report):
      begin(.output, time, into: &output)
      output.append(0x20)
      report.withSpan { output.append(counted: $0) }
    case .getReport(let request):
      begin(.get, time, into: &output)
      write(request.type, request.id, request.latency, into: &output)
      output.append(text: " \(request.answer.recorderWord)")
      if case .report(let report) = request.answer {
        output.append(text: " ")
        report.withSpan { output.append(counted: $0) }
      }
    case .setReport(let request):
      begin(.set, time, into: &output)
      write(request.type, request.id, request.latency, into: &output)
      output.append(text: " \(request.answer.recorderWord) ")
      request.report.withSpan { output.append(counted: $0) }
    case .opened, .closed, .plugged, .unplugged: begin(event.kind.name, time, into: &output)
    case .lost(let count):
      begin(.lost, time, into: &output)
      output.append(text: " \(count)")
    case .packet(let packet):
      begin(.packet, time, into: &output)
      output.append(text: " \(packet.direction.rawValue) \(packet.isReadable ? "" : "unread ")")
      packet.bytes.withSpan { output.append(counted: $0) }
    }
    output.append(0x0A)
  }

  private func write(
    _ start: StaticString, _ time: Int64, _ report: HIDReportBytes, into output: inout [UInt8]
  ) {
    output.append(text: "\(start)")
    output.append(stamp: time)
    output.append(0x20)
    report.withSpan { output.append(counted: $0) }
  }

  private mutating func begin(_ name: HIDEventName, _ time: Int64, into output: inout [UInt8]) {
    writeVersion(into: &output)
    output.append(text: "#! \(name.word) ")
    output.append(stamp: time)
  }

  private func write(
    _ type: HIDReportType, _ id: HIDReportID?, _ latency: Int64, into output: inout [UInt8]
  ) {
    write(type, id, into: &output)
    output.append(text: " \(max(0, latency))")
  }

  private func write(_ type: HIDReportType, _ id: HIDReportID?, into output: inout [UInt8]) {
    let name =
      switch type {
      case .input: "input"
      case .output: "output"
      case .feature: "feature"
      }
    output.append(text: " \(name) \(id.map { String($0.rawValue) } ?? "-")")
  }

  /// Writes the line that marks the `#!` lines as hidsim's, before the first `#!` line.
  private mutating func writeVersion(into output: inout [UInt8]) {
    guard !hasVersion else { return }
    hasVersion = true
    output.append(text: "#! hidsim trace \(RecorderLineParser.version)\n")
  }
}

extension [UInt8] {
  mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// Adds a time as recordings write it: at least six digits of seconds, and six of microseconds.
  ///
  /// A negative time is written as 0.
  mutating func append(stamp microseconds: Int64) {
    let time = Swift.max(0, microseconds)
    append(digits: time / 1_000_000)
    append(0x2E)
    append(digits: time % 1_000_000)
  }

  /// Adds a number with at least six digits.
  private mutating func append(digits number: Int64) {
    if number >= 1_000_000 { return append(text: String(number)) }
    var divisor: Int64 = 100_000
    while divisor > 0 {
      append(0x30 + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }

  /// Adds the number of bytes, and the bytes in hexadecimal.
  mutating func append(counted bytes: Span<UInt8>) {
    append(text: String(bytes.count))
    for index in bytes.indices {
      append(0x20)
      append(hexDigit: bytes[index] >> 4)
      append(hexDigit: bytes[index] & 15)
    }
  }

  private mutating func append(hexDigit value: UInt8) { append(value + (value < 10 ? 0x30 : 0x57)) }
}

extension HIDRequestAnswer {
  /// The word for the answer in a recording of hid-recorder with the lines of hidsim.
  var recorderWord: String {
    switch self {
    case .report: "report"
    case .acknowledged: "accepted"
    case .error: "refused"
    case .none: "none"
    }
  }
}
