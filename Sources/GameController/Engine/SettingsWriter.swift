// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// Sends the settings of a program to a controller, all of them in each report.
///
/// A slow controller gets the newest settings. After a refusal, for example while another program
/// has seized the controller, a report is made and sent again.
final class SettingsWriter: Sendable {
  private enum Event: Sendable {
    /// The program has changed something.
    case change
    /// The time has come to send the report again.
    case again
  }

  private static let retryInterval = Duration.seconds(1)
  private static let maximumRetryCount = 60

  private let events: AsyncStream<Event>.Continuation
  private let changes = News<Void>()

  /// - Parameters:
  ///   - client: The controller.
  ///   - interval: How often a report is repeated while `report` asks for it.
  ///   - accepted: Called when the controller has accepted a report, with its `repeats`.
  ///   - report: Makes a report with its ID. `number` counts the reports; `repeats` requests a
  ///     repetition.
  init(
    _ client: HIDDeviceClient, repeatedEach interval: Duration,
    accepted: @escaping @Sendable (_ repeats: Bool) -> Void = { _ in },
    _ report: @escaping @Sendable (_ number: UInt8) -> (bytes: [UInt8], repeats: Bool)
  ) {
    // One change, and one time to send again: the buffer is bounded.
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

  /// Queues a report.
  func update() {
    if changes.replace(()) { events.yield(.change) }
  }

  /// Accepts no further change.
  func end() { events.finish() }
}
