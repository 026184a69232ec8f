// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import HIDBus
import IOLoop
import Synchronization

/// One stream of a client's notifications, made from the device's reports when the consumer asks
/// for the next one.
///
/// The stream keeps the client alive: the elements in its notifications refer to the client, but do
/// not keep it alive.
final class ReportSubscription: ClientStream {
  private struct State {
    var stream: HIDReportStream?
    var iterator: HIDReportStream.Iterator?
    /// The changes not delivered yet: other clients seized the device (true) or released it
    /// (false).
    var seizures: Deque<(time: MonotonicTime, isSeized: Bool)> = []
    /// The element values of the last delivered report, until they are delivered.
    var values: [HIDElement.Value]?
    /// True if the last delivered change was that another client has seized the device.
    var isPaused = false
    var isOver = false
  }

  /// The next item for the consumer: a notification without its time stamp.
  ///
  /// The layout of the time stamp's type is private to the standard library. A value that contains
  /// a time stamp is copied through the type's metadata, which costs time.
  enum Supply {
    case report(id: HIDReportID?, Data, MonotonicTime)
    case values([HIDElement.Value])
    case seized
    case unseized
    case removed
    /// The stream ends with an error: the device sent an invalid message of its bus, or this
    /// process lacks the resources to read on.
    case failed(HIDBusError)
    case nothingYet
    case over

    /// True if the consumer need not wait.
    var isOfNow: Bool { if case .nothingYet = self { false } else { true } }

    /// Returns the notification; `nil` for `nothingYet` and `over`.
    ///
    /// - Throws: The error that ends the stream.
    func notification() throws(HIDDeviceError) -> HIDDeviceClient.Notification? {
      switch self {
      case .report(let id, let data, let time):
        return .inputReport(id: id, data: data, timestamp: SuspendingClock.Instant(time))
      case .values(let values): return .elementUpdates(values: values)
      case .seized: return .deviceSeized
      case .unseized: return .deviceUnseized
      case .removed: return .deviceRemoved
      case .failed(let error): throw HIDDeviceError(error)
      case .nothingYet, .over: return nil
      }
    }
  }

  private let client: HIDDeviceClient
  private let model: DeviceModel
  private let filter: ReportFilter
  private let isNumbered: Bool
  private let state = Mutex(State())
  /// The way in which the stream started: with reports, or with the error of opening the device;
  /// nil before.
  private let start = ConditionMutex<Result<Void, HIDDeviceError>?>(nil)
  /// Held by the one task that waits for the next notification.
  private let turn = AsyncLock()

  init(_ client: HIDDeviceClient, _ filter: ReportFilter) {
    self.client = client
    self.filter = filter
    model = client.model
    isNumbered = model.lengths.isNumbered(.input)
  }

  deinit { client.outstanding.endStream(ObjectIdentifier(self)) }

  // MARK: The device's side

  /// Starts to deliver the device's reports from a stream.
  func begin(_ stream: HIDReportStream) {
    state.withLock { state in
      state.stream = stream
      state.iterator = stream.makeAsyncIterator()
      if state.seizures.last?.isSeized == true { stream.setMuted(true) }
    }
    start.withLock { $0 = .success(()) }
  }

  /// Ends the stream before it has started: the consumer gets the error.
  func fail(_ error: HIDDeviceError) { start.withLock { $0 = .failure(error) } }

  func noteSeized(_ isSeized: Bool) {
    let stream = state.withLock { state -> HIDReportStream? in
      guard (state.seizures.last?.isSeized ?? state.isPaused) != isSeized, !state.isOver else {
        return nil
      }
      // If the consumer does not read, three changes are kept at most: a fourth cancels the third.
      if state.seizures.count > 2 {
        state.seizures.removeLast()
      } else {
        state.seizures.append((.now, isSeized))
      }
      state.stream?.setMuted(isSeized)
      return state.stream
    }
    stream?.wakeOnce()
  }

  var lost: HIDLossCount {
    // The lock is released first: `lost` may call into the bus.
    let stream = state.withLock { $0.stream }
    return stream?.lost ?? 0
  }

  // MARK: The consumer's side

  /// Waits for the next notification, and returns it.
  ///
  /// - Returns: The notification; `nil` at the end, and if the task is cancelled while it waits.
  func next() async throws -> HIDDeviceClient.Notification? {
    guard await turn.enter() else { return nil }
    defer { turn.leave() }
    while true {
      let supply = supply()
      if supply.isOfNow { return try supply.notification() }
      if Task.isCancelled { return nil }
      if let iterator = state.withLock({ $0.iterator }) {
        await iterator.wait()
      } else {
        guard let start = await start.wait(until: nil, for: { $0 }) else { return nil }
        try start.get()
      }
    }
  }

  /// Returns the next item without waiting.
  func supply() -> Supply {
    let supply = nextSupply()
    // The connection takes its lock, under which it notifies its streams: it is called without the
    // lock of the stream.
    if case .failed(let failure) = supply { _ = client.connection.note(failure) }
    return supply
  }

  private func nextSupply() -> Supply {
    state.withLock { state in
      if let values = state.values {
        state.values = nil
        return .values(values)
      }
      if state.isOver { return .over }
      // The iterator is taken out of the state, because the closure below changes the state.
      guard var iterator = state.iterator.take() else { return .nothingYet }
      defer { state.iterator = iterator }
      while true {
        var supply = Supply.nothingYet
        let hasReport = iterator.takeSome { reports in
          var taken = 0
          while taken < reports.count, case .nothingYet = supply {
            if let seizure = state.seizures.first, seizure.time <= reports[taken].time {
              supply = tell(seizure.isSeized, &state)
            } else {
              if !state.isPaused { supply = self.supply(of: reports[taken], &state) }
              taken += 1
            }
          }
          return taken
        }
        guard case .nothingYet = supply else { return supply }
        if hasReport { continue }
        switch iterator.look() {
        case .more: continue
        case .empty:
          guard let seizure = state.seizures.first else { return .nothingYet }
          return tell(seizure.isSeized, &state)
        case .over:
          state.isOver = true
          client.outstanding.endStream(ObjectIdentifier(self))
          return (state.stream?.failure as? HIDBusError).map(Supply.failed) ?? .removed
        }
      }
    }
  }

  private func tell(_ isSeized: Bool, _ state: inout State) -> Supply {
    state.seizures.removeFirst()
    state.isPaused = isSeized
    return isSeized ? .seized : .unseized
  }

  /// Returns the item that a report gives: the report itself or its values.
  ///
  /// If both are wanted, the values are kept for the next call. The result is `nothingYet` if
  /// neither is wanted.
  private func supply(of report: borrowing HIDReport, _ state: inout State) -> Supply {
    let id = isNumbered ? report.bytes.first.flatMap(HIDReportID.init(rawValue:)) : nil
    client.lastReports.note(report.bytes, model.index(ofReport: .input, id), at: report.time)
    var values: [HIDElement.Value] = []
    if let elements = filter.elements(ofReport: id) {
      let timestamp = SuspendingClock.Instant(report.time)
      values = model.values(of: elements, in: report.bytes, at: timestamp)
    }
    guard filter.wantsReport(id) else { return values.isEmpty ? .nothingYet : .values(values) }
    if !values.isEmpty { state.values = values }
    return .report(id: id, Data(report.bytes), report.time)
  }
}
