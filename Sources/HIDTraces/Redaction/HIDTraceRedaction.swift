// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop

/// Takes out of a trace what was typed, and who typed it, event by event.
///
/// In reports of every key that carries text stands another: the first one held is the first text key that the report has
/// (on most keyboards A), one more that is held beside it the second, and so on. What is left is when keys went down and up,
/// and how many at a time: whatever was typed at that pace is the same. Modifiers, function keys, arrows, Escape,
/// Backspace and the locks stay. So does everything that the descriptor does not call a key: a report of the vendor's own
/// that repeats the keys cannot be known.
///
/// Of reports with keys padding becomes 0, and what is longer than declared; so do what a scanner of bar codes or a reader
/// of cards has read, and input reports of a keyboard that its descriptor does not declare. What a keyboard sent before the
/// kernel changed it is left out, since its layout is another. Serial numbers are left out, and addresses in physical
/// paths become zeros.
public struct HIDTraceRedaction: Sendable {
  /// The line that says in a trace of hid-recorder's text that it was redacted.
  public static let comment = "# redacted by hidsim"

  private var devices: [DeviceRedaction] = []

  /// Begins with the devices of a trace.
  public init(devices: [HIDTraceDevice]) { for device in devices { add(device) } }

  /// Adds a device behind those that are there.
  public mutating func add(_ device: HIDTraceDevice) {
    devices.append(DeviceRedaction(device.descriptor))
  }

  /// The device without what tells it from others of its kind.
  public static func redacted(_ device: HIDTraceDevice) -> HIDTraceDevice {
    var device = device
    device.serialNumber = nil
    // What a keyboard holds at first is what somebody holds down.
    device.reports.removeAll { $0.type == .input }
    device.physicalPath = device.physicalPath.map(withoutAddresses)
    return device
  }

  /// The event without what was typed.
  ///
  /// Events are given in their order: a key's release matches its press.
  ///
  /// - Returns: The event; `nil` for one that is left out, and for one of a device that is not known.
  public mutating func redacted(_ event: HIDTraceEvent) -> HIDTraceEvent? {
    guard devices.indices.contains(event.device) else { return nil }
    guard let kind = devices[event.device].redacted(event.kind) else { return nil }
    var event = event
    event.kind = kind
    return event
  }

  /// Zeros in place of addresses of six bytes, as Bluetooth's paths have them: that of the computer.
  private static func withoutAddresses(_ path: String) -> String {
    var bytes = Array(path.utf8)
    func isAddress(at start: Int) -> Bool {
      (0..<17).allSatisfy { offset in
        let byte = bytes[start + offset]
        return offset % 3 == 2
          ? byte == UInt8(ascii: ":") : Character(Unicode.Scalar(byte)).isHexDigit
      }
    }
    var start = 0
    while start + 17 <= bytes.count {
      guard isAddress(at: start) else {
        start += 1
        continue
      }
      for offset in 0..<17 where offset % 3 != 2 { bytes[start + offset] = UInt8(ascii: "0") }
      start += 17
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension HIDTrace {
  /// The trace without what was typed; see ``HIDTraceRedaction``.
  public func redacted() -> HIDTrace {
    var redaction = HIDTraceRedaction(devices: devices)
    return HIDTrace(
      devices: devices.map(HIDTraceRedaction.redacted),
      events: events.compactMap { redaction.redacted($0) }, warnings: warnings)
  }
}

/// The redaction of one device.
private struct DeviceRedaction: Sendable {
  private struct Key: Hashable {
    let type: HIDReportType
    let id: HIDReportID?
  }

  /// `nil` for a descriptor that makes no sense: then nothing of a report is known, and nothing stays.
  private let descriptor: HIDReportDescriptor?
  private let isKeyboard: Bool
  /// The reports that have come, `nil` for one without keys: only what is there is looked at, however much is declared.
  private var reports: [Key: ReportRedaction?] = [:]

  init(_ bytes: [UInt8]) {
    descriptor = try? HIDReportDescriptor(parsing: bytes)
    isKeyboard =
      descriptor.map { descriptor in
        descriptor.reports(of: .input).contains { report in
          report.fields.contains { field in
            field.usages.ranges.contains { HIDKeyUsages($0) != .harmless }
          }
        }
      } ?? true
  }

  mutating func redacted(_ kind: HIDTraceEvent.Kind) -> HIDTraceEvent.Kind? {
    switch kind {
    case .input(let bytes): return .input(redacted(bytes, .input, isInput: true))
    case .original: return isKeyboard ? nil : kind
    case .output(let bytes): return .output(redacted(bytes, .output))
    case .getReport(var get):
      if case .report(let bytes) = get.answer { get.answer = .report(redacted(bytes, get.type)) }
      return .getReport(get)
    case .setReport(var set):
      set.report = redacted(set.report, set.type)
      return .setReport(set)
    // What a packet has to do with typing only the device knows.
    case .packet: return nil
    case .opened, .closed, .plugged, .lost: return kind
    case .unplugged:
      reports = [:]  // nothing is held any more
      return kind
    }
  }

  /// - Parameter isInput: Whether it is an input report that was sent: it says which keys are held.
  private mutating func redacted(
    _ bytes: HIDReportBytes, _ type: HIDReportType, isInput: Bool = false
  ) -> HIDReportBytes {
    guard let descriptor else { return HIDReportBytes([UInt8](repeating: 0, count: bytes.count)) }
    let id =
      descriptor.numbersReports(type) ? bytes.first.flatMap(HIDReportID.init(rawValue:)) : nil
    guard let layout = descriptor.report(type, id: id) else {
      guard isKeyboard, type == .input else { return bytes }
      var zeros = [UInt8](repeating: 0, count: bytes.count)
      if let id { zeros[0] = id.rawValue }
      return HIDReportBytes(zeros)
    }
    let key = Key(type: type, id: id)
    var known = reports[key] ?? ReportRedaction(layout)
    guard known != nil else {
      reports[key] = .some(nil)
      return bytes
    }
    let result = known?.redacted([UInt8](bytes), remembers: isInput) ?? []
    reports[key] = .some(known)
    return HIDReportBytes(result)
  }
}
