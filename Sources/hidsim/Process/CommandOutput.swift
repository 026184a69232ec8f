// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// What a program writes, of which the end is kept, however much it is.
final class CommandOutput: Sendable {
  /// How much is kept, in bytes.
  static let keptByteCount = 64 << 10
  /// How much of what is still written when it ends is read.
  private static let lastByteCount = 1 << 20

  /// Where the program writes to.
  let input: FileDescriptor
  private let output: FileDescriptor
  private let stop: FileDescriptor
  private let state = Mutex(State())

  private struct State: Sendable {
    var bytes: [UInt8] = []
    var isCut = false
    var hasEnded = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// Begins to read, on a thread of its own, until ``end()``.
  ///
  /// - Throws: An `Errno` where there can be no more files or threads.
  init() throws {
    let (output, input) = try FileDescriptor.pipe(options: .closeOnExec)
    self.output = output
    self.input = input
    let stopped: FileDescriptor
    do {
      (stopped, stop) = try FileDescriptor.pipe(options: .closeOnExec)
    } catch {
      try? output.close()
      try? input.close()
      throw error
    }
    do {
      try Thread.start(name: "hidsim-output") { [self] in
        read(until: stopped)
        try? output.close()
        try? stopped.close()
        let waiter = state.withLock { state in
          state.hasEnded = true
          return state.waiter
        }
        waiter?.resume()
      }
    } catch {
      for file in [output, input, stopped, stop] { try? file.close() }
      throw error
    }
  }

  private func read(until stopped: FileDescriptor) {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var files = [
      pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stopped.rawValue, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard poll(&files, 2, -1) >= 0 || errno == EINTR else { return }
      if files[0].revents != 0, !take(&buffer) { return }
      if files[1].revents != 0 { break }
    }
    // What lies there by now; what has got away from the program may write for ever.
    _ = fcntl(output.rawValue, F_SETFL, O_NONBLOCK)
    for _ in 0..<Self.lastByteCount / buffer.count where !take(&buffer) { return }
  }

  /// Reads once, and says whether there may be more.
  private func take(_ buffer: inout [UInt8]) -> Bool {
    let count = Glibc.read(output.rawValue, &buffer, buffer.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    state.withLock { state in
      state.bytes += buffer[..<count]
      guard state.bytes.count > 2 * Self.keptByteCount else { return }
      state.bytes.removeFirst(state.bytes.count - Self.keptByteCount)
      state.isCut = true
    }
    return true
  }

  /// Ends reading, once the program has ended: for once.
  func end() async {
    try? input.close()
    try? stop.close()
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiter = continuation }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// What was written, under a title; nothing where it was nothing.
  var text: String {
    let (bytes, isCut) = state.withLock { ($0.bytes, $0.isCut) }
    guard !bytes.isEmpty else { return "" }
    let text = String(decoding: bytes.suffix(Self.keptByteCount), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head =
      isCut || bytes.count > Self.keptByteCount
      ? "the end of what the command wrote:" : "what the command wrote:"
    return ([head] + lines.drop { $0.isEmpty }.map { "  \($0)" }).joined(separator: "\n")
  }
}
