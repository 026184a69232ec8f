// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import IOLoop

/// A client of one device on its bus, with the errors of the bus.
///
/// The device is opened when it is first needed, and closed when the last reference to the client
/// and to its streams is gone.
actor DeviceClient {
  private struct Opened: Sendable {
    let port: any HIDClientPort
    /// Knows whether another client has seized the device; nil if clients have no folder for their
    /// locks.
    let exclusivity: HIDExclusivity?
  }

  private let record: HIDDeviceRecord
  private let catalog: HIDDeviceCatalog
  private var opened: Opened?

  /// Makes a client of a device.
  ///
  /// - Throws: The reason why the device cannot be opened, if it is known without opening it.
  init(_ record: HIDDeviceRecord, on catalog: HIDDeviceCatalog) throws(HIDBusError) {
    if let obstacle = catalog.obstacle(toOpening: record) { throw obstacle }
    self.record = record
    self.catalog = catalog
  }

  deinit { opened?.port.close() }

  // MARK: Requests

  /// Requests a report from the device.
  ///
  /// - Parameters:
  ///   - id: The report's ID; nil if reports of the type are unnumbered.
  ///   - bound: The longest time to open the device and to wait for its answer.
  /// - Returns: The report, its ID first if it is numbered.
  /// - Throws: `timedOut`; `busy` while another client has seized the device; the errors of opening
  ///   it and of `HIDClientPort.getReport`.
  func get(
    _ type: HIDReportType, _ id: HIDReportID?, within bound: Duration
  ) async throws(HIDBusError) -> [UInt8] {
    let (port, left) = try await port(within: bound)
    return try await port.getReport(type, id, timeout: left)
  }

  /// Sets a report of the device.
  ///
  /// For an output report, the method does not wait for an answer. A short report without an ID is
  /// filled up with zeros.
  ///
  /// - Parameters:
  ///   - report: The report, its ID first if it is numbered.
  ///   - bound: The longest time to open the device and to wait for its answer.
  /// - Throws: As ``get(_:_:within:)``.
  func set(
    _ type: HIDReportType, _ report: [UInt8], within bound: Duration
  ) async throws(HIDBusError) {
    let (port, left) = try await port(within: bound)
    var report = report
    if !port.lengths.isNumbered(type), let declared = port.lengths.byteCount(type, nil) {
      // Without an ID, only the length shows whether a report begins with the 0 that the kernel
      // puts before it.
      report += repeatElement(0, count: max(0, declared - report.count))
    }
    try await port.setReport(type, report, timeout: left)
  }

  /// Returns the open port, and the time that is left for a request.
  private func port(
    within bound: Duration
  ) async throws(HIDBusError) -> (any HIDClientPort, Duration) {
    let deadline = MonotonicTime.now.advanced(by: bound)
    if opened == nil { _ = try await open(capacity: 1, policy: .dropNewest, until: deadline) }
    guard let opened else { throw HIDBusError(.gone, "\(record.address): the device is gone") }
    try opened.exclusivity?.checkIsFree()
    let left = deadline.duration(since: .now)
    guard left > .zero else { throw HIDBusError(.timedOut, tooLate) }
    return (opened.port, left)
  }

  private var tooLate: String { "opening \(record.address) took too long" }

  // MARK: Reports

  /// Starts a stream of input reports, which gets none while another client has seized the device.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that the stream holds for a slow reader.
  ///   - policy: The policy for reports that arrive while the stream is full.
  ///   - whenSeized: Called with true when another client seizes the device, or at once if one has
  ///     seized it already; called with false when that client releases it.
  /// - Throws: The error of opening the device, and of watching whether it is seized.
  func reports(
    capacity: Int = 1024, policy: HIDReportStream.Policy = .lossless,
    whenSeized: @escaping @Sendable (Bool) -> Void = { _ in }
  ) async throws(HIDBusError) -> HIDReportStream {
    var first: HIDReportStream?
    if opened == nil { first = try await open(capacity: capacity, policy: policy, until: nil) }
    guard let opened else { throw HIDBusError(.gone, "\(record.address): the device is gone") }
    let stream = first ?? opened.port.reports(capacity: capacity, policy: policy)
    try watch(opened, stream.control, whenSeized)
    return stream.keeping(self)
  }

  private func watch(
    _ opened: Opened, _ stream: HIDReportStream.Control,
    _ whenSeized: @escaping @Sendable (Bool) -> Void
  ) throws(HIDBusError) {
    let wasSeized = ConditionMutex(false)
    do throws(HIDBusError) {
      try opened.exclusivity?.watch { [port = opened.port] isSeized in
        port.loop.perform { [weak port] in
          // Reports that the device has sent before the change are delivered.
          port?.catchUp()
          let isNews = wasSeized.withLock { wasSeized in
            defer { wasSeized = isSeized }
            return wasSeized != isSeized
          }
          guard isNews else { return }
          stream.setMuted(isSeized)
          whenSeized(isSeized)
        }
      }
    } catch {
      // Without a folder for their locks, clients cannot seize a device.
      if error.kind != .unavailable { throw error }
    }
  }

  // MARK: Opening

  /// Opens the device, and starts a stream with the first report that it can send.
  private func open(
    capacity: Int, policy: HIDReportStream.Policy, until deadline: MonotonicTime?
  ) async throws(HIDBusError) -> HIDReportStream {
    let result = Promise<Result<(port: any HIDClientPort, reports: HIDReportStream), HIDBusError>>()
    let timer = deadline.map { [tooLate] deadline in
      IOLoop.housekeeping.schedule(at: deadline) {
        result.fulfill(.failure(HIDBusError(.timedOut, tooLate)))
      }
    }
    defer { if let timer { IOLoop.housekeeping.cancel(timer) } }
    catalog.open(record, capacity: capacity, policy: policy) { outcome in
      if !result.fulfill(outcome), case .success(let late) = outcome { late.port.close() }
    }
    let (port, reports) = try await result.get().get()
    // Without a folder for their locks, clients cannot seize a device.
    opened = Opened(port: port, exclusivity: try? catalog.exclusivity(of: record))
    return reports
  }
}
