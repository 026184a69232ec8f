// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
import HIDText

extension HIDTraceEvent {
  /// The names of the events that a trace can have.
  public static let names: [HIDEventName] = [
    .input, .original, .output, .get, .set, .opened, .closed, .plugged, .unplugged, .lost, .packet,
  ]
}

extension HIDTraceEvent.Kind {
  /// The name of the event.
  public var name: HIDEventName {
    switch self {
    case .input: .input
    case .original: .original
    case .output: .output
    case .getReport: .get
    case .setReport: .set
    case .opened: .opened
    case .closed: .closed
    case .plugged: .plugged
    case .unplugged: .unplugged
    case .lost: .lost
    case .packet: .packet
    }
  }

  /// The type of the report that the event has or asks for; nil for other events.
  package var reportType: HIDReportType? {
    switch self {
    case .input, .original: .input
    case .output: .output
    case .getReport(let request): request.type
    case .setReport(let request): request.type
    case .opened, .closed, .plugged, .unplugged, .lost, .packet: nil
    }
  }

  /// The bytes of the event: its report, the report that answers a get-report request, or a packet.
  ///
  /// It is nil if the event has no such bytes. Setting it then has no effect, nor has setting it to
  /// nil.
  package var reportBytes: HIDReportBytes? {
    get {
      switch self {
      case .input(let report), .original(let report), .output(let report): report
      case .setReport(let request): request.report
      case .getReport(let request):
        if case .report(let report) = request.answer { report } else { nil }
      case .packet(let packet): packet.bytes
      case .opened, .closed, .plugged, .unplugged, .lost: nil
      }
    }
    set {
      guard let report = newValue else { return }
      switch self {
      case .input: self = .input(report)
      case .original: self = .original(report)
      case .output: self = .output(report)
      case .setReport(var request):
        request.report = report
        self = .setReport(request)
      case .getReport(var request):
        guard case .report = request.answer else { return }
        request.answer = .report(report)
        self = .getReport(request)
      case .packet(var packet):
        packet.bytes = report
        self = .packet(packet)
      case .opened, .closed, .plugged, .unplugged, .lost: break
      }
    }
  }

  /// Returns the ID of the report that the event has or asks for.
  ///
  /// It is nil if the report is unnumbered, or if the event has no report.
  ///
  /// - Parameter descriptor: The report descriptor of the device, which says whether reports have
  ///   IDs. If it is nil, only get-report and set-report requests have an ID.
  package func reportID(on descriptor: HIDReportDescriptor?) -> HIDReportID? {
    switch self {
    case .getReport(let request): return request.id
    case .setReport(let request): return request.id
    default:
      guard let type = reportType, descriptor?.numbersReports(type) == true else { return nil }
      return reportBytes?.first.flatMap(HIDReportID.init(rawValue:))
    }
  }
}

extension HIDTraceEvent {
  /// Returns the event as text: `input 1 01 ff`, `get feature 3: answered 03 00`.
  ///
  /// - Parameter descriptor: The report descriptor of the device, which says whether reports have
  ///   IDs.
  package func words(on descriptor: HIDReportDescriptor?) -> String {
    let number = kind.reportID(on: descriptor).map { " \($0)" } ?? ""
    func bytes(_ report: HIDReportBytes) -> String {
      report.count > 0 ? " \(report)" : " of no bytes"
    }
    switch kind {
    case .input(let report), .output(let report): return "\(kind.name)\(number)\(bytes(report))"
    case .original(let report):
      return "input\(number), before the kernel changed it,\(bytes(report))"
    case .getReport(let request):
      return "\(kind.name) \(request.type)\(number): \(request.answer.words)"
    case .setReport(let request):
      return
        "\(kind.name) \(request.type)\(number)\(bytes(request.report)): \(request.answer.words)"
    case .opened, .closed, .plugged, .unplugged: return "\(kind.name)"
    case .packet(let packet):
      return
        "\(kind.name) \(packet.direction.rawValue)\(packet.isReadable ? "" : ", not readable,")"
        + bytes(packet.bytes)
    case .lost(let count): return "the recorder lost \(count) input report\(count == 1 ? "" : "s")"
    }
  }
}

/// Returns a time in microseconds as text, in seconds with six decimal places.
package func secondsText(_ microseconds: Int64) -> String { microseconds.decimalText(places: 6) }
