// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSystem
import HIDWire
import IOLoop
import Synchronization

/// A client's way to its device: opened when it is first needed, closed when the client is gone.
final class ClientConnection: Sendable {
  private enum Phase {
    case closed
    case opening
    case open(any HIDHostPort)
  }

  /// Somebody who waits for the device to be open.
  private enum Wish {
    /// A stream of notifications, unless nobody wants it any more; and the thread that waits for it, a little.
    case notifications(WeakSubscription, DispatchSemaphore)
    case reports(Capacity, CheckedContinuation<Result<HIDReportStream, HIDWireError>, Never>)
    case port(UInt64, CheckedContinuation<Result<any HIDHostPort, HIDWireError>, Never>)

    /// Whether whoever wished is gone.
    var isForNobody: Bool {
      if case .notifications(let weak, _) = self { weak.subscription == nil } else { false }
    }

    /// How much the stream holds that is wished for, if one is.
    var capacity: Capacity {
      if case .reports(let capacity, _) = self { capacity } else { .notifications }
    }
  }

  /// How much a stream holds, and what happens then.
  struct Capacity: Sendable {
    let count: Int
    let policy: HIDReportStream.Policy

    /// Of a stream of notifications.
    static let notifications = Capacity(count: 1024, policy: .dropNewest)
  }

  /// A stream of notifications that its consumer keeps.
  private struct WeakSubscription {
    weak var subscription: ReportSubscription?
  }

  private struct State {
    var phase = Phase.closed
    var wishes: [Wish] = []
    var lastWish: UInt64 = 0
    /// What says whether another client has the device for itself; `nil` until it is needed, and where nobody can say.
    var exclusivity: HIDExclusivity?
    /// Whether another client has it, as far as the streams were told.
    var isTaken = false
    /// What failed last, in the bus' words.
    var lastFailure: HIDWireError?
  }

  /// The loop that knows when somebody has waited long enough for the device to be open.
  private static let clock = IOLoop(name: "hidsim-opening")

  let target: DeviceTarget
  /// What the client has under way.
  let outstanding = Outstanding()
  private let state = Mutex(State())

  init(_ target: DeviceTarget) { self.target = target }

  deinit { if case .open(let port) = state.withLock({ $0.phase }) { port.close() } }

  // MARK: Opening

