// SPDX-License-Identifier: Apache-2.0

package import IOLoop

/// A registration that calls a closure with the reports of a stream until it is released.
///
/// A call that is running on the loop at the release goes on to its end. If the release is on
/// another thread, one more call may begin.
public final class HIDReportHandling: Sendable {
  private let stream: HIDReportStream
  private let loop: IOLoop

  /// Calls `handler` with the reports of a stream, which has no other reader.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - loop: The loop that puts reports into the stream, on which `handler` runs.
  ///   - handler: Called on the loop with reports, oldest first. It must not wait.
  package init(
    _ stream: HIDReportStream, on loop: IOLoop,
    _ handler: @escaping @Sendable (Span<HIDReport>) -> Void
  ) {
    self.stream = stream
    self.loop = loop
    stream.lease.ring.handle(by: ReportHandler(handler), on: loop)
  }

  deinit { stream.lease.ring.handle(by: nil, on: loop) }

  /// The number of reports that the handler did not get, because the handler or the bus was too
  /// slow.
  public var lost: HIDLossCount { stream.lost }
}

/// A closure as an object, which can be passed on without allocating a new wrapper.
final class ReportHandler: Sendable {
  let body: @Sendable (Span<HIDReport>) -> Void
  init(_ body: @escaping @Sendable (Span<HIDReport>) -> Void) { self.body = body }
}
