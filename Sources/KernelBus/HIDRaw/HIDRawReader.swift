// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization
import SystemPackage

/// Reads input reports from one hidraw node, and hands each to every subscriber.
///
/// hidraw has no vectored read of its own: the kernel reads a report into each vector, until one
/// comes that is shorter than its vector. So when all reports have one length, as many as the
/// kernel keeps come in one call; a vector of any other size would end it after the first. But a report
/// longer than declared is cut to its vector, so reports are read one by one, with room for any,
/// until a run of them had the declared length.
final class HIDRawReader: Sendable {
  /// How many reports the kernel keeps for a reader (`HIDRAW_BUFFER_SIZE` less one).
  private static let kernelQueue = 63
  /// How many reports of the declared length in a row make batches safe.
  private static let provenRun = 4

  /// How many system calls one turn on the loop makes at most.
  private static let callsPerTurn = 64

  private struct State: Sendable {
    var rings: [ReportRing] = []
    var run = 0
    var isOver = false
    var whenOver: (@Sendable () -> Void)?
  }

  private let descriptor: FileDescriptor
  private let uniform: Int?
  private let loop: IOLoop
  private let state = Mutex(State())
  // Used on the loop alone, in `drain`.
  nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer
  nonisolated(unsafe) private let vectors: UnsafeMutableBufferPointer<iovec>

  init(descriptor: FileDescriptor, lengths: HIDReportLengths, loop: IOLoop) {
    self.descriptor = descriptor
    self.loop = loop
    uniform = lengths.uniform(.input)
    let stride = max(uniform ?? 0, 1)
    buffer = .allocate(
      byteCount: max(ReportRing.longestReport, Self.kernelQueue * stride), alignment: 16)
    vectors = .allocate(capacity: Self.kernelQueue)
    for index in 0..<Self.kernelQueue {
      vectors.initializeElement(
        at: index,
        to: iovec(
          iov_base: uniform == nil ? nil : buffer.baseAddress.map { $0 + index * stride },
          iov_len: stride))
    }
  }

  deinit {
    buffer.deallocate()
    vectors.deallocate()
  }

  func subscribe(capacity: Int) -> HIDReportStream {
    let ring = ReportRing(capacity: capacity)
    let isOver = state.withLock { state in
      if !state.isOver { state.rings.append(ring) }
      return state.isOver
    }
    if isOver { ring.finish() }
    return HIDReportStream(ring)
  }

  /// Calls `body` when the device is gone; at once if it is already.
  func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.whenOver = body }
      return state.isOver
    }
    if isOver { body() }
  }

  /// Ends all streams.
  func finish() {
    let (rings, whenOver) = state.withLock { state in
      defer { state = State(isOver: true) }
      return (state.rings, state.whenOver)
    }
    for ring in rings { ring.finish() }
    whenOver?()
  }

  /// Reads all there is.
  ///
  /// On the loop.
  func drain() {
    let isOver = state.withLock { state -> Bool in
      state.rings.removeAll { $0.isAbandoned }
      // A device that sends without pause is come back to, after the others on the loop.
      for _ in 0..<Self.callsPerTurn {
        let outcome = readSome(run: &state.run, into: state.rings)
        if outcome != .more { return outcome == .over }
      }
      return false
    }
    if isOver { finish() }
  }

  private enum Outcome {
    case more
    case empty
    case over
  }

  private func readSome(run: inout Int, into rings: [ReportRing]) -> Outcome {
    if let uniform, run >= Self.provenRun {
      let count = readv(descriptor.rawValue, vectors.baseAddress, Int32(Self.kernelQueue))
      guard count > 0 else { return outcome(count) }
      let now = MonotonicTime.now
      var offset = 0
      while offset < count {
        let length = min(uniform, count - offset)
        publish(UnsafeRawBufferPointer(rebasing: buffer[offset..<offset + length]), now, rings)
        offset += length
        if length < uniform { run = 0 }
      }
      for ring in rings { ring.commit() }
      return count < uniform * Self.kernelQueue ? .empty : .more
    }
    let count = Glibc.read(descriptor.rawValue, buffer.baseAddress, ReportRing.longestReport)
    guard count > 0 else { return outcome(count) }
    publish(UnsafeRawBufferPointer(rebasing: buffer[..<count]), .now, rings)
    for ring in rings { ring.commit() }
    run = count == uniform ? run + 1 : 0
    return .more
  }

  private func publish(
    _ report: UnsafeRawBufferPointer, _ time: MonotonicTime, _ rings: [ReportRing]
  ) {
    for ring in rings where !ring.put(report, at: time) { ring.countLost(1) }
  }

  private func outcome(_ count: Int) -> Outcome {
    if count == 0 { return .over }
    switch Errno(rawValue: errno) {
    case .wouldBlock: return .empty
    case .interrupted: return .more
    default: return .over  // EIO, ENODEV: the device is gone
    }
  }
}
