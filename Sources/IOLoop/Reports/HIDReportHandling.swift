// SPDX-License-Identifier: Apache-2.0

/// Hands the reports of a stream to a closure as they come, until this is dropped.
public final class HIDReportHandling: Sendable {
  private let stream: HIDReportStream
  private let loop: IOLoop

  /// Hands the reports of a stream, which nobody else reads, to `handler`.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - loop: Where reports are put into the stream, and `handler` runs.
  ///   - handler: Looks at reports, oldest first, and does not keep them. It must not wait.
  package init(
    _ stream: HIDReportStream, on loop: IOLoop,
    _ handler: @escaping @Sendable (Span<HIDReport>) -> Void
  ) {
    self.stream = stream
    self.loop = loop
    stream.lease.ring.handle(by: ReportHandler(handler), on: loop)
  }

  deinit { stream.lease.ring.handle(by: nil, on: loop) }

  /// How many reports the handler did not get, because it or the bus was too slow.
  public var lost: HIDLossCount { stream.lost }
}

/// A closure as an object, which is handed from place to place without being wrapped anew.
final class ReportHandler: Sendable {
  let body: @Sendable (Span<HIDReport>) -> Void
  init(_ body: @escaping @Sendable (Span<HIDReport>) -> Void) { self.body = body }
}
