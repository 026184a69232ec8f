// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// A standard file that this program writes to, in the order of the calls.
///
/// At first, a call waits for the reader. After ``keep()``, no call does, unless no thread can be
/// started: bytes that the reader has no room for are kept, and a thread writes them.
final class OutputChannel: Sendable {
  /// The number of bytes that the thread writes at a time.
  ///
  /// It is small, so that the progress of a slow reader is visible.
  private static let part = 4096

  /// The way in which bytes are written.
  private enum Way: Sendable {
    /// The call waits for the reader: ``keep()`` was not called.
    case waiting
    /// The call writes everything itself: a file, for example, has no reader to wait for.
    case direct
    /// The call writes through a new, non-blocking open file description.
    ///
    /// Other programs share the original one, which must stay as it is.
    case reopened(FileDescriptor)
    case socket
    /// Only the thread writes, and it waits for the reader.
    case thread
  }

  private struct State: Sendable {
    var way = Way.waiting
    var kept: [UInt8] = []
    /// The number of bytes that are kept, including those that the thread is about to write.
    var keptByteCount = 0
    /// The number of bytes that the thread has written so far.
    var writtenByteCount = 0
    var isWriting = false
    /// True if nothing more is written: a write has failed, or the reader was given up.
    var hasEnded = false
    /// True after `whenEnded` was called: tasks that wait for the end go on then.
    var isEndKnown = false

    func isSettled(mark: Int) -> Bool { hasEnded ? isEndKnown : keptByteCount <= mark }

    mutating func end() {
      hasEnded = true
      kept = []
      keptByteCount = 0
    }
  }

  private let descriptor: FileDescriptor
  private let whenEnded: @Sendable (Errno?) -> Void
  private let state = ConditionMutex(State())

  /// Makes the channel of a standard file.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - whenEnded: Called at most once: with the error when a write has failed, or with nil when
  ///     the reader was given up. Later calls of `write` drop their bytes.
  init(_ descriptor: FileDescriptor, whenEnded: @escaping @Sendable (Errno?) -> Void) {
    self.descriptor = descriptor
    self.whenEnded = whenEnded
  }

  /// Makes later calls of `write` return without waiting for the reader.
  ///
  /// Bytes that the reader has no room for are kept, and a thread writes them. Until the channel
  /// has ended, only a call with `orNothing` drops bytes.
  func keep() {
    state.withLock { state in
      guard case .waiting = state.way else { return }
      state.way = Self.way(to: descriptor)
    }
  }

