// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus
import IOLoop

extension HIDDeviceClient {
  /// Requests a report from the device.
  ///
  /// Requests of one client reach the device one after the other.
  ///
  /// - Parameters:
  ///   - type: The type of the report.
  ///   - id: The report's ID; not needed if there is only one report of the type.
  ///   - timeout: The longest time to wait; `nil` for the bus's own limit: 5 s from the time at
  ///     which the device gets the request.
  /// - Returns: The report, its ID first if reports of the type have IDs.
  /// - Throws: ``HIDDeviceError``: `badArgument` if `id` is given and reports of the type have no
  ///   ID, or if it is `nil` and the type has several reports; `timeout`; `ioError` if the device
  ///   refused or did not answer; `exclusiveAccess` while another client has seized the device, or
  ///   if the device accepts no more clients; `notReady` if it is gone; `notPrivileged`,
  ///   `noResources` if it cannot be opened; `aborted` if the task is cancelled before the device
  ///   is open.
  public func dispatchGetReportRequest(
    type: HIDReportType, id: HIDReportID? = nil, timeout: Duration? = nil
  ) async throws -> Data {
    let id = try reportID(type, id)
    return Data(try await get(type, id, until: Self.deadline(timeout)))
  }

  /// Sends a report to the device.
  ///
  /// For feature and input reports, the call waits until the device has taken the report. Output
  /// reports are sent without an answer, as the kernel does.
  ///
  /// - Parameters:
  ///   - type: The type of the report.
  ///   - id: The report's ID, equal to the first byte of `data`; `nil` to take the ID from `data`,
  ///     or if reports of the type have no ID.
  ///   - data: The report, its ID first if reports of the type have IDs. It can be shorter or
  ///     longer than declared. A short report without an ID is filled up with zeros.
  ///   - timeout: The longest time to wait; `nil` for the bus's own limit: 5 s from the time at
  ///     which the device gets the report. An output report of the loopback bus fails with
  ///     `timeout` if the device does not take it within 5 s.
  /// - Throws: ``HIDDeviceError``: `badArgument` if `data` is empty, does not begin with the ID or
  ///   has no byte after it, or if `id` is given and reports of the type have no ID;
  ///   `messageTooLarge` if `data` is longer than the bus takes; the other errors of
  ///   ``dispatchGetReportRequest(type:id:timeout:)``.
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

  /// Returns the ID of the requested report: `id`, or if it is `nil`, the ID of the only report of
  /// the type.
  ///
  /// The result is `nil` if reports of the type have no ID.
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

  // MARK: Requests that updates of elements use, too

  static func deadline(_ timeout: Duration?) -> MonotonicTime? {
    timeout.map { MonotonicTime.now.advanced(by: $0) }
  }

  func get(
    _ type: HIDReportType, _ id: HIDReportID?, until deadline: MonotonicTime?
  ) async throws(HIDDeviceError) -> [UInt8] {
    let report = try await request(until: deadline) { port, timeout throws(HIDBusError) in
      try await port.getReport(type, id, timeout: timeout)
    }
    lastReports.note(HIDReportBytes(report), model.index(ofReport: type, id), at: .now)
    return report
  }

  /// Sends a report, and records it as the last content of the report with its type and ID.
  ///
  /// - Parameter report: The report as the caller gave it; the device may refuse its length.
  func set(
    _ type: HIDReportType, _ report: [UInt8], until deadline: MonotonicTime?
  ) async throws(HIDDeviceError) {
    let isNumbered = model.lengths.isNumbered(type)
    let id = isNumbered ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    var whole = report
    if !isNumbered, let declared = model.lengths.byteCount(type, nil), whole.count < declared {
      // Without an ID, only the length shows whether a report begins with the 0 that the kernel
      // puts before it.
      whole += repeatElement(0, count: declared - whole.count)
    }
    let sent = whole
    do throws(HIDDeviceError) {
      try await request(until: deadline) { port, timeout throws(HIDBusError) in
        try await port.setReport(type, sent, timeout: timeout)
      }
    } catch .badArgument where sent.count >= HIDReportDescriptor.uhidMaximumReportByteCount {
      // uhid returns another error for a report that is too long (Linux 6.12).
      throw .messageTooLarge
    }
    lastReports.note(HIDReportBytes(sent), model.index(ofReport: type, id), at: .now)
  }

  /// Runs a request against the open device, and counts it while it runs.
  ///
  /// - Parameters:
  ///   - deadline: The time at which the caller gives up; `nil` for the bus's own limit.
  ///   - body: The request. Called with the open port, and the time that is left.
  private func request<Value: Sendable>(
    until deadline: MonotonicTime?,
    _ body: @Sendable (any HIDClientPort, Duration?) async throws(HIDBusError) -> Value
  ) async throws(HIDDeviceError) -> Value {
    outstanding.beginRequest()
    defer { outstanding.endRequest() }
    do throws(HIDBusError) {
      let port = try await connection.port(until: deadline)
      try connection.checkIsFree()
      let left = deadline.map { $0.duration(since: .now) }
      if let left, left <= .zero {
        throw HIDBusError(
          .timedOut, "the timeout ended before the request to \(port.device.address) was sent")
      }
      return try await body(port, left)
    } catch {
      throw connection.note(error)
    }
  }
}
