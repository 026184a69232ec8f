// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import IOLoop
import Synchronization
package import SystemPackage

/// One end of a link: bytes in both directions over a socket or a terminal.
///
/// It reads one chunk at a time: the next one when the last was taken. So a peer that sends more
/// than is taken waits.
package final class StickChannel: Sendable {
  /// What comes from the peer.
  package enum Event: Sendable {
    /// A chunk of bytes: ``takeMore()`` follows when it has been taken.
    case bytes([UInt8])
    /// The link has ended; nothing follows.
    case end(reason: String)
  }

  /// The loop of all links, and of the sticks at them: what a client sends is answered on one
  /// thread.
  package static let loop = IOLoop(name: "hidsim-link")
  /// The longest chunk.
  private static let chunkByteCount = 4096
  /// How many bytes may wait for a peer that does not read.
  private static let capacity = 256 * 1024

  private struct State {
    var watch: IOLoop.WatchID?
    /// Bytes that the peer had no room for.
    var waiting: [UInt8] = []
    /// Whether a chunk is not taken yet: nothing is read until then.
    var hasChunk = false
    /// Whether the loop does not wait for bytes: more came before a chunk was taken.
    var isPaused = false
    var isClosed = false
    /// Whether the peer has gone, which the loop would report again and again: it is not watched
    /// any more, and what it sent before is read without being waited for.
    var hasHungUp = false
    /// Whether the link ends when all is read.
    var endsWhenRead = false
    /// Why the link ended; nil while it is there.
    var reason: String?
    /// What is called with events; nil before ``StickChannel/receive(_:)``.
    var handler: (@Sendable (Event) -> Void)?
    /// A chunk that came before there was a handler.
    var pending: [UInt8]?
  }

  private let descriptor: FileDescriptor
  private let state = Mutex(State())

  /// Makes one end of a link.
  ///
  /// - Parameter descriptor: A socket or terminal that does not block; the channel closes it.
  /// - Throws: The `Errno` of waiting for it; it is closed then.
  package init(takingOwnershipOf descriptor: FileDescriptor) throws(Errno) {
    self.descriptor = descriptor
    do throws(Errno) {
      let watch = try Self.loop.watch(descriptor, for: .read) { [weak self] readiness in
        self?.handle(readiness)
      }
      state.withLock { $0.watch = watch }
    } catch {
      try? descriptor.close()
      throw error
    }
  }

  deinit { close() }

  /// Why the link has ended, as a clause.
  package var reason: String { state.withLock { endReason($0) } }

  private func endReason(_ state: borrowing State) -> String {
    state.reason ?? "this end closed it"
  }

  /// Whether the peer has closed its end; bytes that it sent before may still wait to be read.
  package var hasPeerLeft: Bool {
    state.withLock { state in
      state.isClosed || state.hasHungUp || state.endsWhenRead
        || clinux_peer_has_closed(descriptor.rawValue) != 0
    }
  }

  /// Calls a handler with what comes from the peer, on the loop.
  ///
  /// - Parameter handler: Called until the link has ended. It must not wait.
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

  /// The bytes that the peer sends, in chunks, to the end of the link: for one reader.
  ///
  /// Each chunk is followed by ``takeMore()``.
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

  /// Reads the next chunk: the last one is taken.
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

  /// Ends the link when all that the peer has sent by now is taken.
  ///
  /// - Parameter reason: Why, as a clause.
  package func endWhenRead(because reason: String) {
    state.withLock { state in
      state.endsWhenRead = true
      state.reason = state.reason ?? reason
    }
    Self.loop.perform { self.read() }
  }

  /// Sends bytes, in order, without waiting for the peer.
  ///
  /// A peer that leaves 256 KiB unread is disconnected.
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

  /// Ends the link.
  package func close() { end(because: nil) }

  private func end(because reason: String?) {
    let (isFirst, handler) = state.withLock { state -> (Bool, (@Sendable (Event) -> Void)?) in
      guard !state.isClosed else { return (false, nil) }
      state.isClosed = true
      state.reason = state.reason ?? reason
      if let watch = state.watch.take() { Self.loop.stopWatching(watch, descriptor) }
      return (true, state.handler.take())
    }
    guard isFirst else { return }
    try? descriptor.close()
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
      state.withLock { state in
        guard !state.isClosed else { return }
        state.waiting.removeFirst(write(state.waiting))
        updateWatch(state)
      }
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
      let count = Glibc.read(descriptor.rawValue, &bytes, bytes.count)
      guard count <= 0 else {
        state.hasChunk = true
        let chunk = Array(bytes[..<count])
        if let handler = state.handler { return .bytes(chunk, handler) }
        state.pending = chunk
        return .nothing
      }
      guard count < 0 else { return .end("it closed the link") }
      switch Errno(rawValue: errno) {
      case .interrupted: return .nothing
      case .wouldBlock: return state.endsWhenRead ? .end("it closed the link") : .nothing
      case let error: return .end("\(error)")
      }
    }
    switch found {
    case .bytes(let bytes, let handler): handler(.bytes(bytes))
    case .nothing: break
    case .end(let reason): end(because: reason)
    }
  }

  /// Writes what there is room for.
  ///
  /// - Returns: How many bytes. Of a link that has gone all: reading notices that.
  private func write(_ bytes: [UInt8]) -> Int {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
        let sent = Glibc.send(
          descriptor.rawValue, rest.baseAddress, rest.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        guard sent < 0, errno == ENOTSOCK else { return sent }
        return Glibc.write(descriptor.rawValue, rest.baseAddress, rest.count)
      }
      guard count >= 0 else {
        switch Errno(rawValue: errno) {
        case .interrupted: continue
        case .wouldBlock: return written
        default: return bytes.count
        }
      }
      written += count
    }
    return written
  }
}
