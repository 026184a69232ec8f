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
  /// How far apart a script's reports are kept where the device has evdev nodes: as a keyboard's are that is asked
  /// once a millisecond.
  ///
  /// evdev keeps eight packets for a reader, and 64 events at least, and drops all when one more comes: at 4,000 a
  /// second some were lost to a reader that was 0 to 5 ms late, at 1,000 none (6.12.117 in User-Mode Linux).
  private static let strokeInterval = Duration.milliseconds(1)
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
  ///
  /// - Parameters:
  ///   - own: What the log is to have of each report, where it was filled up before.
  ///   - isTyped: Whether a person would have done it: then it is as slow as what a person uses.
  ///   - progress: Is told after each step how many have been sent.
  func send(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, for purpose: Purpose = .input,
    isTyped: Bool = false, progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDWireError) {
    let (port, interval) = try pluggedPort(isTyped: isTyped)
    try await send(
      batch, own: own, through: port, for: purpose, apart: interval, progress: progress)
  }

  /// The port, and how far apart its reports are kept.
  private func pluggedPort(
    isTyped: Bool
  ) throws(HIDWireError) -> (port: any HIDPeripheralPort, interval: Duration) {
    let (port, hasEventNodes) = state.withLock { state in
      (state.port, state.record?.eventNodes.isEmpty == false)
    }
    guard let port else { throw HIDWireError(.gone, "\(label) is not plugged") }
    return (port, isTyped && hasEventNodes ? Self.strokeInterval : Self.interval)
  }

  /// - Parameter willSend: Is told just before each step is sent.
  func send(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, through port: any HIDPeripheralPort,
    for purpose: Purpose, apart interval: Duration = interval, willSend: () -> Void = {},
    progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDWireError) {
    // Refused before any is noted: what was not sent must not be remembered.
    try port.lengths.checkInput(batch)
    guard !port.waitsForClients else {
      return try await sendNow(
        batch, own: own, port, purpose, willSend: willSend, progress: progress)
    }
    var sent = 0
    var burst = HIDReportBatch()
    while sent < batch.count {
      burst.removeAll()
      let range = sent..<min(sent + Self.burst, batch.count)
      burst.append(range, of: batch)
      var ownBurst = own.map { _ in HIDReportBatch() }
      if let own { ownBurst?.append(range, of: own) }
      guard try await awaitTurn(of: burst.count, port, for: purpose, apart: interval) else {
        return
      }
      let before = sent
      try await sendNow(burst, own: ownBurst, port, purpose, willSend: willSend) {
        progress(before + $0)
      }
      sent += burst.count
    }
  }

  /// Waits until so many reports may go out where the bus does not wait for clients, and says whether they are to.
  private func awaitTurn(
    of count: Int, _ port: any HIDPeripheralPort, for purpose: Purpose,
    apart interval: Duration = interval
  ) async throws(HIDWireError) -> Bool {
    let due = reserve(count, apart: interval)
    if MonotonicTime.now < due {
      // In a task of its own: one that is cancelled sends what it has begun, and at the same pace.
      await Task { _ = try? await Timeline.real.sleep(until: due) }.value
    }
    guard try await maySend(for: purpose) else { return false }
    // Who has just opened the device is somebody who hears it: the kernel tells of it at once, and we may
    // not have read that yet.
    if purpose != .release, !isOpen { await port.catchUp() }
    return true
  }

  /// Waits until input may be sent, and says whether it is to be.
  ///
  /// What the device sends by itself is not kept for another driver: a reply that the driver's probe waits for may
  /// stand behind it.
  private func maySend(for purpose: Purpose) async throws(HIDWireError) -> Bool {
    switch purpose {
    case .reply: return true
    case .own:
      if case .usable = state.withLock({ $0.usability }) { return true } else { return false }
    case .input, .release:
      try await usable()
      return true
    }
  }

  /// Says when so many reports may be sent, and keeps the time for them.
  func reserve(_ count: Int, apart interval: Duration = interval) -> MonotonicTime {
    state.withLock { state in
      let due = max(.now, state.nextSend)
      state.nextSend = due.advanced(by: interval * count)
      return due
    }
  }

  func sendNow(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, _ port: any HIDPeripheralPort,
    _ purpose: Purpose, willSend: () -> Void = {}, progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDWireError) {
    try await sending.pass { () async throws(HIDWireError) in
      // Told before it is sent: the host's answer may be here before we are back.
      note(batch, own: own, purpose)
      willSend()
      try await port.send(batch, progress: progress)
    }
  }

  /// Makes the input report that sets some controls, and sends it before any other report is made.
  ///
  /// The report keeps 1 ms from the next one where the device has evdev nodes.
  ///
  /// - Parameters:
  ///   - values: The controls, all of one report, and their logical values.
  ///   - press: The press of a switch without which nothing is sent: it may be over by then.
  /// - Throws: `HIDReportValueError` if a value does not fit; `HIDWireError` if the device is not
  ///   plugged, or if the bus refuses the report.
  /// - Returns: Whether the descriptor declares an input report with these controls.
  @discardableResult
  func send(
    setting values: [(HIDControl, Int64)], of press: HIDInterfaceModel.PressNumber? = nil
  ) async throws -> Bool {
    let (port, interval) = try pluggedPort(isTyped: true)
    if !port.waitsForClients {
      guard try await awaitTurn(of: 1, port, for: .input, apart: interval) else { return true }
    }
    return try await sending.pass { () async throws in
      if let press, !withModel({ $0.isDown(press) }) { return true }
      guard let report = try inputReport(setting: values) else { return false }
      var batch = HIDReportBatch()
      batch.append(report)
      try port.lengths.checkInput(batch)
      note(batch, .input)
      try await port.send(batch)
      return true
    }
  }

  private func inputReport(
    setting values: [(HIDControl, Int64)]
  ) throws(HIDReportValueError) -> [UInt8]? {
    let now = timeline.now
    return try withModel { model in
      Result { () throws(HIDReportValueError) in
        try model.inputReport(setting: values, at: now)
      }
    }.get()
  }

  func endRepeat(_ reply: Reply.Content) {
    guard case .setting(_, let press, isLast: true) = reply else { return }
    withModel { $0.endRepeat(of: press) }
  }

  /// Sends replies in their order, those that are present reports as they are when their turn comes.
  ///
  /// - Parameter replies: No more than go out together.
  func send(
    _ replies: [Reply.Content], through port: any HIDPeripheralPort, for purpose: Purpose
  ) async throws(HIDWireError) {
    // Sent or not: the next repeat of the switch may be queued.
    defer { for reply in replies { endRepeat(reply) } }
    if !port.waitsForClients {
      guard try await awaitTurn(of: replies.count, port, for: purpose) else { return }
    }
    try await sending.pass { () async throws(HIDWireError) in
      var batch = HIDReportBatch()
      for reply in replies {
        switch reply {
        case .report(let report):
          // One that the descriptor does not declare is not sent; the others are.
          if (try? port.lengths.checkInput(report.span)) != nil { batch.append(report) }
        case .present(let id): batch.append(withModel { $0.presentReport(id, at: timeline.now) })
        case .setting(let values, let press, _):
          // The switch may have gone up since: its release is sent, or is next.
          guard withModel({ $0.isDown(press) }) else { continue }
          // The report is made from the last one sent: what stands before it goes out first.
          if batch.count > 0 {
            note(batch, purpose)
            try await port.send(batch)
            batch.removeAll()
          }
          // A value that does not fit was refused when the switch went down.
          if let report = try? inputReport(setting: values) { batch.append(report) }
        }
      }
      guard batch.count > 0 else { return }
      note(batch, purpose)
      try await port.send(batch)
    }
  }

  /// Notes reports that are sent.
  ///
  /// - Parameters:
  ///   - own: What the log is to have of each report; nil for what is sent.
  ///   - isHeard: Whether somebody had the device open; nil for whether somebody has.
  func note(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, in range: Range<Int>? = nil,
    _ purpose: Purpose, isHeard: Bool? = nil
  ) {
    let range = range ?? 0..<batch.count
    state.withLock { state in
      guard state.isPlugged else { return }
      for flight in state.flights { flight.sends(range.count) }
      if purpose == .input || purpose == .reply, !(isHeard ?? state.model.isOpen) {
        log.count(unheard: range.count)
      }
      guard log.keepsInput else {
        state.model.noteInputs(batch, in: range)
        return log.count(inputs: range.count)
      }
      batch.withBytes { bytes in
        for index in range {
          let range = batch.byteRange(ofReport: index)
          var report = state.model.noteInput(range.map { bytes[$0] })
          if let own {
            report = HIDSentReport(id: report.id, bytes: own[index], changes: report.changes)
          }
          log.append(
            HIDDeviceEvent(time: timeline.now, device: label, kind: .input(report), client: nil))
        }
      }
    }
  }

  /// Notes a report that is not sent, because the descriptor does not declare it.
  func noteUnsent(_ report: [UInt8]) {
    guard log.keepsInput else { return }
    let lengths = withModel { $0.lengths }
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    log.append(
      HIDDeviceEvent(
        time: timeline.now, device: label,
        kind: .input(HIDSentReport(id: id, bytes: report, changes: [])), client: nil))
  }
}

extension HIDReportBatch {
  /// Adds some reports of another batch.
  fileprivate mutating func append(_ range: Range<Int>, of other: HIDReportBatch) {
    other.withBytes { bytes in
      for index in range { append(bytes.extracting(other.byteRange(ofReport: index))) }
    }
  }

  /// The bytes of one report.
  fileprivate subscript(index: Int) -> [UInt8] {
    withBytes { bytes in byteRange(ofReport: index).map { bytes[$0] } }
  }
}
