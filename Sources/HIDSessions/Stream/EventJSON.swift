// SPDX-License-Identifier: Apache-2.0

package import HIDBus
package import HIDReportDescriptor
package import HIDSimulator
package import HIDText
package import IOLoop

/// The format of `--json`: one object a line.
///
/// Commands use these functions for the keys of events, input reports and devices.
package enum EventJSON {
  /// Returns the line for an event of a run.
  package static func line(_ event: HIDDeviceEvent, base: MonotonicTime) -> JSONLine {
    var line = JSONLine()
    line.add("event", .string(event.kind.name.rawValue))
    line.add("device", .string(event.device))
    line.add("time", .integer(event.time.microseconds(since: base)))
    switch event.kind {
    case .plugged(let record, let isolation, let duration):
      addRecord(record, to: &line)
      line.add("isolation", .string("\(isolation)"))
      line.add("ready", .integer(duration.wholeMicroseconds))
    case .driverChanged(let record, let isolation):
      addRecord(record, to: &line)
      line.add("isolation", .string("\(isolation)"))
    case .unusable(let problem): line.add("message", .string(problem))
    case .unplugged, .opened, .closed: break
    case .output(let report): add(report, to: &line)
    case .getReport(let type, let id, let answer):
      line.add("type", .string("\(type)"))
      line.add("report", .optional(id) { .integer($0.rawValue) })
      line.add("bytes", .optional(answer.value.report) { .bytes([UInt8]($0)) })
      line.add("declared", .bool(answer.isDeclared))
      add(answer, to: &line)
    case .request(let request):
      line.add("request", .integer(request.number))
      line.add("kind", request.bytes == nil ? "get" : "set")
      line.add("type", .string("\(request.type)"))
      line.add("report", .optional(request.id) { .integer($0.rawValue) })
      line.add("bytes", .optional(request.bytes) { .bytes($0) })
      line.add("raw", .optional(request.raw) { .bytes($0) })
      line.add("declared", .bool(request.isDeclared))
    case .setReport(let report, let answer):
      add(report, to: &line)
      add(answer, to: &line)
    case .input(let report):
      addInput(report.bytes, report.id, report.changes, to: &line)
    case .lost(let count): line.add("count", .integer(count))
    case .lostInput(let count):
      line.add("type", "input")
      line.add("count", .integer(count))
    case .usb(let event): add(event, to: &line)
    case .fidelity(let warning):
      line.add("message", .string(warning))
      line.add("byDriver", .bool(event.isDrivers))
    case .packet(let packet):
      line.add("direction", .string(packet.direction.rawValue))
      line.add("command", .optional(packet.command) { .string($0) })
      line.add("content", .optional(packet.content) { .bytes($0) })
      line.add("bytes", .bytes(packet.bytes))
      line.add("encrypted", .bool(packet.isEncrypted))
      line.add("message", .optional(packet.problem) { .string($0) })
    case .link(let change): add(change, to: &line)
    }
    if let route = event.route { line.add("by", .string(route.rawValue)) }
    if let client = event.client {
      line.add("client", .string(client.program))
      line.add("process", .integer(client.processID))
    }
    return line
  }

  private static func add(_ report: HIDReceivedReport, to line: inout JSONLine) {
    line.add("type", .string("\(report.type)"))
    line.add("report", .optional(report.id) { .integer($0.rawValue) })
    line.add("bytes", .bytes(report.bytes))
    line.add("raw", .bytes(report.raw))
    line.add("changes", values(report.changes))
    line.add("declared", .bool(report.isDeclared))
    if report.isUnhandled { line.add("handled", false) }
  }

  /// Adds the kind of the answer to a request, and its latency.
  private static func add(_ answer: HIDAnswer, to line: inout JSONLine) {
    line.add("answer", .string(answer.value.name))
    line.add("latency", .integer(answer.latency.wholeMicroseconds))
  }

  private static func add(_ event: USBHostEvent, to line: inout JSONLine) {
    line.add("change", .string(event.name.rawValue))
    if case .idle(let id, _) = event {
      line.add("report", .optional(id) { .integer($0.rawValue) })
    }
    switch event.value {
    case .number(let number), .endpoint(let number): line.add("value", .integer(number))
    case .isOn(let isOn): line.add("value", .bool(isOn))
    case .time(let time): line.add("value", .integer(time.wholeMicroseconds))
    case .bytes(let pattern): line.add("value", .string("\(pattern)"))
    case .isBoot(let isBoot): line.add("value", isBoot ? "boot" : "report")
    case nil: break
    }
    line.add("message", .string(HIDEventText.words(event)))
  }

  private static func add(_ change: HIDLinkChange, to line: inout JSONLine) {
    switch change {
    case .listening(let place):
      line.add("state", "listening")
      line.add("link", .string(place))
    case .connected: line.add("state", "connected")
    case .disconnected(let reason):
      line.add("state", "disconnected")
      line.add("message", .string(reason))
    case .refused(let reason):
      line.add("state", "refused")
      line.add("message", .string(reason))
    }
  }

  /// Adds the keys of an input report.
  package static func addInput(
    _ bytes: [UInt8], _ id: HIDReportID?, _ changes: [HIDNamedValue], to line: inout JSONLine
  ) {
    line.add("type", "input")
    line.add("report", .optional(id) { .integer($0.rawValue) })
    line.add("bytes", .bytes(bytes))
    line.add("raw", .bytes(bytes))
    line.add("changes", values(changes))
  }

  /// Returns names and their values as an object; a name that occurs twice has its last value.
  package static func values(_ values: [HIDNamedValue]) -> JSONText {
    .object { object in
      var last = Dictionary(values.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
      for name in values.map(\.name) {
        if let value = last.removeValue(forKey: name) { object.add(name, .integer(value)) }
      }
    }
  }

  /// Adds the keys of a device's record.
  package static func addRecord(_ record: HIDDeviceRecord, to line: inout JSONLine) {
    line.add("bus", .string(record.bus.description))
    line.add("node", .optional(record.node) { .string($0) })
    line.add("eventNodes", .array(record.eventNodes.map { .string($0) }))
    line.add("driver", .optional(record.driver) { .string($0) })
    line.add("id", .string(record.id.description))
    line.add("name", .string(record.identity.name))
    line.add("vendorID", .integer(record.identity.vendorID))
    line.add("productID", .integer(record.identity.productID))
    line.add("version", .integer(record.identity.versionNumber))
    line.add("transport", .string(record.identity.transport.name))
    line.add("serialNumber", .string(record.identity.serialNumber))
    line.add("manufacturer", .string(record.identity.manufacturer))
    line.add("physicalPath", .string(record.physicalPath))
    line.add("kind", .string(record.kind))
    line.add("ours", .bool(record.isOurs))
  }
}

extension HIDDeviceRecord {
  /// The kind of the device by its primary usage: `keyboard`, `mouse`, `0xff00.0x0001`.
  ///
  /// It is `unknown` if the report descriptor is not valid or has no primary usage.
  package var kind: String {
    guard let descriptor = try? HIDReportDescriptor(parsing: descriptorBytes),
      let usage = descriptor.primaryUsage
    else { return "unknown" }
    let name = usage.name
    return name.hasPrefix("genericDesktop.")
      ? String(name.dropFirst("genericDesktop.".count)) : name
  }

  /// The vendor and product IDs in at least four hexadecimal digits each: `1209:0001`.
  package var ids: String { "\(identity.vendorID.hexDigits(4)):\(identity.productID.hexDigits(4))" }
}
