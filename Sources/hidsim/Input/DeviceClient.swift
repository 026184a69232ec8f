// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// A client of one device on its bus, with the errors of the bus.
///
/// The device is opened when it is first needed, and closed when the last reference to the client
/// and to its streams is gone.
actor DeviceClient {
  private struct Opened: Sendable {
    let port: any HIDClientPort
    /// Knows whether another client has seized the device; nil if that cannot be known, as when
    /// clients have no folder for their locks.
    let exclusivity: HIDExclusivity?
  }

  private let record: HIDDeviceRecord
  private let catalog: HIDDeviceCatalog
  private var opened: Opened?
  private let seizures = Seizures()

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
    let (opened, _) = try await open(capacity: 1, policy: .dropNewest, until: deadline)
    try opened.exclusivity?.checkIsFree()
    let left = deadline.duration(since: .now)
    guard left > .zero else {
      throw HIDBusError(
        .timedOut, "the timeout ended before the request to \(record.address) was sent")
    }
    return (opened.port, left)
  }

  // MARK: Reports

  /// Starts a stream of input reports, which gets none while another client has seized the device.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that the stream holds for a slow reader.
  ///   - policy: The policy for reports that arrive while the stream is full.
  ///   - whenSeized: Called with true when another client seizes the device, or at once if one has
  ///     seized it already; called with false when that client releases it.
  /// - Throws: The error of opening the device; `other` with `ECANCELED` if the task is cancelled
  ///   before the device is open.
  func reports(
    capacity: Int = 1024, policy: HIDReportStream.Policy = .lossless,
    whenSeized: @escaping @Sendable (Bool) -> Void = { _ in }
  ) async throws(HIDBusError) -> HIDReportStream {
    let (opened, first) = try await open(capacity: capacity, policy: policy, until: nil)
    let stream = first ?? opened.port.reports(capacity: capacity, policy: policy)
    seizures.add(stream.control, whenSeized)
    return stream.keeping(self)
  }

  // MARK: Opening

  /// Opens the device together with a stream, unless it is open.
  ///
  /// - Returns: The open device; the stream, with the first report that the device can send, if
  ///   this call has opened it.
  private func open(
    capacity: Int, policy: HIDReportStream.Policy, until deadline: MonotonicTime?
  ) async throws(HIDBusError) -> (Opened, HIDReportStream?) {
    if let opened { return (opened, nil) }
    let result = Promise<Result<(Opened, HIDReportStream), HIDBusError>>()
    let timer = deadline.map { [record] deadline in
      IOLoop.housekeeping.schedule(at: deadline) {
        result.fulfill(
          .failure(HIDBusError(.timedOut, "opening \(record.address) took too long")))
      }
    }
    defer { if let timer { IOLoop.housekeeping.cancel(timer) } }
    catalog.open(record, capacity: capacity, policy: policy) {
      [record, catalog, seizures] outcome in
      let opened = outcome.map { port, reports in
        // Without a folder for their locks, and without watches, no seizure is noticed.
        let exclusivity = try? catalog.exclusivity(of: record)
        if let exclusivity { seizures.follow(exclusivity, port) }
        return (Opened(port: port, exclusivity: exclusivity), reports)
      }
      if !result.fulfill(opened), case .success(let late) = opened { late.0.port.close() }
    }
    let (new, reports) = try await result.get(onCancel: {
      result.fulfill(
        .failure(
          HIDBusError(
            .other, "the task was cancelled before \(record.address) was open",
            errorNumber: Errno.canceled.rawValue)))
    }).get()
    // Another call may have opened the device meanwhile.
    if let opened {
      new.port.close()
      return (opened, nil)
    }
    opened = new
    return (new, reports)
  }
}

/// The streams of a client, which are muted while another client has seized the device.
private final class Seizures: Sendable {
  private struct Stream: Sendable {
    let control: HIDReportStream.Control
    let whenSeized: @Sendable (Bool) -> Void
  }

  private struct State: Sendable {
    var isSeized = false
    var streams: [Stream] = []
  }

  private let state = Mutex(State())

  /// Adds a stream, and mutes it if the device is seized.
  func add(_ control: HIDReportStream.Control, _ whenSeized: @escaping @Sendable (Bool) -> Void) {
    let stream = Stream(control: control, whenSeized: whenSeized)
    let isSeized = state.withLock { state in
      state.streams.append(stream)
      return state.isSeized
    }
    if isSeized { Self.tell([stream], true) }
  }

  /// Notices from now on, while `exclusivity` exists, when another client seizes or releases the
  /// device; a seizure before is noticed before the return.
  func follow(_ exclusivity: HIDExclusivity, _ port: any HIDClientPort) {
    let isSeized = exclusivity.isTakenByAnother
    state.withLock { $0.isSeized = isSeized }
    let note: @Sendable (Bool) -> Void = { [weak self, weak port] isSeized in
      port?.loop.perform { [weak self, weak port] in
        // Reports that the device has sent before the change are delivered.
        port?.catchUp()
        self?.note(isSeized)
      }
    }
    try? exclusivity.watch(note)
    // The device may have been released before the watch began.
    if isSeized { note(exclusivity.isTakenByAnother) }
  }

  private func note(_ isSeized: Bool) {
    let streams = state.withLock { state -> [Stream] in
      guard state.isSeized != isSeized else { return [] }
      state.isSeized = isSeized
      return state.streams
    }
    Self.tell(streams, isSeized)
  }

  private static func tell(_ streams: [Stream], _ isSeized: Bool) {
    for stream in streams {
      stream.control.setMuted(isSeized)
      stream.whenSeized(isSeized)
    }
  }
}
