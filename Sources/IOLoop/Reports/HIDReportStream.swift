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
  /// Who must be there for reports to come.
  private let source: (any AnyObject & Sendable)?

  /// Makes the reader's end of a ring, and its only one.
  public init(_ ring: ReportRing) {
    lease = Lease(ring)
    source = nil
  }

  private init(_ stream: HIDReportStream, keeping source: any AnyObject & Sendable) {
    lease = stream.lease
    self.source = source
  }

  /// The same stream, which keeps whoever its reports come from.
  package func keeping(_ source: any AnyObject & Sendable) -> HIDReportStream {
    HIDReportStream(self, keeping: source)
  }

  /// How many reports the reader did not get, because it or the bus was too slow.
  public var lost: HIDLossCount { lease.ring.lost }

  /// The error that ended the stream, such as an invalid message of the device; `nil` for an
  /// ordinary end.
  public var failure: (any Error)? { lease.ring.endingFailure }

  /// Where reports were lost since the last call: what was lost before a report is there when that one is read.
  package func takeLosses() -> [ReportRing.Loss] { lease.ring.takeLosses() }

  /// Wakes the reader once, though there may be no report: it has something else to look at.
  package func nudge() { lease.ring.nudge() }

  /// Leaves out what comes from now on, or no longer does.
  package func setMuted(_ isMuted: Bool) { lease.ring.setMuted(isMuted) }

  /// What is told to a stream by whoever does not keep it.
  package struct Control: Sendable {
    fileprivate let ring: ReportRing

    /// Leaves out what comes from now on, or no longer does.
    package func setMuted(_ isMuted: Bool) { ring.setMuted(isMuted) }

    /// How many reports the reader did not get.
    package var lost: HIDLossCount { ring.lost }
  }

  /// What is told to the stream by whoever does not keep it.
  package var control: Control { Control(ring: lease.ring) }

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
        if await !refill(isolation: actor) { return nil }
      }
    }

    /// Lends the reports that are there, at least one; waits, without leaving the caller's actor, while there is none.
    ///
    /// Nothing is copied and nothing allocated for reports of up to 64 bytes: the fastest way through a stream. What was
    /// lent is read, even where `body` throws.
    ///
    /// - Parameters:
    ///   - actor: The caller's actor.
    ///   - body: Looks at the reports, oldest first, and does not keep them.
    /// - Returns: What `body` returned; `nil` at the end, and then it was not called.
    /// - Throws: What `body` throws.
    @inlinable
    public mutating func withReports<Result, Failure: Error>(
      isolation actor: isolated (any Actor)? = #isolation,
      _ body: (Span<HIDReport>) throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
      while true {
        let ring = stream.lease.ring
        if let result = try ring.lend(before: limit, body) { return result }
        if await !refill(isolation: actor) { return nil }
      }
    }

    /// Looks for more reports, and waits where there are none; says whether the stream goes on.
    @usableFromInline
    mutating func refill(isolation actor: isolated (any Actor)?) async -> Bool {
      // Asked now and then, not only when there is nothing to read: a busy device must not keep a
      // cancelled reader going.
      if Task.isCancelled { return false }
      switch look() {
      case .more: return true
      case .over: return false
      case .empty:
        await stream.lease.ring.wait(isolation: actor)
        return true
      }
    }

    /// What there is to read.
    package enum Supply {
      case more
      /// Nothing yet.
      case empty
      /// Nothing any more.
      case over
    }

    /// Looks for more reports, without waiting.
    package mutating func look() -> Supply {
      let ring = stream.lease.ring
      // Asked before looking for the last reports: they were published first.
      let isOver = ring.isFinished
      let isBeyond: Bool
      (limit, isBeyond) = ring.published
      if isBeyond { return .more }
      if isOver { return .over }
      guard ring.refilled() else { return .empty }
      (limit, _) = ring.published
      return .more
    }

    /// Lends the reports that were found by the last look, of which `body` takes as many as it returns.
    ///
    /// - Returns: Whether there was a report.
    package mutating func takeSome(_ body: (Span<HIDReport>) -> Int) -> Bool {
      stream.lease.ring.lendSome(before: limit, body)
    }

    /// Waits until there may be something to look at: a report, the end, a nudge, the task's cancellation.
    package func wait() async { await stream.lease.ring.wait(isolation: nil) }
  }
}
