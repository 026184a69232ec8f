// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import IOLoop
import Synchronization

/// The connection of a client to its device: opened when first needed, closed with the client.
final class ClientConnection: Sendable {
  private enum Phase {
    case closed
    case opening
    case open(any HIDClientPort)
  }

  /// A pending request that needs the open device.
  private enum OpenRequest {
    /// A stream of notifications, which its consumer may have released, and a semaphore on which
    /// the thread that started it may wait for a short time.
    case notifications(WeakSubscription, DispatchSemaphore)
    case reports(UInt64, Capacity, CheckedContinuation<Result<HIDReportStream, HIDBusError>, Never>)
    case port(UInt64, CheckedContinuation<Result<any HIDClientPort, HIDBusError>, Never>)

    /// True if the consumer has released the stream that was requested.
    var isAbandoned: Bool {
      if case .notifications(let weak, _) = self { weak.subscription == nil } else { false }
    }

    /// The capacity of the requested stream; ``Capacity/notifications`` for a request of the port.
    var capacity: Capacity {
      if case .reports(_, let capacity, _) = self { capacity } else { .notifications }
    }

    /// The key with which the request can be withdrawn; `nil` for a stream of notifications.
    var key: UInt64? {
      switch self {
      case .notifications: nil
      case .reports(let key, _, _), .port(let key, _): key
      }
    }
  }

  /// The capacity of a stream, and the policy for reports that arrive while it is full.
  struct Capacity: Hashable, Sendable {
    let count: Int
    let policy: HIDReportStream.Policy

    /// The capacity of a stream of notifications.
    static let notifications = Capacity(count: 1024, policy: .dropNewest)
  }

  /// A reference to a stream of notifications that does not keep the stream alive.
  private struct WeakSubscription {
    weak var subscription: ReportSubscription?
  }

  private struct State {
    var phase = Phase.closed
    var openRequests: [OpenRequest] = []
    var lastWish: UInt64 = 0
    /// The object that reports whether another client has seized the device.
    ///
    /// The object is `nil` until it is needed, and if it cannot be made or cannot watch, as when
    /// clients have no folder for their locks.
    var exclusivity: HIDExclusivity?
    /// True if another client has seized the device, as last reported to the streams.
    var isTaken = false
    /// The last failure, as the error of the bus.
    var lastFailure: HIDBusError?
  }

  /// The loop that enforces the open timeout.
  private static let clock = IOLoop(name: "hidsim-opening")
  /// The error of a request whose task is cancelled before the device is open.
  private static let cancelled = HIDBusError(
    .other, "the task was cancelled before the device was open", errorNumber: ECANCELED)

  let target: DeviceTarget
  /// The client's open streams and running requests.
  let outstanding = Outstanding()
  private let state = Mutex(State())

  init(_ target: DeviceTarget) { self.target = target }

  deinit { if case .open(let port) = state.withLock({ $0.phase }) { port.close() } }

  // MARK: Opening

