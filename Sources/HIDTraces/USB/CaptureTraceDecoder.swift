// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A decoder of the HID traffic in a capture of USB packets: pcap or pcapng, of usbmon or USBPcap.
struct CaptureTraceDecoder: TraceDecoder {
  private(set) var warnings = TraceWarnings()
  private let source: HIDTraceSource
  private let interfaces: CaptureDevices
  private let start: Int64
  private var traffic: CaptureTraffic
  private var isOver = false

  var devices: [HIDTraceDevice] { interfaces.devices }

  /// Returns whether a file begins as a capture in pcap or pcapng, of any link type.
  static func isCapture(_ start: [UInt8]) -> Bool { CapturePacketReader.isCapture(start) }

  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    var first = try CaptureTraffic(source)
    while try first.next() != nil {}
    self.source = source
    interfaces = try CaptureDevices(first, source, options)
    start = first.start
    traffic = try CaptureTraffic(source)
    warnings = first.warnings
    for problem in interfaces.warnings { warnings.add(problem) }
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? {
    guard !isOver else { return nil }
    do throws(HIDTraceError) {
      while let passage = try traffic.next() {
        switch passage {
        case .interrupt(let packet, let device):
          guard let place = interfaces.device(of: packet, at: device) else { continue }
          if let event = event(packet, place) { return event }
        case .control(let transfer):
          guard let request = transfer.setup.reportRequest,
            let place = interfaces.device(of: request, at: transfer.device)
          else { continue }
          if let event = event(transfer, request, place) { return event }
        }
      }
    } catch {
      isOver = true
      throw error
    }
    isOver = true
    return nil
  }
}

extension CaptureTraceDecoder {
  /// Returns the event of a packet of an interrupt endpoint; nil if it has none.
  private mutating func event(_ packet: USBPacket, _ place: Int) -> HIDTraceEvent? {
    let isReport =
      packet.isIn
      ? packet.step == .completion && packet.outcome == .done : packet.step == .submission
    guard isReport, packet.byteCount > 0,
      let report = report(
        packet.payload, of: packet.byteCount, packet.number, place)
    else { return nil }
    return HIDTraceEvent(
      microseconds: packet.microseconds - start, device: place,
      kind: packet.isIn ? .input(report) : .output(report), line: packet.number)
  }

  /// Returns the event of a control transfer that gets or sets a report; nil if it has none.
  private mutating func event(
    _ transfer: USBControlTransfer, _ request: USBSetup.ReportRequest, _ place: Int
  ) -> HIDTraceEvent? {
    guard let type = request.type else {
      warnings.add(
        source.problem(
          packet: transfer.number,
          "is a request with the report type \(transfer.setup.type), not 1 (input), "
            + "2 (output) or 3 (feature), and is left out"))
      return nil
    }
    let latency = max(0, transfer.endMicroseconds - transfer.microseconds)
    let kind: HIDTraceEvent.Kind
    if request.isGet {
      guard let answer = answer(transfer, place) else { return nil }
      kind = .getReport(HIDTraceGet(type: type, id: request.id, answer: answer, latency: latency))
    } else {
      guard
        let report = report(
          transfer.data[...], of: transfer.byteCount, transfer.dataNumber, place)
      else { return nil }
      let answer: HIDRequestAnswer =
        switch transfer.end?.outcome {
        case .done: .acknowledged
        case .refused: .error
        case .givenUp, .gone, nil: .none
        }
      kind = .setReport(
        HIDTraceSet(type: type, id: request.id, report: report, answer: answer, latency: latency))
    }
    return HIDTraceEvent(
      microseconds: transfer.endMicroseconds - start, device: place,
      kind: kind, line: transfer.end?.number ?? transfer.number)
  }

  /// Returns the answer to a get-report request.
  ///
  /// It is nil for a report that was not captured completely, or that is longer than the limit.
  private mutating func answer(
    _ transfer: USBControlTransfer, _ place: Int
  ) -> HIDRequestAnswer? {
    switch transfer.end?.outcome {
    case .done:
      report(transfer.data[...], of: transfer.byteCount, transfer.dataNumber, place)
        .map { .report($0) }
    case .refused: .error
    case .givenUp, .gone, nil: HIDRequestAnswer.none
    }
  }

  /// Returns a report; nil, with a warning, if it is incomplete or longer than the limit.
  private mutating func report(
    _ bytes: ArraySlice<UInt8>, of byteCount: Int, _ number: Int, _ place: Int
  ) -> HIDReportBytes? {
    guard byteCount <= HIDTraceReader.maximumReportByteCount else {
      warnings.add(
        source.problem(
          packet: number,
          "holds a report of \(byteCount) bytes of \(devices[place].name ?? ""), and the limit is "
            + "\(HIDTraceReader.maximumReportByteCount); the report is left out"))
      return nil
    }
    guard bytes.count >= byteCount else {
      warnings.add(
        source.problem(
          packet: number,
          "holds \(bytes.count) of the \(byteCount) bytes of a report of \(devices[place].name ?? ""); "
            + "the report is left out",
          help: "capture with a longer snapshot length"))
      return nil
    }
    return HIDReportBytes(Array(bytes))
  }
}
