// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import HIDReportDescriptor
import HIDSimulator
import HIDText
package import HIDTraces

extension HIDTraceDevice {
  /// Creates a device of a trace from a plugged device, with the identity that its bus reports.
  package init(_ record: HIDDeviceRecord, number: Int = 0) {
    let identity = record.identity
    self.init(
      number: number, descriptor: record.descriptorBytes, name: identity.name,
      physicalPath: record.physicalPath.isEmpty ? nil : record.physicalPath,
      serialNumber: identity.serialNumber.isEmpty ? nil : identity.serialNumber,
      identity: Identity(
        busType: identity.transport.busType,
        vendorID: UInt16(truncatingIfNeeded: identity.vendorID),
        productID: UInt16(truncatingIfNeeded: identity.productID)),
      versionNumber: identity.versionNumber == 0
        ? nil : UInt16(truncatingIfNeeded: identity.versionNumber))
  }

  /// Creates a device of a trace from an interface in this process, which need not be plugged.
  init(_ interface: SimulatedInterface, of device: HIDDeviceDefinition, number: Int) {
    self.init(
      number: number, descriptor: interface.definition.descriptor.bytes, name: device.name,
      serialNumber: device.serialNumber,
      identity: Identity(
        busType: device.transport.busType, vendorID: device.vendorID, productID: device.productID),
      versionNumber: device.versionNumber == 0 ? nil : device.versionNumber)
  }
}

extension HIDTraceEvent.Kind {
  /// Creates the trace event for an event of a simulated device; nil if a trace has none for it,
  /// and for `plugged`, which the caller records.
  init?(_ kind: HIDDeviceEvent.Kind) {
    switch kind {
    case .unplugged: self = .unplugged
    case .opened: self = .opened
    case .closed: self = .closed
    case .output(let report): self = .output(HIDReportBytes(report.bytes))
    case .getReport(let type, let id, let answer):
      self = .getReport(
        HIDTraceGet(
          type: type, id: id, answer: answer.value, latency: answer.latency.wholeMicroseconds))
    case .setReport(let report, let answer):
      self = .setReport(
        HIDTraceSet(
          type: report.type, id: report.id, report: HIDReportBytes(report.bytes),
          answer: answer.value, latency: answer.latency.wholeMicroseconds))
    case .input(let report): self = .input(HIDReportBytes(report.bytes))
    case .packet(let packet):
      self = .packet(
        HIDTracePacket(
          packet.direction == .received ? .received : .sent, isReadable: packet.content != nil,
          bytes: HIDReportBytes(packet.content ?? packet.bytes)))
    case .plugged, .driverChanged, .unusable, .request, .lost, .lostInput, .usb, .fidelity, .link:
      return nil
    }
  }

  /// Creates the trace event for an event of another hidsim process; nil if a trace has none, or if
  /// the bytes, the type or the direction of the event is missing or not valid.
  ///
  /// Without a valid latency, the latency is 0. A `get` event without valid bytes has no report.
  ///
  /// - Parameter line: An event as ``EventJSON`` writes it.
  init?(_ line: JSONNode) {
    guard case .string(let text)? = line["event"]?.value, let name = HIDEventName(rawValue: text)
    else { return nil }
    switch name {
    case .plugged: self = .plugged
    case .unplugged: self = .unplugged
    case .opened: self = .opened
    case .closed: self = .closed
    case .input, .output:
      guard let bytes = line.reportBytes else { return nil }
      self = name == .input ? .input(bytes) : .output(bytes)
    case .packet:
      guard case .string(let word)? = line["direction"]?.value,
        let direction = HIDTracePacket.Direction(rawValue: word)
      else { return nil }
      let content = line.bytes("content")
      guard let bytes = content ?? line.reportBytes else { return nil }
      self = .packet(HIDTracePacket(direction, isReadable: content != nil, bytes: bytes))
    case .get:
      guard let type = line.reportType else { return nil }
      self = .getReport(
        HIDTraceGet(
          type: type, id: line.reportID,
          answer: line.reportBytes.map { .report($0) } ?? line.answer ?? .error,
          latency: line.latency))
    case .set:
      guard let type = line.reportType, let bytes = line.reportBytes else { return nil }
      self = .setReport(
        HIDTraceSet(
          type: type, id: line.reportID, report: bytes,
          answer: line.answer ?? .error,
          latency: line.latency))
    default: return nil
    }
  }
}

extension JSONNode {
  /// The answer to a request, if it is no report; nil if there is no valid one.
  fileprivate var answer: HIDRequestAnswer? {
    let others: [HIDRequestAnswer] = [.acknowledged, .error, .none]
    if let answer = others.first(where: { self["answer"]?.value == .string($0.name) }) {
      return answer
    }
    // Hidsim 0.1 writes "silent" and "answered" instead of "answer".
    if self["silent"]?.value == .bool(true) { return HIDRequestAnswer.none }
    return self["answered"]?.value == .bool(true) ? .acknowledged : nil
  }

  fileprivate var reportBytes: HIDReportBytes? { bytes("bytes") }

  fileprivate func bytes(_ key: String) -> HIDReportBytes? {
    guard case .string(let text)? = self[key]?.value else { return nil }
    return try? HIDReportBytes(HexText.bytes(text, as: .printed).get())
  }

  fileprivate var reportType: HIDReportType? {
    guard case .string(let text)? = self["type"]?.value else { return nil }
    return HIDReportType.allCases.first { "\($0)" == text }
  }

  fileprivate var reportID: HIDReportID? {
    guard case .integer(let number)? = self["report"]?.value else { return nil }
    return UInt8(exactly: number).flatMap(HIDReportID.init(rawValue:))
  }

  fileprivate var latency: Int64 {
    guard case .integer(let number)? = self["latency"]?.value else { return 0 }
    return Int64(max(0, number))
  }
}