  /// Returns the open port, and opens the device if necessary.
  ///
  /// - Parameter deadline: The time at which to give up; `nil` to wait until the device is open, or
  ///   opening it fails.
  /// - Throws: `timedOut`; `other` with `ECANCELED` if the task is cancelled before the device is
  ///   open; the error of opening.
  func port(until deadline: MonotonicTime?) async throws(HIDBusError) -> any HIDClientPort {
    if let openPort { return openPort }
    let key = nextKey()
    let timer = deadline.map { deadline in
      Self.clock.schedule(at: deadline) { [weak self] in
        self?.withdraw(key, HIDBusError(.timedOut, "opening the device took too long"))
      }
    }
    defer { if let timer { Self.clock.cancel(timer) } }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let port = request(.port(key, continuation)) {
          continuation.resume(returning: .success(port))
        } else if Task.isCancelled {
          withdraw(key, Self.cancelled)
        } else if let deadline, deadline <= .now {
          withdraw(key, HIDBusError(.timedOut, "opening the device took too long"))
        }
      }
    } onCancel: {
      withdraw(key, Self.cancelled)
    }
    return try outcome.get()
  }

  /// Returns a new key, with which a request can be withdrawn.
  private func nextKey() -> UInt64 {
    state.withLock { state in
      state.lastWish += 1
      return state.lastWish
    }
  }

  /// Fails one pending request of the port or of a stream of reports.
  private func withdraw(_ key: UInt64, _ error: HIDBusError) {
    let request = state.withLock { state in
      state.openRequests.firstIndex { $0.key == key }.map { state.openRequests.remove(at: $0) }
    }
    switch request {
    case .reports(_, _, let continuation): continuation.resume(returning: .failure(error))
    case .port(_, let continuation): continuation.resume(returning: .failure(error))
    case .notifications, nil: break
    }
  }

  /// Starts a stream of input reports from now on.
  ///
  /// The call waits until the device is plugged. If this call opens the device, the stream begins
  /// with the first report that the device can send to this client.
  ///
  /// - Throws: The error of opening the device; `other` with `ECANCELED` if the task is cancelled
  ///   before the device is open.
  func reports(_ capacity: Capacity) async throws(HIDBusError) -> HIDReportStream {
    let key = nextKey()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let port = request(.reports(key, capacity, continuation)) {
          continuation.resume(
            returning: .success(port.reports(capacity: capacity.count, policy: capacity.policy)))
        } else if Task.isCancelled {
          withdraw(key, Self.cancelled)
        }
      }
    } onCancel: {
      withdraw(key, Self.cancelled)
    }
    return try outcome.get()
  }

  /// The time for which a caller that starts a stream of notifications waits for the open device.
  ///
  /// Opening takes microseconds, unless the kernel waits for an answer of the device meanwhile. The
  /// caller may block the last thread of the cooperative pool. Opening needs no thread of the pool,
  /// but the program that has to answer may need one.
  private static let openingBound = DispatchTimeInterval.milliseconds(200)

  /// Starts a stream of notifications: at once if the device is open, else as soon as it is.
  ///
  /// If the device is plugged but not open, this call waits for 200 ms at most. If the device opens
  /// in this time, the stream misses no report that the device sends after this call. On the thread
  /// of an `IOLoop` the call does not wait: opening may need that thread.
  func subscribe(_ subscription: ReportSubscription) {
    begin(subscription)
    let sleeper = DispatchSemaphore(value: 0)
    if let port = request(.notifications(WeakSubscription(subscription: subscription), sleeper)) {
      let capacity = Capacity.notifications
      subscription.begin(port.reports(capacity: capacity.count, policy: capacity.policy))
    } else if target.knownRecord != nil, !IOLoop.isAnyCurrent {
      _ = sleeper.wait(timeout: .now() + Self.openingBound)
    }
  }

  /// Adds a stream to the open streams, and notifies it if another client has seized the device.
  func begin(_ stream: any ClientStream) {
    state.withLock { state in
      outstanding.beginStream(stream)
      if state.isTaken { stream.noteSeized(true) }
    }
  }

  /// Returns the open port, or adds a request that waits for it.
  ///
  /// If the device is closed, the call also starts to open it.
  private func request(_ request: OpenRequest) -> (any HIDClientPort)? {
    let (port, isFirst) = state.withLock { state -> ((any HIDClientPort)?, Bool) in
      switch state.phase {
      case .open(let port): return (port, false)
      case .opening:
        // Many streams, one after the other, may wait for a device that is not activated. Requests
        // for streams that their consumers have released must not pile up.
        if state.openRequests.count % 64 == 0 { state.openRequests.removeAll(where: \.isAbandoned) }
        state.openRequests.append(request)
        return (nil, false)
      case .closed:
        state.openRequests.removeAll(where: \.isAbandoned)
        state.openRequests.append(request)
        state.phase = .opening
        return (nil, true)
      }
    }
    if isFirst { open(request.capacity) }
    return port
  }

  /// Opens the device together with a stream, so that the first request misses no report.
  private func open(_ capacity: Capacity) {
    target.beginOpening()
    target.whenThere { [self] result in
      switch result {
      case .failure(let error):
        refuse(error)
        target.endOpening()
      case .success(let record):
        target.catalog.open(record, capacity: capacity.count, policy: capacity.policy) {
          [self] result in
          switch result {
          case .failure(let error): refuse(error)
          case .success(let opened):
            agree(on: record)
            complete(opened.port, opened.reports, of: capacity)
          }
          target.endOpening()
        }
      }
    }
  }

  /// Completes all pending requests.
  ///
  /// - Parameters:
  ///   - first: The stream with which the device was opened. The first request gets this stream,
  ///     unless it requests the port or a stream of another capacity: the request that opened the
  ///     device may have been withdrawn.
  ///   - opened: The capacity of `first`.
  private func complete(
    _ port: any HIDClientPort, _ first: HIDReportStream, of opened: Capacity
  ) {
    let openRequests = state.withLock { state in
      state.phase = .open(port)
      defer { state.openRequests = [] }
      return state.openRequests
    }
    var first: HIDReportStream? = first
    for request in openRequests {
      let capacity = request.capacity
      func stream() -> HIDReportStream {
        if let first, capacity == opened { return first }
        return port.reports(capacity: capacity.count, policy: capacity.policy)
      }
      switch request {
      case .notifications(let weak, let sleeper):
        weak.subscription?.begin(stream())
        sleeper.signal()
      case .reports(_, _, let continuation): continuation.resume(returning: .success(stream()))
      case .port(_, let continuation): continuation.resume(returning: .success(port))
      }
      first = nil
    }
  }

  /// Fails all pending requests; the next request tries again to open the device.
  private func refuse(_ error: HIDBusError) {
    let openRequests = state.withLock { state in
      state.phase = .closed
      state.lastFailure = error
      defer { state.openRequests = [] }
      return state.openRequests
    }
    for request in openRequests {
      switch request {
      case .notifications(let weak, let sleeper):
        weak.subscription?.fail(HIDDeviceError(error))
        sleeper.signal()
      case .reports(_, _, let continuation): continuation.resume(returning: .failure(error))
      case .port(_, let continuation): continuation.resume(returning: .failure(error))
      }
    }
  }

  // MARK: Failures

  /// The last failure, as the error of the bus.
  var lastFailure: HIDBusError? { state.withLock { $0.lastFailure } }

  /// Sets ``lastFailure`` to nil.
  func forgetLastFailure() { state.withLock { $0.lastFailure = nil } }

  /// Records a failure, and returns the client's error for it.
  func note(_ failure: HIDBusError) -> HIDDeviceError {
    state.withLock { $0.lastFailure = failure }
    return HIDDeviceError(failure)
  }

  // MARK: Seizing

  /// Returns the object that reports whether another client has seized the device.
  ///
  /// The first call makes the object.
  func exclusivity(of record: HIDDeviceRecord) throws(HIDBusError) -> HIDExclusivity {
    if let exclusivity = state.withLock({ $0.exclusivity }) { return exclusivity }
    let new = try target.catalog.exclusivity(of: record)
    let (exclusivity, isNew) = state.withLock { state in
      defer { state.exclusivity = state.exclusivity ?? new }
      return (state.exclusivity ?? new, state.exclusivity == nil)
    }
    guard isNew else { return exclusivity }
    do throws(HIDBusError) {
      try exclusivity.watch { [weak self] in self?.noteTaken($0) }
    } catch {
      // The next call makes another object, and tries to watch again.
      state.withLock { if $0.exclusivity === exclusivity { $0.exclusivity = nil } }
      throw error
    }
    return exclusivity
  }

  /// Starts to watch whether other clients seize the device, unless this client does so already.
  func agree(on record: HIDDeviceRecord) {
    do throws(HIDBusError) {
      _ = try exclusivity(of: record)
    } catch {
      // Without a folder for their locks, clients cannot seize a device.
      if error.kind != .unavailable { state.withLock { $0.lastFailure = error } }
    }
  }

  private func noteTaken(_ isTaken: Bool) {
    guard let loop = openPort?.loop else { return tellStreams(isTaken) }
    loop.perform { [weak self] in
      // Reports that the device has sent before the change are delivered in the state before it.
      self?.openPort?.catchUp()
      self?.tellStreams(isTaken)
    }
  }

  private var openPort: (any HIDClientPort)? {
    state.withLock { state in if case .open(let port) = state.phase { port } else { nil } }
  }

  private func tellStreams(_ isTaken: Bool) {
    // The streams are kept until the lock is released: the last reference to a stream may hold the
    // last reference to this connection.
    let streams = state.withLock { state -> [any ClientStream] in
      guard state.isTaken != isTaken else { return [] }
      state.isTaken = isTaken
      let streams = outstanding.streams
      for stream in streams { stream.noteSeized(isTaken) }
      return streams
    }
    withExtendedLifetime(streams) {}
  }

  /// Throws if another client has seized the device now.
  ///
  /// It does not throw before this client has opened the device, tried to seize it, or called
  /// ``agree(on:)``.
  func checkIsFree() throws(HIDBusError) {
    try state.withLock({ $0.exclusivity })?.checkIsFree()
  }
}
