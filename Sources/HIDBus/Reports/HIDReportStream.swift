// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A stream of input reports, in order, for one reader.
///
/// `next` returns without suspending while there is a report to read. The stream ends when the
/// device is gone, its port is closed, the bus fails (``failure``), or the reading task is
/// cancelled. The bus stops filling it when its last copy is released. One task at a time may read
/// it.
public struct HIDReportStream: AsyncSequence, Sendable {
  /// The rule for reports that find the stream full.
  public enum Policy: Hashable, Sendable {
    /// The bus waits for the reader, if it can.
    ///
    /// The newest reports are still lost if hidsim did not plug the device, if the client cannot
    /// connect to the device's process, as to one of another user, if the reader takes nothing for
    /// a second while the device waits, or if the loopback bus drops reports as the kernel does.
    /// They are counted as far as the bus can count them.
    case lossless
    /// The newest reports are lost, and counted.
    case dropNewest
  }

  /// An object whose release marks the stream as having no reader.
  @usableFromInline
  final class Lease: Sendable {
    @usableFromInline let ring: ReportRing
    init(_ ring: ReportRing) { self.ring = ring }
    deinit { ring.abandon() }
  }

  @usableFromInline let lease: Lease
  /// An object that must stay alive for reports to come; `nil` if there is none.
  private let source: (any AnyObject & Sendable)?

  /// Makes the reader's end of a ring.
  ///
  /// Call it only once for a ring.
  public init(_ ring: ReportRing) {
    lease = Lease(ring)
    source = nil
  }

  private init(_ stream: HIDReportStream, keeping source: any AnyObject & Sendable) {
    lease = stream.lease
    self.source = source
  }

  /// Returns the same stream, which also keeps the source of its reports alive.
  package func keeping(_ source: any AnyObject & Sendable) -> HIDReportStream {
    HIDReportStream(self, keeping: source)
  }

  /// The number of reports that the reader did not get, because the reader or the bus was too slow.
  public var lost: HIDLossCount { lease.ring.lost }

  /// The error with which the bus has ended the stream, such as an invalid message of the device.
  ///
  /// It is `nil` before that, and for an ordinary end. The reader can still have reports to read.
  public var failure: (any Error)? { lease.ring.endingFailure }

  /// Returns the losses since the previous call, with their positions.
  ///
  /// A loss because the stream was full, or one that the device announces, is recorded before the
  /// next report. A loss that is found by counting can be recorded later.
  package func takeLosses() -> [ReportRing.Loss] { lease.ring.takeLosses() }

  /// Ends the reader's present wait, if there is one, and makes the next one end at once.
  ///
  /// The waits end even without a report. Call it if the reader has something else to check.
  package func wakeOnce() { lease.ring.wakeOnce() }

  /// Starts or stops leaving out the reports that come from now on; they do not count as lost.
  package func setMuted(_ isMuted: Bool) { lease.ring.setMuted(isMuted) }

  /// A handle that controls a stream without keeping it alive for its producer.
  package struct Control: Sendable {
    fileprivate let ring: ReportRing

    /// Starts or stops leaving out the reports that come from now on; they do not count as lost.
    package func setMuted(_ isMuted: Bool) { ring.setMuted(isMuted) }

    /// The number of reports that the reader did not get.
    package var lost: HIDLossCount { ring.lost }
  }

  /// A handle that controls the stream without keeping it alive for its producer.
  package var control: Control { Control(ring: lease.ring) }

  /// Returns an iterator that starts at the first report that no iterator has read.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator over the reports of a stream.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let stream: HIDReportStream
    // The ring lives as long as the stream: an unmanaged reference saves its counting for each
    // report.
    @usableFromInline let ring: Unmanaged<ReportRing>
    @usableFromInline var limit: UInt64

    fileprivate init(_ stream: HIDReportStream) {
      self.stream = stream
      ring = .passUnretained(stream.lease.ring)
      limit = stream.lease.ring.readPosition
    }

    /// True if there is a report already: then ``next()`` does not wait.
    @inlinable
    public var hasNext: Bool {
      ring._withUnsafeGuaranteedRef { $0.readPosition < limit || $0.published.isBeyondReader }
    }

    /// Returns the next report; `nil` at the end or after a cancellation.
    @inlinable
    public mutating func next() async -> HIDReport? { await next(isolation: #isolation) }

    /// Returns the next report, without leaving the caller's actor; `nil` at the end or after a
    /// cancellation.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> HIDReport? {
      while true {
        if let report = ring._withUnsafeGuaranteedRef({ $0.take(before: limit) }) {
          return report
        }
        if await !refill(isolation: actor) { return nil }
      }
    }

    /// Calls `body` with the next available reports, up to 64; waits on the caller's actor until
    /// there is one.
    ///
    /// For reports of up to 64 bytes, nothing is copied or allocated: this is the fastest way to
    /// read a stream. The reports count as read, even if `body` throws.
    ///
    /// - Parameters:
    ///   - actor: The caller's actor.
    ///   - body: Called with the reports, oldest first. It must not keep them.
    /// - Returns: The result of `body`; `nil` at the end or after a cancellation, without a call of
    ///   `body`.
    /// - Throws: The error of `body`.
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

    /// Looks for more reports, and waits if there are none; returns false if the stream is over or
    /// the task is cancelled.
    @usableFromInline
    mutating func refill(isolation actor: isolated (any Actor)?) async -> Bool {
      // This is checked even if there are reports: a busy device must not keep a cancelled reader
      // going.
      if Task.isCancelled { return false }
      switch look() {
      case .more: return true
      case .over: return false
      case .empty:
        await stream.lease.ring.wait(isolation: actor)
        return true
      }
    }

    /// The result of looking for reports.
    package enum Supply {
      case more
      /// There are no reports yet.
      case empty
      /// There are no more reports.
      case over
    }

    /// Looks for more reports, without waiting.
    package mutating func look() -> Supply {
      let ring = stream.lease.ring
      // The end is read first: the final reports are published before the end is set.
      let isOver = ring.isFinished
      let isBeyond: Bool
      (limit, isBeyond) = ring.published
      if isBeyond { return .more }
      if isOver { return .over }
      guard ring.refilled() else { return .empty }
      (limit, _) = ring.published
      return .more
    }

    /// Calls `body` with reports that the previous ``look()`` found; `body` returns how many it
    /// takes.
    ///
    /// Reports that do not lie in one piece of memory need further calls. Reports that `body` does
    /// not take come again in the next call.
    ///
    /// - Returns: True if there was a report.
    package mutating func takeSome(_ body: (Span<HIDReport>) -> Int) -> Bool {
      stream.lease.ring.lendSome(before: limit, body)
    }

    /// Waits until there may be a report, the end, a call of ``wakeOnce()``, or the task's
    /// cancellation.
    package func wait() async { await stream.lease.ring.wait(isolation: nil) }
  }
}
