// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A redaction that removes typed text and personal identifiers from a trace, event by event.
///
/// Each key that carries text is replaced by another key. The first key that is held becomes the
/// first text key of the report (on most keyboards A). The second held key becomes the second text
/// key, and so on. The trace still shows when keys went down and up, and how many were held at a
/// time. All texts that are typed at that pace look the same.
///
/// Modifiers, function keys, arrows, Escape, Backspace and the locks stay. So does what the report
/// descriptor does not declare as a key, such as a vendor's own report that repeats the keys. But
/// in an array of keys, a value without a usage is replaced like a key that carries text, unless it
/// is 0 or a null value.
///
/// The data of bar code scanners and card readers become 0. In reports with keys or such data,
/// padding and bytes beyond the declared length become 0, too. All bytes of the reports of a device
/// without a valid report descriptor become 0.
///
/// Two rules apply to a device whose input reports have keys or such data. All bytes except the ID
/// become 0 in its input reports that the descriptor does not declare. Its reports from before the
/// kernel changed them are left out, because their layout is different. They are also left out for
/// a device without a valid report descriptor.
///
/// Packets of the command link are left out, over which a client sends commands to a device. Serial
/// numbers and initial input reports are left out, and addresses in physical paths become zeros.
public struct HIDTraceRedaction: Sendable {
  /// The line that marks a trace in hid-recorder's text as redacted.
  public static let comment = "# redacted by hidsim"

  private var devices: [DeviceRedaction] = []

  /// Creates a redaction for the devices of a trace.
  public init(devices: [HIDTraceDevice]) { for device in devices { add(device) } }

  /// Adds a device after the existing ones.
  public mutating func add(_ device: HIDTraceDevice) {
    devices.append(DeviceRedaction(device.descriptor))
  }

  /// Returns the device without its serial number, its initial input reports and the addresses in
  /// its physical path.
  ///
  /// Its other initial reports are redacted as reports of the trace.
  public static func redacted(_ device: HIDTraceDevice) -> HIDTraceDevice {
    var device = device
    device.serialNumber = nil
    // The first input report of a keyboard shows the keys that were held down.
    device.reports.removeAll { $0.type == .input }
    var redaction = DeviceRedaction(device.descriptor)
    for (index, report) in device.reports.enumerated() {
      device.reports[index].bytes = redaction.redacted(report.bytes, report.type)
    }
    device.physicalPath = device.physicalPath.map(withoutAddresses)
    return device
  }

  /// Returns the event without typed text.
  ///
  /// Events must be passed in their order, so that the release of a key matches its press.
  ///
  /// - Returns: The event; `nil` if it is left out, or if its device is not known.
  public mutating func redacted(_ event: HIDTraceEvent) -> HIDTraceEvent? {
    guard devices.indices.contains(event.device) else { return nil }
    guard let kind = devices[event.device].redacted(event.kind) else { return nil }
    var event = event
    event.kind = kind
    return event
  }

  /// Replaces addresses of six bytes, as in Bluetooth paths, with zeros; they identify the
  /// computer.
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
  /// Returns the trace without typed text; see ``HIDTraceRedaction``.
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

  /// The report descriptor; `nil` if it is not valid.
  ///
  /// Without it, the layout of reports is not known, and all their bytes become 0.
  private let descriptor: HIDReportDescriptor?
  private let isKeyboard: Bool
  /// The reports that have come; `nil` for a report that reveals no typed text.
  ///
  /// Only reports that occur are examined, however many the descriptor declares.
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
    // The bytes of a packet do not show whether it contains typed text.
    case .packet: return nil
    case .opened, .closed, .plugged, .lost: return kind
    case .unplugged:
      // No key is held any more.
      reports = [:]
      return kind
    }
  }

  /// - Parameter isInput: True for an input report that was sent: it shows which keys are held.
  mutating func redacted(
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
