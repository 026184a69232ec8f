// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// The writer of a program's settings to a controller, with all settings in each report.
///
/// A slow controller gets the newest settings. If a report fails, for example while another client
/// has the controller seized, a new report is sent one second later, or when a repetition that is
/// already planned is due. This is repeated at most 60 times.
final class SettingsWriter: Sendable {
  private enum Event: Sendable {
    /// The program has changed something.
    case change
    /// A repetition of the report is due.
    case again
  }

  private static let retryInterval = Duration.seconds(1)
  private static let maximumRetryCount = 60

  private let events: AsyncStream<Event>.Continuation
  private let changes = News<Void>()

  /// - Parameters:
  ///   - client: The controller.
  ///   - interval: The time after which a report is repeated if `report` requests it.
  ///   - accepted: Called with the `repeats` of a report when the report was sent without an error.
  ///   - report: Makes a report with its ID. `number` counts the reports; `repeats` requests a
  ///     repetition.
  init(
    _ client: HIDDeviceClient, repeatedEach interval: Duration,
    accepted: @escaping @Sendable (_ repeats: Bool) -> Void = { _ in },
    _ report: @escaping @Sendable (_ number: UInt8) -> (bytes: [UInt8], repeats: Bool)
  ) {
    // The buffer holds at most one change and one repetition.
    let (stream, events) = AsyncStream<Event>.makeStream(bufferingPolicy: .unbounded)
    self.events = events
    let changes = changes
    Task {
      var number: UInt8 = 0
      var retryCount = 0
      var isPlanned = false
      for await event in stream {
        switch event {
        case .change:
          _ = changes.take()
          retryCount = 0
        case .again: isPlanned = false
        }
        let (bytes, repeats) = report(number)
        number &+= 1
        var isRefused = false
        do {
          try await client.dispatchSetReportRequest(
            type: .output, id: HIDReportID(rawValue: bytes[0]), data: Data(bytes))
          retryCount = 0
          accepted(repeats)
        } catch {
          retryCount += 1
          isRefused = true
        }
        guard !isPlanned, repeats || isRefused, retryCount <= Self.maximumRetryCount else {
          continue
        }
        isPlanned = true
        Task {
          try? await Task.sleep(for: isRefused ? Self.retryInterval : interval)
          events.yield(.again)
        }
      }
    }
  }

  deinit { events.finish() }

  /// Queues a report with the newest settings.
  func update() {
    if changes.replace(()) { events.yield(.change) }
  }

  /// Ends the writer: later changes are not sent.
  func end() { events.finish() }
}
