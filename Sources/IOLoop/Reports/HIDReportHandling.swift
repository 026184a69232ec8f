// SPDX-License-Identifier: Apache-2.0

/// Hands the reports of a stream to a closure as they come, until this is dropped.
public final class HIDReportHandling: Sendable {
  private let stream: HIDReportStream

  /// Hands the reports of a stream, which nobody else reads, to `handler`.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - loop: Where `handler` runs.
  ///   - handler: Looks at reports, oldest first, and does not keep them. It must not wait.
  package init(
    _ stream: HIDReportStream, on loop: IOLoop,
    _ handler: @escaping @Sendable (Span<HIDReport>) -> Void
  ) {
    self.stream = stream
    let ring = stream.lease.ring
    // Not the ring itself, which keeps this; and not from within the producer, which may hold a lock.
    let deliver: @Sendable () -> Void = { [weak ring] in
      while let ring, !ring.isAbandoned, ring.lend(before: ring.published.limit, handler) != nil {}
    }
    ring.whenPublished { loop.perform(deliver) }
  }

  deinit { stream.lease.ring.whenPublished(nil) }

  /// How many reports were lost because the handler did not keep up.
  public var lost: Int { stream.lost }
}
