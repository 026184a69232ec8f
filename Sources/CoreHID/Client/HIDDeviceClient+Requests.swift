// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDWire
import IOLoop

extension HIDDeviceClient {
  /// Asks the device for a report.
  ///
  /// Requests of one client reach the device one after the other.
  ///
  /// - Parameters:
  ///   - type: The type of the report.
  ///   - id: Its ID; not needed where there is one report of the type.
  ///   - timeout: How long to wait; `nil` for as long as the bus does, which is 5 s.
  /// - Returns: The report, its ID first where the device numbers its reports.
  /// - Throws: ``HIDDeviceError``: `badArgument` if it does not say which report; `timeout`; `ioError` if the device
  ///   refused, or did not answer; `exclusiveAccess` while another client has seized the device; `notReady` when it is
  ///   gone; `notPrivileged`, `noResources` if it cannot be opened.
  public func dispatchGetReportRequest(
    type: HIDReportType, id: HIDReportID? = nil, timeout: Duration? = nil
  ) async throws -> Data {
    let id = try reportID(type, id)
    return Data(try await get(type, id, until: Self.deadline(timeout)))
  }

  /// Sends the device a report.
  ///
  /// Feature and input reports are waited for until the device has taken them; output reports are sent without an answer,
  /// as the kernel does it.
  ///
  /// - Parameters:
  ///   - type: The type of the report.
  ///   - id: Its ID; not needed where there is one report of the type, or `data` begins with it.
  ///   - data: The report, its ID first where the device numbers its reports. It need not be as long as declared; where
  ///     reports have no ID, zeros fill it up.
  ///   - timeout: How long to wait; `nil` for as long as the bus does, which is 5 s.
  /// - Throws: ``HIDDeviceError``: `badArgument` if `data` is empty, or does not begin with the ID; `messageTooLarge`;
  ///   and as ``dispatchGetReportRequest(type:id:timeout:)`` does.
  public func dispatchSetReportRequest(
    type: HIDReportType, id: HIDReportID? = nil, data: Data, timeout: Duration? = nil
  ) async throws {
    guard let first = data.first else { throw HIDDeviceError.badArgument }
    guard data.count <= ReportRing.longestReport else { throw HIDDeviceError.messageTooLarge }
    if model.lengths.isNumbered(type) {
      guard first != 0, id.map({ $0.rawValue == first }) ?? true else {
        throw HIDDeviceError.badArgument
      }
    } else if id != nil {
      throw HIDDeviceError.badArgument
    }
    try await set(type, [UInt8](data), until: Self.deadline(timeout))
  }

  /// Which report is meant: the only one of its type where that is not said.
  private func reportID(_ type: HIDReportType, _ id: HIDReportID?) throws(HIDDeviceError)
    -> HIDReportID?
  {
    guard model.lengths.isNumbered(type) else {
      guard id == nil else { throw .badArgument }
      return nil
    }
    if let id { return id }
    let reports = model.descriptor.reports(of: type)
    guard reports.count == 1, let only = reports.first?.id else { throw .badArgument }
    return only
  }

  // MARK: Of elements, too

  static func deadline(_ timeout: Duration?) -> MonotonicTime? {
    timeout.map { MonotonicTime.now.advanced(by: $0) }
  }

  func get(
    _ type: HIDReportType, _ id: HIDReportID?, until deadline: MonotonicTime?
  ) async throws(HIDDeviceError) -> [UInt8] {
    let report = try await request(until: deadline) { port, timeout throws(HIDWireError) in
      try await port.getReport(type, id, timeout: timeout)
    }
    lastReports.note(HIDReportBytes(report), model.index(ofReport: type, id), at: .now)
    return report
  }

  /// - Parameter report: As it was given; the device may find it too short or too long.
  func set(
    _ type: HIDReportType, _ report: [UInt8], until deadline: MonotonicTime?
  ) async throws(HIDDeviceError) {
    let isNumbered = model.lengths.isNumbered(type)
    let id = isNumbered ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    var whole = report
    if !isNumbered, let declared = model.lengths.byteCount(type, nil), whole.count < declared {
      // Without an ID its length is all that says whether a report begins with what the kernel puts before it.
      whole += repeatElement(0, count: declared - whole.count)
    }
    let sent = whole
    do throws(HIDDeviceError) {
      try await request(until: deadline) { port, timeout throws(HIDWireError) in
        try await port.setReport(type, sent, timeout: timeout)
      }
    } catch .badArgument where sent.count >= HIDReportDescriptor.uhidMaximumReportByteCount {
      throw .messageTooLarge  // which uhid says in other words (6.12)
    }
    lastReports.note(HIDReportBytes(sent), model.index(ofReport: type, id), at: .now)
  }

  /// Runs a request against the open device, and counts it while it runs.
  ///
  /// - Parameters:
  ///   - deadline: When the caller wants to hear of it; `nil` for when the bus is through.
  ///   - body: The request, with the time that is left for it.
  private func request<Value: Sendable>(
    until deadline: MonotonicTime?,
    _ body: @Sendable (any HIDHostPort, Duration?) async throws(HIDWireError) -> Value
  ) async throws(HIDDeviceError) -> Value {
    outstanding.beginRequest()
    defer { outstanding.endRequest() }
    do throws(HIDWireError) {
      let port = try await connection.port(until: deadline)
      try connection.checkIsFree()
      let left = deadline.map { $0.duration(since: .now) }
      if let left, left <= .zero {
        throw HIDWireError(
          .timedOut, "the timeout ended before the request to \(port.device.address) was sent")
      }
      return try await body(port, left)
    } catch {
      throw connection.note(error)
    }
  }
}