  private static func way(to descriptor: FileDescriptor) -> Way {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { return .direct }
    let isTerminal = isatty(descriptor.rawValue) != 0
    switch status.st_mode & S_IFMT {
    case S_IFSOCK: return .socket
    case S_IFIFO: break
    default: if !isTerminal { return .direct }
    }
    // `open` fails if the pipe or terminal belongs to another user.
    let opened = open(
      "/proc/self/fd/\(descriptor.rawValue)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return opened < 0 ? .thread : .reopened(FileDescriptor(rawValue: opened))
  }

  /// Writes bytes, and after ``keep()``, keeps those that the reader has no room for.
  ///
  /// Drops the bytes if the channel has ended.
  ///
  /// - Parameter orNothing: True to drop the bytes if others are kept already.
  func write(_ bytes: [UInt8], orNothing: Bool = false) {
    enum Next {
      case done
      case startThread
      case fail(Errno)
    }
    let next = state.withLock { state -> Next in
      guard !state.hasEnded, !orNothing || state.keptByteCount == 0 else { return .done }
      var count = 0
      if !state.isWriting {
        do throws(Errno) {
          count = try put(bytes, state.way)
        } catch {
          state.end()
          return .fail(error)
        }
      }
      guard count < bytes.count else { return .done }
      state.kept += bytes[count...]
      state.keptByteCount += bytes.count - count
      guard !state.isWriting else { return .done }
      state.isWriting = true
      return .startThread
    }
    switch next {
    case .done: break
    case .startThread:
      // If no thread can be started, the call waits for the reader.
      do { try Thread.start(name: "hidsim-output") { self.writeKept() } } catch { writeKept() }
    case .fail(let error): tellEnd(error)
    }
  }

  /// Ends the channel, unless it has ended.
  ///
  /// - Parameter error: The error of a write; nil if the reader is given up.
  private func end(_ error: Errno?) {
    let isFirst = state.withLock { state in
      guard !state.hasEnded else { return false }
      state.end()
      return true
    }
    if isFirst { tellEnd(error) }
  }

  private func tellEnd(_ error: Errno?) {
    whenEnded(error)
    state.withLock { $0.isEndKnown = true }
  }

  /// Writes as many bytes as possible in the given way.
  ///
  /// - Returns: The number of bytes that were written.
  private func put(_ bytes: [UInt8], _ way: Way) throws(Errno) -> Int {
    switch way {
    case .waiting, .direct:
      try putAll(bytes[...])
      return bytes.count
    case .thread: return 0
    case .reopened(let file): return try put(bytes, by: { Glibc.write(file.rawValue, $0, $1) })
    case .socket:
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
      return try put(bytes, by: { send(descriptor.rawValue, $0, $1, flags) })
    }
  }

  private func put(
    _ bytes: [UInt8], by write: (UnsafeRawPointer?, Int) -> Int
  ) throws(Errno) -> Int {
    var count = 0
    while count < bytes.count {
      do throws(Errno) {
        let written = try retryingOnInterrupt {
          bytes[count...].withUnsafeBytes { write($0.baseAddress, $0.count) }
        }
        guard written > 0 else { throw Errno.ioError }
        count += written
      } catch {
        guard error == .wouldBlock else { throw error }
        break
      }
    }
    return count
  }

  /// Writes all bytes; waits for the reader.
  private func putAll(_ bytes: ArraySlice<UInt8>) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      do throws(Errno) {
        let count = try retryingOnInterrupt {
          rest.withUnsafeBytes { Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
        }
        guard count > 0 else { throw Errno.ioError }
        rest = rest.dropFirst(count)
      } catch {
        guard error == .wouldBlock else { throw error }
        // Another program that shares this open file description has made it non-blocking.
        var watched = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        _ = poll(&watched, 1, -1)
      }
    }
  }

  /// Writes the kept bytes until none are left.
  private func writeKept() {
    while true {
      let bytes = state.withLock { state -> [UInt8]? in
        guard !state.kept.isEmpty else {
          state.isWriting = false
          return nil
        }
        defer { state.kept = [] }
        return state.kept
      }
      guard let bytes else { return }
      for start in stride(from: 0, to: bytes.count, by: Self.part) {
        let part = bytes[start..<min(bytes.count, start + Self.part)]
        do throws(Errno) {
          try putAll(part)
        } catch {
          return end(error)
        }
        let hasEnded = state.withLock { state in
          guard !state.hasEnded else { return true }
          state.keptByteCount -= part.count
          state.writtenByteCount += part.count
          return false
        }
        if hasEnded { return }
      }
    }
  }

  // MARK: The reader

  /// Waits until no more than `mark` bytes are kept, the channel has ended, or the task is
  /// cancelled.
  func wait(mark: Int) async {
    // A command calls this for each line: a closure that escapes would be allocated each time.
    if state.withLock({ $0.isSettled(mark: mark) }) { return }
    await state.waitUnlessCancelled { $0.isSettled(mark: mark) }
  }

  /// Waits until the reader has taken nothing for the time `patience` although bytes were kept, and
  /// then gives it up.
  ///
  /// Returns early if the channel has ended, or the task is cancelled.
  func giveUpReader(patience: Duration) async {
    var (progress, since) = (0, MonotonicTime.now)
    while true {
      do { try await Timeline.real.sleep(for: .milliseconds(50)) } catch { return }
      let (kept, written, hasEnded) = state.withLock {
        ($0.keptByteCount, $0.writtenByteCount, $0.hasEnded)
      }
      if hasEnded { return }
      if kept == 0 || written != progress { (progress, since) = (written, .now) }
      guard MonotonicTime.now.duration(since: since) >= patience else { continue }
      return end(nil)
    }
  }
}
