// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Input reports as they come, in order, for one reader.
///
/// `next` returns without suspending while there is something to read. The stream ends when the
/// device is gone, its port is closed, or the reading task is cancelled; it is over when the last
/// copy of it is dropped. It is read by one task at a time.
public struct HIDReportStream: AsyncSequence, Sendable {
  /// What happens when a stream holds as many reports as it can.
  public enum Policy: Hashable, Sendable {
    /// The bus waits for the reader. Where it cannot (the kernel's does not), the newest are lost and counted.
    case lossless
    /// The newest reports are lost, and counted.
    case dropNewest
  }

  /// Tells the producer that nobody reads any more.
  @usableFromInline
  final class Lease: Sendable {
    @usableFromInline let ring: ReportRing
    init(_ ring: ReportRing) { self.ring = ring }
    deinit { ring.abandon() }
  }

  @usableFromInline let lease: Lease

  /// Makes the reader's end of a ring, and its only one.
  public init(_ ring: ReportRing) { lease = Lease(ring) }

  /// How many reports were lost because this stream was full.
  public var lost: Int { lease.ring.lost }

  /// Starts reading, where the last iterator left off.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Reads a stream.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let stream: HIDReportStream
    // The stream's, and alive as long as that: not counted anew for each report.
    @usableFromInline let ring: Unmanaged<ReportRing>
    @usableFromInline var limit: UInt64

    fileprivate init(_ stream: HIDReportStream) {
      self.stream = stream
      ring = .passUnretained(stream.lease.ring)
      limit = stream.lease.ring.readPosition
    }

    /// Whether there is a report already: then ``next()`` does not wait.
    @inlinable
    public var hasNext: Bool {
      ring._withUnsafeGuaranteedRef { $0.readPosition < limit || $0.published.isBeyondReader }
    }

    /// Returns the next report, or `nil` at the end.
    @inlinable
    public mutating func next() async -> HIDReport? { await next(isolation: #isolation) }

    /// Returns the next report, or `nil` at the end, without leaving the caller's actor.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> HIDReport? {
      while true {
        if let report = ring._withUnsafeGuaranteedRef({ $0.take(before: limit) }) {
          return report
        }
        let ring = stream.lease.ring
        // Asked now and then, not only when there is nothing to read: a busy device must not keep a
        // cancelled reader going.
        if Task.isCancelled { return nil }
        // Asked before looking for the last reports: they were published first.
        let isOver = ring.isFinished
        let isBeyond: Bool
        (limit, isBeyond) = ring.published
        if isBeyond { continue }
        if isOver { return nil }
        if ring.refilled() { continue }
        await ring.wait(isolation: actor)
      }
    }
  }
}
