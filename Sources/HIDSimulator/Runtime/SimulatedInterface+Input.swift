// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization

/// Input reports on their way.
extension SimulatedInterface {
  /// How far apart reports are kept where the bus does not wait for clients.
  ///
  /// hidraw keeps 63 reports for a reader and drops the rest in silence: at 8,000 a second none was lost
  /// on any machine measured.
  static let interval = Duration.microseconds(125)
  /// How many reports go out together: fewer than hidraw keeps.
  static let burst = 16

  /// What input reports are sent for.
  enum Purpose: Sendable {
    /// Somebody is to hear them: it is counted when nobody has the device open.
    case input
    /// They answer an output report: a driver may wait for them while it is being bound.
    case reply
    /// The device sends them by itself, whether anybody listens or not.
    case own
    /// They release what is held, for whoever still listens.
    case release
  }

  /// Sends input reports in order, waiting for room where a client has none, and where one might have
  /// none without the bus' telling.
  func send(_ batch: HIDReportBatch, for purpose: Purpose = .input) async throws(HIDWireError) {
    guard let port = state.withLock({ $0.port }) else {
      throw HIDWireError(.gone, "\(label) is not plugged")
    }
    try await send(batch, through: port, for: purpose)
  }

  func send(
    _ batch: HIDReportBatch, through port: any HIDPeripheralPort, for purpose: Purpose
  ) async throws(HIDWireError) {
    // Refused before any is noted: what was not sent must not be remembered.
    try port.lengths.checkInput(batch)
    guard !port.waitsForClients else { return try await sendNow(batch, port, purpose) }
    var sent = 0
    var burst = HIDReportBatch()
    while sent < batch.count {
      burst.removeAll()
      batch.withBytes { bytes in
        for index in sent..<min(sent + Self.burst, batch.count) {
          burst.append(bytes.extracting(batch.byteRange(ofReport: index)))
        }
      }
      sent += burst.count
      let due = reserve(burst.count)
      if MonotonicTime.now < due {
        // In a task of its own: one that is cancelled sends what it has begun, and at the same pace.
        await Task { _ = try? await Timeline.real.sleep(until: due) }.value
      }
      if purpose != .reply { try await usable() }
      // Who has just opened the device is somebody who hears it: the kernel tells of it at once, and we may
      // not have read that yet.
      if purpose != .release, !isOpen { await port.catchUp() }
      try await sendNow(burst, port, purpose)
    }
  }

  /// Says when so many reports may be sent, and keeps the time for them.
  func reserve(_ count: Int) -> MonotonicTime {
    state.withLock { state in
      let due = max(.now, state.nextSend)
      state.nextSend = due.advanced(by: Self.interval * count)
      return due
    }
  }

  func sendNow(
    _ batch: HIDReportBatch, _ port: any HIDPeripheralPort, _ purpose: Purpose
  ) async throws(HIDWireError) {
    try await sending.pass { () async throws(HIDWireError) in
      // Told before it is sent: the host's answer may be here before we are back.
      note(batch, purpose)
      try await port.send(batch)
    }
  }

  /// Sends an input report as it is when its turn comes.
  func sendPresent(
    _ id: HIDReportID?, _ port: any HIDPeripheralPort, _ purpose: Purpose
  ) async throws(HIDWireError) {
    if !port.waitsForClients {
      let due = reserve(1)
      if MonotonicTime.now < due { _ = try? await Timeline.real.sleep(until: due) }
      if purpose != .reply { try await usable() }
    }
    try await sending.pass { () async throws(HIDWireError) in
      var batch = HIDReportBatch()
      batch.append(withModel { $0.presentReport(id, at: timeline.now) })
      note(batch, purpose)
      try await port.send(batch)
    }
  }

  func note(_ batch: HIDReportBatch, _ purpose: Purpose) {
    state.withLock { state in
      guard state.isPlugged else { return }
      for flight in state.flights { flight.sends(batch.count) }
      if purpose == .input || purpose == .reply, !state.model.isOpen {
        log.count(unheard: batch.count)
      }
      guard log.keepsInput else {
        state.model.noteInputs(batch)
        return log.count(inputs: batch.count)
      }
      batch.withBytes { bytes in
        for index in 0..<batch.count {
          let range = batch.byteRange(ofReport: index)
          let report = state.model.noteInput(range.map { bytes[$0] })
          log.append(
            HIDDeviceEvent(time: timeline.now, device: label, kind: .input(report), client: nil))
        }
      }
    }
  }
}
