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
    /// A stream of notifications, which its consumer may have released, and a promise for which the
    /// thread that started it may wait for a short time.
    case notifications(WeakSubscription, Promise<Void>)
    case reports(Capacity, Promise<Result<HIDReportStream, HIDBusError>>)
    case port(Promise<Result<any HIDClientPort, HIDBusError>>)

    /// True if the consumer has released the stream that was requested, or no longer waits for it
    /// or for the port.
    var isAbandoned: Bool {
      switch self {
      case .notifications(let weak, _): weak.subscription == nil
      case .reports(_, let result): result.value != nil
      case .port(let result): result.value != nil
      }
    }

    /// The capacity of the requested stream; ``Capacity/notifications`` for a request of the port.
    var capacity: Capacity {
      if case .reports(let capacity, _) = self { capacity } else { .notifications }
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
    let result = Promise<Result<any HIDClientPort, HIDBusError>>()
    if let port = request(.port(result)) { return port }
    let timer = deadline.map { deadline in
      IOLoop.housekeeping.schedule(at: deadline) {
        result.fulfill(.failure(HIDBusError(.timedOut, "opening the device took too long")))
      }
    }
    defer { if let timer { IOLoop.housekeeping.cancel(timer) } }
    return try await result.get(onCancel: { result.fulfill(.failure(Self.cancelled)) }).get()
  }

  /// Starts a stream of input reports from now on.
  ///
  /// The call waits until the device is plugged. If this call opens the device, the stream begins
  /// with the first report that the device can send to this client.
  ///
  /// - Throws: The error of opening the device; `other` with `ECANCELED` if the task is cancelled
  ///   before the device is open.
  func reports(_ capacity: Capacity) async throws(HIDBusError) -> HIDReportStream {
    let result = Promise<Result<HIDReportStream, HIDBusError>>()
    if let port = request(.reports(capacity, result)) {
      return port.reports(capacity: capacity.count, policy: capacity.policy)
    }
    return try await result.get(onCancel: { result.fulfill(.failure(Self.cancelled)) }).get()
  }

  /// The time for which a caller that starts a stream of notifications waits for the open device.
  ///
  /// Opening takes microseconds, unless the kernel waits for an answer of the device meanwhile. The
  /// caller may block the last thread of the cooperative pool. Opening needs no thread of the pool,
  /// but the program that has to answer may need one.
  private static let openingBound = Duration.milliseconds(200)

  /// Starts a stream of notifications: at once if the device is open, else as soon as it is.
  ///
  /// If the device is plugged but not open, this call waits for 200 ms at most. If the device opens
  /// in this time, the stream misses no report that the device sends after this call. On the thread
  /// of an `IOLoop` the call does not wait: opening may need that thread.
  func subscribe(_ subscription: ReportSubscription) {
    begin(subscription)
    let hasBegun = Promise<Void>()
    if let port = request(.notifications(WeakSubscription(subscription: subscription), hasBegun)) {
      let capacity = Capacity.notifications
      subscription.begin(port.reports(capacity: capacity.count, policy: capacity.policy))
    } else if target.knownRecord != nil, !IOLoop.isAnyCurrent {
      _ = hasBegun.getBlocking(atMost: Self.openingBound)
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
    for request in openRequests where !request.isAbandoned {
      let capacity = request.capacity
      func stream() -> HIDReportStream {
        if let first, capacity == opened { return first }
        return port.reports(capacity: capacity.count, policy: capacity.policy)
      }
      switch request {
      case .notifications(let weak, let hasBegun):
        weak.subscription?.begin(stream())
        hasBegun.fulfill()
      case .reports(_, let result): result.fulfill(.success(stream()))
      case .port(let result): result.fulfill(.success(port))
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
      case .notifications(let weak, let hasBegun):
        weak.subscription?.fail(HIDDeviceError(error))
        hasBegun.fulfill()
      case .reports(_, let result): result.fulfill(.failure(error))
      case .port(let result): result.fulfill(.failure(error))
      }
    }
  }

  // MARK: Failures

  /// The last failure, as the error of the bus.
  var lastFailure: HIDBusError? { state.withLock { $0.lastFailure } }

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
