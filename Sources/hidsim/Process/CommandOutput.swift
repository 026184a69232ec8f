// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import IOLoop
import Synchronization
import SystemPackage

/// The output of a program, of which only the last bytes are kept.
final class CommandOutput: Sendable {
  /// The maximum number of bytes that ``text`` shows; up to twice as many are kept in between.
  static let keptByteCount = 64 << 10
  /// The maximum number of bytes that are still read from the pipe after ``end()``.
  private static let lastByteCount = 1 << 20

  /// The end of the pipe that the program writes to.
  var input: FileDescriptor { pipe.input.descriptor }
  private let pipe: Pipe
  /// The pipe whose input is closed to end the thread.
  private let stop: Pipe
  private let state = Mutex(State())
  /// Fulfilled when the thread is done.
  private let hasEnded = Promise<Void>()

  private struct State: Sendable {
    var bytes: [UInt8] = []
    var isCut = false
  }

  /// Starts a thread that reads the output until ``end()``.
  ///
  /// - Throws: An `Errno` if no more files or threads are available.
  init() throws {
    pipe = try Pipe()
    stop = try Pipe()
    try Thread.start(name: "hidsim-output") { [self] in
      read()
      pipe.output.close()
      stop.output.close()
      hasEnded.fulfill()
    }
  }

  /// Reads the output until ``end()``.
  private func read() {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    var files = [
      pollfd(fd: pipe.output.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stop.output.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard (try? retryingOnInterrupt { poll(&files, 2, -1) }) != nil else { return }
      if files[0].revents != 0, !take(&buffer) { return }
      if files[1].revents != 0 { break }
    }
    // Reads the bytes that are in the pipe now. The number is limited: a process that the program
    // started and that still runs may write for ever.
    _ = fcntl(pipe.output.descriptor.rawValue, F_SETFL, O_NONBLOCK)
    for _ in 0..<Self.lastByteCount / buffer.count where !take(&buffer) { return }
  }

  /// Reads once, and returns whether more output may follow.
  private func take(_ buffer: inout [UInt8]) -> Bool {
    let read = try? retryingOnInterrupt {
      Glibc.read(pipe.output.descriptor.rawValue, &buffer, buffer.count)
    }
    guard let count = read, count > 0 else { return false }
    state.withLock { state in
      state.bytes += buffer[..<count]
      guard state.bytes.count > 2 * Self.keptByteCount else { return }
      state.bytes.removeFirst(state.bytes.count - Self.keptByteCount)
      state.isCut = true
    }
    return true
  }

  /// Reads what is left in the pipe, at most about 1 MiB, and waits until the thread is done.
  ///
  /// Call it after the program has ended.
  func end() async {
    pipe.input.close()
    stop.input.close()
    await hasEnded.get()
  }

  /// The kept output under a title; an empty string if the program wrote nothing.
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

/// A pipe whose ends are closed one by one.
private struct Pipe: Sendable {
  /// An end, which is closed once: by a call, or with the last reference.
  final class End: Sendable {
    let descriptor: FileDescriptor
    private let owned: Mutex<OwnedDescriptor?>

    init(takingOwnershipOf descriptor: FileDescriptor) {
      self.descriptor = descriptor
      owned = Mutex(OwnedDescriptor(takingOwnershipOf: descriptor))
    }

    /// Closes the end; does nothing if it is closed.
    func close() { owned.withLock { $0 = nil } }
  }

  /// The end that is read.
  let output: End
  /// The end that is written to.
  let input: End

  init() throws {
    let (output, input) = try FileDescriptor.pipe(options: .closeOnExec)
    self.output = End(takingOwnershipOf: output)
    self.input = End(takingOwnershipOf: input)
  }
}
