// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import HIDBus
import Synchronization

/// The queue of the requests that hosts send to a device and its delegate answers.
///
/// The device keeps this object. The device's port calls it, and does not keep it.
final class DelegateRequests: HIDDeviceHandler {
  /// True in a task that runs a delegate which answers a host, and in tasks that the delegate
  /// starts, except detached ones.
  @TaskLocal static var isAnswering = false

  /// The largest number of requests that wait for a delegate.
  ///
  /// Any further request is answered with an error, and any further output report is dropped. Both
  /// are counted in `lost`.
  private static let capacity = 4096

  private enum Request {
    case get(HIDRequestID, HIDReportType, HIDReportID?)
    case set(HIDRequestID?, HIDReportType, HIDReportID?, HIDReportBytes)
  }

  private struct State {
    var waiting: Deque<(request: Request, port: any HIDDevicePort)> = []
    var isRunning = false
    var lost = 0
  }

  private let delegate: any HIDVirtualDeviceDelegate
  private let lengths: HIDReportLengths
  private let state = Mutex(State())
  private weak let device: HIDVirtualDevice?

  init(
    _ device: HIDVirtualDevice, _ delegate: any HIDVirtualDeviceDelegate,
    _ lengths: HIDReportLengths
  ) {
    self.device = device
    self.delegate = delegate
    self.lengths = lengths
  }

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    var requests: [Request] = []
    for event in events {
      switch event.event {
      case .start, .stop, .open, .close, .usb: break
      case .output(let raw):
        let (id, report) = report(raw, .output)
        requests.append(.set(nil, .output, id, report))
      case .getReport(let request, let type, let id): requests.append(.get(request, type, id))
      case .setReport(let request, let type, _, let raw):
        let (id, report) = report(raw, type)
        requests.append(.set(request, type, id, report))
      }
    }
    let (mustRun, refused) = state.withLock { state in
      let room = max(0, Self.capacity - state.waiting.count)
      for request in requests.prefix(room) { state.waiting.append((request, port)) }
      state.lost += max(0, requests.count - room)
      defer { state.isRunning = state.isRunning || !state.waiting.isEmpty }
      return (!state.isRunning && !state.waiting.isEmpty, requests.dropFirst(room))
    }
    if mustRun { Task { await run() } }
    for request in refused { Self.refuse(request, port) }
  }

  /// Returns the ID of a report, and the report as a delegate gets it.
  ///
  /// Clients of hidraw put a 0 before a report without an ID. It is removed only from a report that
  /// is then longer than declared.
  private func report(
    _ raw: HIDReportBytes, _ type: HIDReportType
  ) -> (HIDReportID?, HIDReportBytes) {
    let (id, dropping) = lengths.normalized(raw, type: type)
    // A report that is longer than declared also comes from a client of hidraw: reports from the
    // kernel itself are as long as declared.
    let isLong = id == nil && raw.count > (lengths.byteCount(type, nil) ?? .max) && raw.first == 0
    return (id, raw.droppingFirst(isLong ? 1 : dropping))
  }

  /// The number of reports and requests of hosts that the delegate did not get.
  var lost: Int { state.withLock { $0.lost } }

  private func run() async {
    while true {
      let next = state.withLock { state in
        let next = state.waiting.popFirst()
        if next == nil { state.isRunning = false }
        return next
      }
      guard let (request, port) = next else { return }
      guard let device else {
        // The device is being released, so the client that waits for the answer gets an error.
        Self.refuse(request, port)
        continue
      }
      await Self.$isAnswering.withValue(true) { await answer(request, device, port) }
    }
  }

  private static func refuse(_ request: Request, _ port: any HIDDevicePort) {
    switch request {
    case .get(let id, _, _): port.answerGet(id, nil)
    case .set(let id?, _, _, _): port.answerSet(id, accepted: false)
    case .set(nil, _, _, _): break
    }
  }

  private func answer(
    _ request: Request, _ device: HIDVirtualDevice, _ port: any HIDDevicePort
  ) async {
    switch request {
    case .get(let request, let type, let id):
      let report = await report(device, type, id)
      port.answerGet(request, report)
    case .set(let request, let type, let id, let bytes):
      var isAccepted = true
      do {
        try await delegate.hidVirtualDevice(
          device, receivedSetReportRequestOfType: type, id: id, data: Data(bytes))
      } catch {
        isAccepted = false
      }
      if let request { port.answerSet(request, accepted: isAccepted) }
    }
  }

  private func report(
    _ device: HIDVirtualDevice, _ type: HIDReportType, _ id: HIDReportID?
  ) async -> [UInt8]? {
    // A report that is not declared has no known length, so the limit is that of uhid.
    let room = lengths.byteCount(type, id) ?? HIDReportDescriptor.uhidMaximumReportByteCount
    do {
      let data = try await delegate.hidVirtualDevice(
        device, receivedGetReportRequestOfType: type, id: id, maxSize: room)
      return [UInt8](data.prefix(room))
    } catch {
      return nil
    }
  }
}
