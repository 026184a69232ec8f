// SPDX-License-Identifier: Apache-2.0

import HIDBus
package import HIDReportDescriptor
package import HIDTraces
package import IOLoop
import Synchronization

/// The sending of a trace's reports, directly from the loop of the device's port.
extension SimulatedInterface {
  /// The outcome of an attempt to send reports at once.
  private enum Attempt {
    case sent(HIDTraceSending)
    /// A reader might lose reports if they were sent before this time.
    case tooEarly(MonotonicTime)
    /// A client that makes progress has no room.
    case noRoom
    /// The reports must be sent in turn, like other input.
    case otherwise
  }

  /// Sends reports in order, as many as fit at once, when the first is due.
  ///
  /// On the loop of the device's port the reports are sent without a wait, and noted afterwards:
  /// the host's answer cannot be received before this call returns. On another thread, while
  /// another task sends, while the kernel's driver changes, if the log keeps input reports, or if
  /// time is virtual, the reports are sent like other input.
  ///
  /// - Throws: `reportMismatch` if a report is not as declared; `gone`; the error of the bus, or
  ///   the reason why the device cannot take input; `CancellationError`, or `other` if the task is
  ///   cancelled while the kernel's driver changes.
  package func play(
    _ batch: HIDReportBatch, in range: Range<Int>, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending {
    while true {
      guard let port else {
        throw HIDBusError(.gone, "\(label) is not plugged")
      }
      switch try sendAtOnce(batch, range, port, due) {
      case .sent(let sending): return sending
      case .tooEarly(let time): try await Timeline.real(on: port.loop).sleep(until: time)
      case .noRoom: await port.roomForInput()
      case .otherwise:
        if !timeline.isVirtual { try await Timeline.real(on: port.loop).sleep(until: due) }
        return try await sendInTurn(batch, range, port)
      }
      try Task.checkCancellation()
    }
  }

  /// Tries to send reports at once, and returns the outcome.
  ///
  /// The outcome is `otherwise` unless this is the port's loop, no other task is sending, time is
  /// real, the log only counts input reports, and the device is usable.
  private func sendAtOnce(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: any HIDDevicePort,
    _ due: MonotonicTime
  ) throws(HIDBusError) -> Attempt {
    // If the log keeps input reports, or if time is virtual, a report is entered into the log
    // before it is sent. Such reports are sent like other input.
    guard port.loop.isCurrent, !timeline.isVirtual, !log.keepsInput else { return .otherwise }
    let attempt = sending.withLockIfFree {
      port.assumeIsolated { port in
        Result { () throws(HIDBusError) in try self.sendNow(batch, range, port, due) }
      }
    }
    return try attempt?.get() ?? .otherwise
  }

  private func sendNow(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: isolated any HIDDevicePort,
    _ due: MonotonicTime
  ) throws(HIDBusError) -> Attempt {
    // A client that has just opened the device receives the report, so it counts as a reader. The
    // kernel sends the open event at once, but the device may not have read it yet.
    if !port.waitsForClients, !isOpen { port.catchUp() }
    let (isUsable, isHeard, earliest) = state.withLock { state in
      (state.driver.usability.isUsable, state.model.isOpen, state.pacing.next)
    }
    guard isUsable else { return .otherwise }
    var range = range
    if !port.waitsForClients, isHeard {
      if MonotonicTime.now < earliest { return .tooEarly(earliest) }
      range = range.lowerBound..<min(range.upperBound, range.lowerBound + ReportPacing.burst)
    }
    // All preparations are done, so this loop polls the clock for at most the last 0.1 ms.
    var time = MonotonicTime.now
    while time < due { time = .now }
    let next =
      port.waitsForClients || isHeard
      ? try port.sendInput(batch, in: range) : try sendUnheard(batch, range, port)
    guard next > range.lowerBound else { return .noRoom }
    let sent = range.lowerBound..<next
    note(batch, in: sent, .input, isHeard: isHeard)
    if !port.waitsForClients {
      state.withLock { $0.pacing.sent(sent.count, at: time, isHeard: isHeard) }
    }
    return .sent(HIDTraceSending(count: sent.count, time: time))
  }

  /// Sends reports while no client has the device open, and returns the index of the next report.
  private func sendUnheard(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: isolated any HIDDevicePort
  ) throws(HIDBusError) -> Int {
    var next = range.lowerBound
    repeat {
      let end = min(range.upperBound, next + ReportPacing.unheardBurst)
      let sent = try port.sendInput(batch, in: next..<end)
      defer { next = sent }
      if sent < end { return sent }
      if sent < range.upperBound { port.catchUp() }
    } while next < range.upperBound && !isOpen
    return next
  }

  /// Sends up to ``ReportPacing/burst`` reports like other input: after the reports of other tasks,
  /// and noted before they are sent.
  private func sendInTurn(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: any HIDDevicePort
  ) async throws(HIDBusError) -> HIDTraceSending {
    let part = batch[range.prefix(ReportPacing.burst)]
    var time = timeline.now
    try await send(part, through: port, for: .input, willSend: { time = timeline.now })
    return HIDTraceSending(count: part.count, time: time)
  }
}
