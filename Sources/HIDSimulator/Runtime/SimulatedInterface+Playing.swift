// SPDX-License-Identifier: Apache-2.0

import HIDTraces
import HIDWire
import IOLoop
import Synchronization

/// Input reports of a trace: from the loop of the device's port, with nothing between the player and the bus.
extension SimulatedInterface {
  /// How many reports go out together while nobody has the device open: what hidraw keeps for one who opens it just then.
  private static let unheardBurst = 63

  /// How far apart reports are kept for a reader, in nanoseconds.
  private static let intervalTime = Int64(interval / .nanoseconds(1))

  /// What becomes of reports that are to be sent at once.
  private enum Attempt {
    case sent(HIDTraceSending)
    /// A reader might lose them if they were sent before.
    case tooEarly(MonotonicTime)
    /// A client that makes progress has no room.
    case noRoom
    /// Something else is to be waited for, or another thread.
    case otherwise
  }

  /// Sends reports in order, as many as can go out at once, when the first can.
  ///
  /// From the loop of the device's port they are sent at once, and noted after: the host's answer cannot be heard before
  /// this returns. From elsewhere it takes as long as any.
  ///
  /// - Throws: `reportMismatch` before any is sent, if one is not as declared; `gone`; that the task was cancelled.
  func play(
    _ batch: HIDReportBatch, in range: Range<Int>, notBefore due: MonotonicTime
  ) async throws -> HIDTraceSending {
    while true {
      guard let port = state.withLock({ $0.port }) else {
        throw HIDWireError(.gone, "\(label) is not plugged")
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

  /// From the port's loop, if nobody else sends.
  private func sendAtOnce(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: any HIDPeripheralPort,
    _ due: MonotonicTime
  ) throws(HIDWireError) -> Attempt {
    // Whoever reads the log, and hosts of a virtual time, are told before: that takes its time.
    guard port.loop.isCurrent, !timeline.isVirtual, !log.keepsInput else { return .otherwise }
    let attempt = sending.passAtOnce {
      port.assumeIsolated { port in
        Result { () throws(HIDWireError) in try self.sendNow(batch, range, port, due) }
      }
    }
    return try attempt?.get() ?? .otherwise
  }

  private func sendNow(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: isolated any HIDPeripheralPort,
    _ due: MonotonicTime
  ) throws(HIDWireError) -> Attempt {
    // Who has just opened the device is somebody who hears it: the kernel tells of it at once.
    if !port.waitsForClients, !isOpen { port.catchUp() }
    let (isUsable, isHeard, earliest) = state.withLock { state in
      if case .usable = state.usability {
        (true, state.model.isOpen, state.nextSend)
      } else {
        (false, false, state.nextSend)
      }
    }
    guard isUsable else { return .otherwise }
    var range = range
    if !port.waitsForClients, isHeard {
      if MonotonicTime.now < earliest { return .tooEarly(earliest) }
      range = range.lowerBound..<min(range.upperBound, range.lowerBound + Self.burst)
    }
    // Everything else is done by then: of the time to come this is the last 0.1 ms at most.
    var time = MonotonicTime.now
    while time < due { time = .now }
    let next =
      port.waitsForClients || isHeard
      ? try port.sendInput(batch, in: range) : try sendUnheard(batch, range, port)
    guard next > range.lowerBound else { return .noRoom }
    let sent = range.lowerBound..<next
    note(batch, in: sent, .input, isHeard: isHeard)
    if !port.waitsForClients { keepTime(for: sent.count, from: time, isHeard: isHeard) }
    return .sent(HIDTraceSending(count: sent.count, time: time))
  }

  /// Sends reports for as long as nobody has the device open, and says which is next.
  private func sendUnheard(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: isolated any HIDPeripheralPort
  ) throws(HIDWireError) -> Int {
    var next = range.lowerBound
    repeat {
      let end = min(range.upperBound, next + Self.unheardBurst)
      let sent = try port.sendInput(batch, in: next..<end)
      defer { next = sent }
      if sent < end { return sent }
      if sent < range.upperBound { port.catchUp() }
    } while next < range.upperBound && !isOpen
    return next
  }

  /// Keeps the time that a reader needs for reports: also one who opens the device now, and finds what was just sent.
  private func keepTime(for count: Int, from time: MonotonicTime, isHeard: Bool) {
    state.withLock { state in
      state.nextSend =
        isHeard
        ? max(time, state.nextSend).advanced(byNanoseconds: Int64(count) * Self.intervalTime)
        : max(
          state.nextSend,
          time.advanced(byNanoseconds: Int64(min(count, Self.unheardBurst)) * Self.intervalTime))
    }
  }

  /// When whatever else sends has sent, told before: as input is sent by everybody else.
  private func sendInTurn(
    _ batch: HIDReportBatch, _ range: Range<Int>, _ port: any HIDPeripheralPort
  ) async throws(HIDWireError) -> HIDTraceSending {
    var part = HIDReportBatch()
    batch.withBytes { bytes in
      for index in range.prefix(Self.burst) {
        part.append(bytes.extracting(batch.byteRange(ofReport: index)))
      }
    }
    var time = timeline.now
    try await send(part, through: port, for: .input, willSend: { time = timeline.now })
    return HIDTraceSending(count: part.count, time: time)
  }
}