  /// The open port.
  ///
  /// - Parameter deadline: When to give up; `nil` for when the device comes, or does not.
  /// - Throws: `timedOut`; `other` with `ECANCELED` when the task is cancelled; what opening fails with.
  func port(until deadline: MonotonicTime?) async throws(HIDWireError) -> any HIDHostPort {
    let (open, key) = state.withLock { state -> ((any HIDHostPort)?, UInt64) in
      if case .open(let port) = state.phase { return (port, 0) }
      state.lastWish += 1
      return (nil, state.lastWish)
    }
    if let open { return open }
    let timer = deadline.map { deadline in
      Self.clock.schedule(at: deadline) { [weak self] in
        self?.withdraw(key, HIDWireError(.timedOut, "opening the device took too long"))
      }
    }
    defer { if let timer { Self.clock.cancel(timer) } }
    let cancelled = HIDWireError(
      .other, "the task was cancelled before the device was open", errorNumber: ECANCELED)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let port = wish(.port(key, continuation)) {
          continuation.resume(returning: .success(port))
        } else if Task.isCancelled {
          withdraw(key, cancelled)
        } else if let deadline, deadline <= .now {
          withdraw(key, HIDWireError(.timedOut, "opening the device took too long"))
        }
      }
    } onCancel: {
      withdraw(key, cancelled)
    }
    return try outcome.get()
  }

  /// Tells somebody who waits for the port that there will be none for him.
  private func withdraw(_ key: UInt64, _ error: HIDWireError) {
    let wish = state.withLock { state in
      state.wishes.firstIndex { if case .port(key, _) = $0 { true } else { false } }
        .map { state.wishes.remove(at: $0) }
    }
    if case .port(_, let continuation) = wish { continuation.resume(returning: .failure(error)) }
  }

  /// A stream of input reports, from now on: of a device that is not open yet, from its first.
  func reports(_ capacity: Capacity) async throws(HIDWireError) -> HIDReportStream {
    let outcome = await withCheckedContinuation { continuation in
      if let port = wish(.reports(capacity, continuation)) {
        continuation.resume(
          returning: .success(port.reports(capacity: capacity.count, policy: capacity.policy)))
      }
    }
    return try outcome.get()
  }

  /// How long somebody who asks for notifications waits for the device to be open.
  ///
  /// Opening takes microseconds, unless a device on the kernel's bus owes somebody an answer. It needs no thread of the
  /// cooperative pool, of which this may be the last one; but the one who owes the answer may.
  private static let openingBound = DispatchTimeInterval.milliseconds(200)

  /// Begins a stream of notifications: right now if the device is open, else as soon as it is.
  ///
  /// A device that is there is waited for, a little: what it sends when this has returned shall not be missed. A task on a
  /// loop's thread cannot wait for what the loop has yet to read.
  func subscribe(_ subscription: ReportSubscription) {
    begin(subscription)
    let sleeper = DispatchSemaphore(value: 0)
    if let port = wish(.notifications(WeakSubscription(subscription: subscription), sleeper)) {
      let capacity = Capacity.notifications
      subscription.begin(port.reports(capacity: capacity.count, policy: capacity.policy))
    } else if target.knownRecord != nil, !IOLoop.isAnyCurrent {
      _ = sleeper.wait(timeout: .now() + Self.openingBound)
    }
  }

  /// Counts a stream, and tells it whether another client has the device.
  func begin(_ stream: any ClientStream) {
    state.withLock { state in
      outstanding.beginStream(stream)
      if state.isTaken { stream.noteSeized(true) }
    }
  }

  /// Returns the open port; else keeps a wish until there is one, and has the device opened if it is the first.
  private func wish(_ wish: Wish) -> (any HIDHostPort)? {
    let (port, isFirst) = state.withLock { state -> ((any HIDHostPort)?, Bool) in
      switch state.phase {
      case .open(let port): return (port, false)
      case .opening:
        // A device that is not activated may be waited for by many, one after the other.
        if state.wishes.count % 64 == 0 { state.wishes.removeAll(where: \.isForNobody) }
        state.wishes.append(wish)
        return (nil, false)
      case .closed:
        state.wishes.removeAll(where: \.isForNobody)
        state.wishes.append(wish)
        state.phase = .opening
        return (nil, true)
      }
    }
    if isFirst { open(wish.capacity) }
    return port
  }

  /// Opens the device, with a stream from before it can send: that of the first wish.
  private func open(_ capacity: Capacity) {
    target.beginOpening()
    target.whenThere { [self] result in
      switch result {
      case .failure(let error):
        refuse(error)
        target.endOpening()
      case .success(let record):
        target.hosts.open(record, capacity: capacity.count, policy: capacity.policy) {
          [self] result in
          switch result {
          case .failure(let error): refuse(error)
          case .success(let opened):
            agree(on: record)
            fulfil(opened.port, opened.reports)
          }
          target.endOpening()
        }
      }
    }
  }

  /// Gives everybody what was wished for.
  ///
  /// - Parameter first: The stream that the device was opened with; nobody's, if no stream was wished for first.
  private func fulfil(_ port: any HIDHostPort, _ first: HIDReportStream) {
    let wishes = state.withLock { state in
      state.phase = .open(port)
      defer { state.wishes = [] }
      return state.wishes
    }
    var first: HIDReportStream? = first
    for wish in wishes {
      let capacity = wish.capacity
      func stream() -> HIDReportStream {
        first ?? port.reports(capacity: capacity.count, policy: capacity.policy)
      }
      switch wish {
      case .notifications(let weak, let sleeper):
        weak.subscription?.begin(stream())
        sleeper.signal()
      case .reports(_, let continuation): continuation.resume(returning: .success(stream()))
      case .port(_, let continuation): continuation.resume(returning: .success(port))
      }
      first = nil
    }
  }

  /// Tells everybody why there is none; that need not last: the next one who wishes tries again.
  private func refuse(_ error: HIDWireError) {
    let wishes = state.withLock { state in
      state.phase = .closed
      state.lastFailure = error
      defer { state.wishes = [] }
      return state.wishes
    }
    for wish in wishes {
      switch wish {
      case .notifications(let weak, let sleeper):
        weak.subscription?.fail(HIDDeviceError(error))
        sleeper.signal()
      case .reports(_, let continuation): continuation.resume(returning: .failure(error))
      case .port(_, let continuation): continuation.resume(returning: .failure(error))
      }
    }
  }

  // MARK: Failures

  /// What failed last, in the bus' words.
  var lastFailure: HIDWireError? { state.withLock { $0.lastFailure } }

  /// Notes what failed, and says what it is to a client.
  func note(_ failure: HIDWireError) -> HIDDeviceError {
    state.withLock { $0.lastFailure = failure }
    return HIDDeviceError(failure)
  }

  // MARK: Seizing

  /// What says whether another client has the device for itself.
  func exclusivity(of record: HIDDeviceRecord) throws(HIDWireError) -> HIDExclusivity {
    if let exclusivity = state.withLock({ $0.exclusivity }) { return exclusivity }
    let new = try target.hosts.exclusivity(of: record)
    let (exclusivity, isNew) = state.withLock { state in
      defer { state.exclusivity = state.exclusivity ?? new }
      return (state.exclusivity ?? new, state.exclusivity == nil)
    }
    if isNew { try exclusivity.watch { [weak self] in self?.noteTaken($0) } }
    return exclusivity
  }

  /// Begins to hear of other clients that take the device for themselves.
  private func agree(on record: HIDDeviceRecord) {
    do throws(HIDWireError) {
      _ = try exclusivity(of: record)
    } catch {
      // Without a folder to agree in nobody can have the device for himself.
      if error.kind != .unavailable { state.withLock { $0.lastFailure = error } }
    }
  }

  private func noteTaken(_ isTaken: Bool) {
    guard let loop = openPort?.loop else { return tellStreams(isTaken) }
    loop.perform { [weak self] in
      // What the device has sent before counts as sent while things were as they were.
      self?.openPort?.catchUp()
      self?.tellStreams(isTaken)
    }
  }

  private var openPort: (any HIDHostPort)? {
    state.withLock { state in if case .open(let port) = state.phase { port } else { nil } }
  }

  private func tellStreams(_ isTaken: Bool) {
    // Kept until the lock is not held: the last reference to a stream may be the last one to this.
    let streams = state.withLock { state -> [any ClientStream] in
      guard state.isTaken != isTaken else { return [] }
      state.isTaken = isTaken
      let streams = outstanding.streams
      for stream in streams { stream.noteSeized(isTaken) }
      return streams
    }
    withExtendedLifetime(streams) {}
  }

  /// Throws if another client has the device for itself now.
  func checkIsFree() throws(HIDWireError) {
    try state.withLock({ $0.exclusivity })?.checkIsFree()
  }
}
