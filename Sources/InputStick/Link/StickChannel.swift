// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import IOLoop
import Synchronization
package import SystemPackage

/// One end of the link between a stick (a simulated InputStick) and a client.
///
/// It carries bytes in both directions over a socket or a terminal. HIDBench uses it for the
/// connections of its HTTP server, too.
///
/// It reads one chunk at a time, and reads the next chunk only after ``takeMore()``. A peer that
/// sends faster than its chunks are taken has to wait.
package final class StickChannel: Sendable {
  /// Bytes from the peer, or the end of the link.
  package enum Event: Sendable {
    /// A chunk of bytes; the receiver calls ``takeMore()`` when it has handled the chunk.
    case bytes([UInt8])
    /// The end of the link; no event follows.
    case end(reason: String)
  }

  /// The loop of all links and of their sticks, so that one thread reads and answers a client's
  /// bytes.
  package static let loop = IOLoop.devices
  /// The length of the longest chunk, in bytes.
  private static let chunkByteCount = 4096
  /// The largest number of bytes that may wait for a peer that does not read.
  private static let capacity = 256 * 1024

  private struct State {
    var watch: IOLoop.WatchID?
    /// The bytes that wait because the peer does not read.
    var waiting: [UInt8] = []
    /// The tasks that wait until no bytes wait, or the link has ended.
    var flushing = WaiterList<Void>()
    /// True from the arrival of a chunk until ``StickChannel/takeMore()`` is called; no bytes are
    /// read in that time.
    var hasChunk = false
    /// True while the loop does not wait for bytes, because the receiver has not yet handled the
    /// previous chunk.
    var isPaused = false
    var isClosed = false
    /// True if the loop has reported that the peer closed the link, or that the link failed.
    ///
    /// The descriptor is not watched any more, because the loop would report the end again and
    /// again. The bytes that the peer sent before are read without a wait.
    var hasHungUp = false
    /// True if the link ends when all bytes are read.
    var endsWhenRead = false
    /// The reason for the end of the link, once it is known; nil if this end closed the link.
    var reason: String?
    /// Called with each event; nil before ``StickChannel/receive(_:)``, and after the end.
    var handler: (@Sendable (Event) -> Void)?
    /// A chunk that arrived before `handler` was set.
    var pending: [UInt8]?
  }

  private let descriptor: FileDescriptor
  /// The owner of the descriptor; nil after the end of the link.
  private let owned: Mutex<OwnedDescriptor?>
  private let state = Mutex(State())

  /// Makes one end of a link.
  ///
  /// - Parameter owned: A non-blocking socket or terminal.
  /// - Throws: The `Errno` if the loop cannot watch the descriptor.
  package init(_ owned: consuming OwnedDescriptor) throws(Errno) {
    descriptor = owned.descriptor
    self.owned = Mutex(consume owned)
    let watch = try Self.loop.watch(descriptor, for: .read) { [weak self] readiness in
      self?.handle(readiness)
    }
    state.withLock { $0.watch = watch }
  }

  deinit { close() }

  /// The reason why the link has ended, as a clause; it has no meaning before the end.
  package var reason: String { state.withLock { endReason($0) } }

  /// True if the link has ended, for any reason.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// True if bytes wait because the peer does not read.
  ///
  /// The property has no meaning after the end of the link.
  package var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  private func endReason(_ state: borrowing State) -> String {
    state.reason ?? "this end closed it"
  }

  /// True if the peer has closed its end or ended its sending, if the link has failed or ended, or
  /// if ``endWhenRead(because:)`` was called.
  ///
  /// Bytes that the peer sent before may still wait to be read.
  package var hasPeerLeft: Bool {
    state.withLock { state in
      state.isClosed || state.hasHungUp || state.endsWhenRead
        || clinux_peer_has_closed(descriptor.rawValue) != 0
    }
  }

  /// Sets the handler of events, and calls it with the events that are pending.
  ///
  /// Both happen on the loop; the call does not wait for them.
  ///
  /// - Parameter handler: Called on the loop with each event, up to the end of the link. It must
  ///   not block.
  package func receive(_ handler: @escaping @Sendable (Event) -> Void) {
    Self.loop.perform {
      let (pending, reason) = self.state.withLock { state -> ([UInt8]?, String?) in
        if !state.isClosed { state.handler = handler }
        return (state.pending.take(), state.isClosed ? self.endReason(state) : nil)
      }
      if let pending { handler(.bytes(pending)) }
      if let reason { handler(.end(reason: reason)) }
    }
  }

  /// The bytes that the peer sends, in chunks, up to the end of the link; for one reader.
  ///
  /// The reader calls ``takeMore()`` after each chunk.
  package var chunks: AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      receive { event in
        switch event {
        case .bytes(let bytes): continuation.yield(bytes)
        case .end: continuation.finish()
        }
      }
    }
  }

  /// Lets the channel read the next chunk, after the caller has handled the previous chunk.
  package func takeMore() {
    let readsAtOnce = state.withLock { state in
      state.hasChunk = false
      if state.isPaused {
        state.isPaused = false
        updateWatch(state)
      }
      return state.hasHungUp || state.endsWhenRead
    }
    if readsAtOnce { Self.loop.perform { self.read() } }
  }

  /// Ends the link when no bytes of the peer are left to read.
  ///
  /// - Parameter reason: The reason for the end, as a clause.
  package func endWhenRead(because reason: String) {
    state.withLock { state in
      state.endsWhenRead = true
      state.reason = state.reason ?? reason
    }
    Self.loop.perform { self.read() }
  }

  /// Sends bytes, in order, without a wait for the peer.
  ///
  /// Bytes for which the descriptor has no room wait. If more than 256 KiB wait, the link ends.
  /// After the end of the link, the bytes are dropped.
  package func send(_ bytes: [UInt8]) {
    let isTooMuch = state.withLock { state in
      guard !state.isClosed else { return false }
      if state.waiting.isEmpty {
        state.waiting = Array(bytes.dropFirst(write(bytes)))
      } else {
        state.waiting += bytes
      }
      if !state.waiting.isEmpty { updateWatch(state) }
      return state.waiting.count > Self.capacity
    }
    if isTooMuch { end(because: "it does not read what is sent to it") }
  }

  /// Waits until the system has taken all bytes that were sent, or the link has ended.
  package func flush() async {
    let isDone = state.withLock { state in
      state.isClosed || state.waiting.isEmpty ? nil : state.flushing.append()
    }
    await isDone?.get()
  }

  /// Ends the link; bytes that still wait are dropped.
  package func close() { end(because: nil) }

  private func end(because reason: String?) {
    let (isFirst, handler, flushing) = state.withLock {
      state -> (Bool, (@Sendable (Event) -> Void)?, [Promise<Void>]) in
      guard !state.isClosed else { return (false, nil, []) }
      state.isClosed = true
      state.reason = state.reason ?? reason
      if let watch = state.watch.take() { Self.loop.stopWatching(watch, descriptor) }
      return (true, state.handler.take(), state.flushing.takeAll())
    }
    flushing.fulfill()
    guard isFirst else { return }
    owned.withLock { $0 = nil }
    guard let handler else { return }
    let event = Event.end(reason: self.reason)
    Self.loop.perform { handler(event) }
  }

  // MARK: The loop

  private func updateWatch(_ state: borrowing State) {
    guard let watch = state.watch else { return }
    var readiness: IOLoop.Readiness = state.isPaused ? [] : .read
    if !state.waiting.isEmpty { readiness.insert(.write) }
    Self.loop.changeWatch(watch, descriptor, for: readiness)
  }

  private func handle(_ readiness: IOLoop.Readiness) {
    if readiness.contains(.write) {
      let flushing = state.withLock { state -> [Promise<Void>] in
        guard !state.isClosed else { return [] }
        state.waiting.removeFirst(write(state.waiting))
        updateWatch(state)
        return state.waiting.isEmpty ? state.flushing.takeAll() : []
      }
      flushing.fulfill()
    }
    guard !readiness.isDisjoint(with: [.read, .hangUp]) else { return }
    if !readiness.isDisjoint(with: .hangUp) {
      state.withLock { state in
        state.hasHungUp = true
        if let watch = state.watch.take() { Self.loop.stopWatching(watch, descriptor) }
      }
    }
    read()
  }

  private func read() {
    enum Found {
      case bytes([UInt8], (@Sendable (Event) -> Void))
      case nothing
      case end(String)
    }
    let found = state.withLock { state -> Found in
      guard !state.isClosed else { return .nothing }
      guard !state.hasChunk else {
        if !state.isPaused {
          state.isPaused = true
          updateWatch(state)
        }
        return .nothing
      }
      var bytes = [UInt8](repeating: 0, count: Self.chunkByteCount)
      let count: Int
      do throws(Errno) {
        count = try retryingOnInterrupt {
          Glibc.read(descriptor.rawValue, &bytes, bytes.count)
        }
      } catch {
        guard error == .wouldBlock else { return .end("\(error)") }
        return state.endsWhenRead ? .end("it closed the link") : .nothing
      }
      guard count > 0 else { return .end("it closed the link") }
      state.hasChunk = true
      let chunk = Array(bytes[..<count])
      if let handler = state.handler { return .bytes(chunk, handler) }
      state.pending = chunk
      return .nothing
    }
    switch found {
    case .bytes(let bytes, let handler): handler(.bytes(bytes))
    case .nothing: break
    case .end(let reason): end(because: reason)
    }
  }

  /// Writes the bytes for which the descriptor has room.
  ///
  /// - Returns: The number of bytes that were written. All count as written if the link has failed:
  ///   the next read reports the end.
  private func write(_ bytes: [UInt8]) -> Int {
    var written = 0
    while written < bytes.count {
      do throws(Errno) {
        written += try retryingOnInterrupt {
          bytes[written...].withUnsafeBytes { rest in
            let sent = Glibc.send(
              descriptor.rawValue, rest.baseAddress, rest.count,
              Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            guard sent < 0, errno == ENOTSOCK else { return sent }
            return Glibc.write(descriptor.rawValue, rest.baseAddress, rest.count)
          }
        }
      } catch {
        return error == .wouldBlock ? written : bytes.count
      }
    }
    return written
  }
}
