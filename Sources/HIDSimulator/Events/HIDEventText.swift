// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import HIDReportDescriptor
import HIDText
public import IOLoop

/// Text for people that describes events.
public enum HIDEventText {
  /// Formats an event as one line: the time, the device, and the description.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - base: The time that counts as 0.
  public static func line(_ event: HIDDeviceEvent, base: MonotonicTime) -> String {
    "\(time(event.time, base: base))  \(event.device): \(words(event))"
  }

  /// Formats the last 40 events of a log under a title, for a failure message.
  ///
  /// The title says how many events are left out.
  package static func lastLines(of log: HIDEventLog, base: MonotonicTime, title: String) -> String {
    var index = 0
    let events = log.read(from: &index).events.suffix(40)
    let missing = index - events.count
    let head = missing > 0 ? "\(title), without the first \(missing):" : "\(title):"
    return ([head] + events.map { "  " + line($0, base: base) }).joined(separator: "\n")
  }

  /// Formats a time as seconds since the base, with six decimals; 0 for a time before the base.
  public static func time(_ time: MonotonicTime, base: MonotonicTime) -> String {
    time.microseconds(since: base).decimalText(places: 6)
  }

  private static func words(_ event: HIDDeviceEvent) -> String {
    let by = (event.client.map { ", by \($0)" } ?? "") + (event.route.map { ", by \($0)" } ?? "")
    switch event.kind {
    case .plugged(let record, _, let duration):
      let node =
        record.nodes.first.map { "as \($0)" } ?? "without nodes, driver \(record.driver ?? "none"),"
      return "plugged \(node) after \(milliseconds(duration))"
    case .driverChanged(let record, _):
      return "driver changed to \(record.driver ?? "none"): \(record.nodeWords)"
    case .unusable(let problem): return "cannot be used any more: \(problem)"
    case .unplugged, .opened, .closed: return "\(event.kind.name)\(by)"
    case .output(let report): return "\(event.kind.name)\(received(report))\(by)"
    case .getReport(let type, let id, let answer):
      return "\(event.kind.name) \(type)\(number(id)): \(outcome(answer))"
        + undeclared(answer.isDeclared) + by
    case .request(let request):
      let what =
        request.bytes.map {
          "\(HIDEventName.set) \(request.type)\(number(request.id)) \(bytes($0))"
        }
        ?? "\(HIDEventName.get) \(request.type)\(number(request.id))"
      return "\(event.kind.name) \(request.number): \(what)\(undeclared(request.isDeclared))\(by)"
    case .setReport(let report, let answer):
      return "\(event.kind.name) \(report.type)\(received(report)): \(outcome(answer))\(by)"
    case .input(let report):
      return
        "\(event.kind.name)\(number(report.id)) \(bytes(report.bytes))\(changes(report.changes))"
    case .lost(let count):
      return "the device dropped \(count.counting("input report")), because too many were waiting"
    case .lostInput(let count):
      return "clients lost \(count.counting("input report")), because they read too slowly"
    case .usb(let usb): return "\(event.kind.name): \(words(usb))"
    case .fidelity(let warning):
      return "\(event.isDrivers ? "by the kernel's driver" : "warning"): \(warning)"
    case .packet(let packet): return words(packet)
    case .link(.listening(let place)): return "listening at \(place)"
    case .link(.connected): return "a client connected to the link"
    case .link(.disconnected(let reason)): return "the client left the link: \(reason)"
    case .link(.refused(let reason)): return "a client of the link was refused: \(reason)"
    }
  }

  /// Returns a clause that says what a USB host has done.
  package static func words(_ event: USBHostEvent) -> String {
    switch event {
    case .configuration(0): "the host has deconfigured the device"
    case .configuration(let number): "the host has chosen configuration \(number)"
    case .remoteWakeup(let isAllowed):
      "the host has \(isAllowed ? "allowed" : "forbidden") the device to wake it"
    case .halt(let address): "the host has halted endpoint \([address].hexText)"
    case .clearHalt(let address):
      "the host has cleared the halt of endpoint \([address].hexText)"
    case .idle(let id, let rate):
      "the host has set the idle time\(id.map { " of report \($0.rawValue)" } ?? "") to "
        + "\(4 * Int(rate)) ms"
        + (rate == 0 ? ": an unchanged report is not sent again" : "")
    case .bootProtocol(let isBoot):
      "the host has chosen the \(isBoot ? "boot" : "report") protocol"
    case .request(let bytes, let isAccepted):
      "the host has sent the \(USBHostEvent.isOfVendor(bytes) ? "vendor's request" : "class request") "
        + "\(bytes.hexText)\(isAccepted ? "" : ", refused")"
    case .withdrawal: "the host does not wait for the answer any more"
    }
  }

  private static func words(_ packet: HIDLinkPacket) -> String {
    let start = "packet \(packet.direction.rawValue)"
    guard let content = packet.content else {
      let reason = packet.problem ?? "for an unknown reason"
      return "\(start), which cannot be read: \(reason): \(packet.bytes.hexText)"
    }
    // Zeros at the end only fill up the last block, so they are left out.
    let end = content.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let shown = Array(content[..<max(end, min(2, content.count))])
    return "\(start) \(shown.hexText)  \(packet.command ?? "unknown command")"
      + (packet.isEncrypted ? ", encrypted" : "")
  }

  private static func received(_ report: HIDReceivedReport) -> String {
    var text = number(report.id) + " " + bytes(report.bytes)
    if report.raw != report.bytes { text += " (as \(bytes(report.raw)))" }
    return text + changes(report.changes) + undeclared(report.isDeclared)
      + (report.isUnhandled ? ", which no behaviour matches" : "")
  }

  /// The number of bytes of a report that an event shows.
  private static let shownByteCount = 128

  /// Returns bytes in hex; of more than 128 the first 128, and how many there are.
  private static func bytes(_ bytes: [UInt8]) -> String {
    guard bytes.count > shownByteCount else { return bytes.hexText }
    return "\(Array(bytes.prefix(shownByteCount)).hexText) … (\(bytes.count) bytes)"
  }

  private static func outcome(_ answer: HIDAnswer) -> String {
    let words: String =
      if case .report(let report) = answer.value {
        "answered \(bytes([UInt8](report)))"
      } else {
        answer.value.words
      }
    return answer.value == .none ? words : "\(words) after \(milliseconds(answer.latency))"
  }

  private static func number(_ id: HIDReportID?) -> String { id.map { " \($0)" } ?? "" }

  private static func undeclared(_ isDeclared: Bool) -> String {
    isDeclared ? "" : ", which the descriptor does not declare"
  }

  private static func changes(_ changes: [HIDNamedValue]) -> String {
    changes.isEmpty ? "" : "  " + changes.map(\.description).joined(separator: ", ")
  }

  /// Formats a duration in milliseconds, with three decimals and the unit: `1.250 ms`.
  package static func milliseconds(_ duration: Duration) -> String {
    "\(duration.wholeMicroseconds.decimalText(places: 3)) ms"
  }
}

extension MonotonicTime {
  /// Returns the number of whole microseconds since `base`; 0 if `base` is later.
  public func microseconds(since base: MonotonicTime) -> UInt64 {
    nanoseconds > base.nanoseconds ? (nanoseconds - base.nanoseconds) / 1000 : 0
  }
}
