// SPDX-License-Identifier: Apache-2.0

import HIDBus
package import HIDReportDescriptor
import IOLoop
import Synchronization

/// The sending of input reports.
extension SimulatedInterface {
  /// The purpose of input reports.
  package enum Purpose: Sendable {
    /// Reports for clients.
    ///
    /// These reports are counted as sent without a reader if no client has the device open.
    case input
    /// Replies to any event of the host, counted like `input`.
    ///
    /// A driver may wait for these replies while it is being bound.
    case reply
    /// Reports that the device sends by itself, with or without clients.
    case own
    /// Reports that release controls and contacts when a script or a session ends, for any
    /// remaining clients.
    case release
  }

  /// Sends input reports in order, and waits while a client that makes progress has no room.
  ///
  /// If the bus does not wait for clients, reports are sent at a limited rate.
  ///
  /// - Parameters:
  ///   - own: The reports for the log, as they were before they were filled up with zeros; nil to
  ///     log those of `batch`.
  ///   - progress: Called after each part with the number of reports sent so far.
  func send(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, for purpose: Purpose = .input,
    progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDBusError) {
    let (port, interval) = try pluggedPort(isTyped: false)
    try await send(
      batch, own: own, through: port, for: purpose, apart: interval, progress: progress)
  }

  /// Returns the port, and the minimum average time between two reports.
  ///
  /// - Parameter isTyped: True for reports of a script: if the device has evdev nodes, the time is
  ///   that of a keyboard which is polled once a millisecond. On the USB bus the period of the
  ///   endpoint decides instead.
  private func pluggedPort(
    isTyped: Bool
  ) throws(HIDBusError) -> (port: any HIDDevicePort, interval: Duration) {
    let (port, hasEventNodes) = state.withLock { state in
      (state.attachment.port, state.attachment.hasEventNodes)
    }
    guard let port else { throw HIDBusError(.gone, "\(label) is not plugged") }
    let isPolled = isTyped && hasEventNodes && port.bus != .usb
    return (port, isPolled ? ReportPacing.strokeInterval : ReportPacing.interval)
  }

  /// Sends input reports through a port, at a limited rate if the bus does not wait for clients.
  ///
  /// - Parameters:
  ///   - interval: The minimum average time between two reports.
  ///   - willSend: Called just before each part of the batch is sent.
  func send(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, through port: any HIDDevicePort,
    for purpose: Purpose, apart interval: Duration = ReportPacing.interval,
    willSend: () -> Void = {}, progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDBusError) {
    // The batch is checked before any report is noted: reports that are not sent must not be
    // remembered.
    try port.lengths.checkInput(batch)
    let limit = port.waitsForClients ? batch.count : ReportPacing.burst
    var sent = 0
    while sent < batch.count {
      let range = sent..<min(sent + limit, batch.count)
      guard try await awaitTurn(of: range.count, port, for: purpose, apart: interval) else {
        return
      }
      let isPart = range.count < batch.count
      try await sending.withLock { () async throws(HIDBusError) in
        try await transmit(
          isPart ? batch[range] : batch, own: isPart ? own?[range] : own, port, purpose,
          willSend: willSend
        ) { progress(range.lowerBound + $0) }
      }
      sent = range.upperBound
    }
  }

  /// Waits until some reports may be sent.
  ///
  /// On a bus that waits for clients, they may be sent at once.
  ///
  /// - Returns: True if they may be sent; false if they must be dropped.
  private func awaitTurn(
    of count: Int, _ port: any HIDDevicePort, for purpose: Purpose, apart interval: Duration
  ) async throws(HIDBusError) -> Bool {
    if port.waitsForClients { return true }
    let due = state.withLock { $0.pacing.reserve(count, apart: interval) }
    if MonotonicTime.now < due {
      // The wait runs in another task: a cancelled task sends its remaining reports at the same
      // rate.
      await Task { _ = try? await Timeline.real.sleep(until: due) }.value
    }
    guard try await maySend(for: purpose) else { return false }
    // A client that has just opened the device receives the report, so the report must not count as
    // sent without a reader. The kernel sends the open event at once, but the device may not have
    // read it yet.
    if purpose != .release, !isOpen { await port.catchUp() }
    return true
  }

  /// Waits until input may be sent.
  ///
  /// Reports that the device sends by itself do not wait for another driver. A reply that the
  /// driver's probe needs may be queued behind these reports.
  ///
  /// - Returns: True if the input may be sent; false if it must be dropped.
  private func maySend(for purpose: Purpose) async throws(HIDBusError) -> Bool {
    switch purpose {
    case .reply: return true
    case .own: return state.withLock { $0.driver.usability.isUsable }
    case .input, .release:
      try await usable()
      return true
    }
  }

  /// Notes input reports, and sends them; called while no other task sends.
  private func transmit(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, _ port: any HIDDevicePort,
    _ purpose: Purpose, willSend: () -> Void = {}, progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDBusError) {
    guard batch.count > 0 else { return }
    // The reports are noted first: the host's answer may arrive before this call returns.
    note(batch, own: own, purpose)
    willSend()
    try await sendNoted(batch, port, progress: progress)
  }

  /// Sends input reports that are noted.
  ///
  /// - Parameter soon: True if the bus may send them after the running job; see
  ///   `HIDDevicePort.sendInputSoon(_:in:)`.
  private func sendNoted(
    _ batch: HIDReportBatch, _ port: any HIDDevicePort, soon: Bool = false,
    progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDBusError) {
    let sent = try sendOnLoop(batch, port, soon: soon)
    if sent > 0 {
      progress(sent)
      // A task that sends many reports and never waits gives way to the loop's other work.
      let count = loopSendings.add(1, ordering: .relaxed).newValue
      if count.isMultiple(of: 64) { await Task.yield() }
    }
    if sent < batch.count { try await port.send(batch, from: sent, progress: progress) }
  }

  /// Sends the reports for which there is room, if this is the port's loop.
  ///
  /// A task on the loop would be enqueued twice to enter the port and to leave it.
  ///
  /// - Returns: The index of the first report that was not sent.
  private func sendOnLoop(
    _ batch: HIDReportBatch, _ port: any HIDDevicePort, soon: Bool
  ) throws(HIDBusError) -> Int {
    guard port.loop.isCurrent else { return 0 }
    let all = 0..<batch.count
    return try port.assumeIsolated { port in
      Result { () throws(HIDBusError) in
        try soon ? port.sendInputSoon(batch, in: all) : port.sendInput(batch, in: all)
      }
    }.get()
  }

  /// Makes an input report, and sends it; no other report is sent in between.
  ///
  /// If the device has evdev nodes and the bus does not wait for clients, at most one such report a
  /// millisecond is sent on average.
  ///
  /// - Parameter make: Makes the report from the model; nothing is sent if it returns nil.
  /// - Throws: The errors of `make`; `HIDBusError` if the device is not plugged or cannot take
  ///   input, if the bus refuses the report, or if the task is cancelled while the kernel's driver
  ///   changes.
  package func send(
    for purpose: Purpose = .input, making make: (inout HIDInterfaceModel) throws -> [UInt8]?
  ) async throws {
    let (port, interval) = try pluggedPort(isTyped: true)
    guard try await awaitTurn(of: 1, port, for: purpose, apart: interval) else { return }
    try await sending.withLock { () async throws in
      guard let report = try note(for: port, purpose, making: make) else { return }
      // The next report usually follows at once, in the next line of a script.
      try await sendNoted(report, port, soon: true)
    }
  }

  /// Makes an input report from the model and notes it, with no other report in between.
  ///
  /// The report is not noted if the interface is not plugged.
  ///
  /// - Returns: A batch of the report; nil if `make` makes none.
  /// - Throws: The errors of `make`; `reportMismatch` if the report is not as declared. Nothing is
  ///   noted then.
  private func note(
    for port: any HIDDevicePort, _ purpose: Purpose,
    making make: (inout HIDInterfaceModel) throws -> [UInt8]?
  ) throws -> HIDReportBatch? {
    try state.withLock { state in
      Result {
        guard let report = try make(&state.model) else { return nil }
        let batch = HIDReportBatch(report)
        try port.lengths.checkInput(batch)
        guard state.attachment.isPlugged else { return batch }
        countSent(1, purpose, &state)
        if log.keepsInput {
          log.append(event(state.model.noteInput(report)))
        } else {
          state.model.noteInputs(batch)
          log.count(inputs: 1)
        }
        return batch
      }
    }.get()
  }

  /// Makes the input report that sets some controls, and sends it like ``send(for:making:)``.
  ///
  /// - Parameters:
  ///   - values: The controls, all of one report, and their logical values.
  ///   - press: The press of a switch, or nil; nothing is sent if the press is over by then.
  /// - Throws: `HIDReportValueError` if a value does not fit; `HIDBusError` as
  ///   ``send(for:making:)`` does.
  /// - Returns: False if the report descriptor declares no input report with these controls; true
  ///   if the report was sent, or if the press is over.
  @discardableResult
  package func send(
    setting values: [(HIDReportElement, Int64)], of press: HIDInterfaceModel.PressNumber? = nil
  ) async throws -> Bool {
    var isDeclared = true
    try await send { model in
      if let press, !model.isDown(press) { return nil }
      let report = try model.inputReport(setting: values, at: timeline.now)
      isDeclared = report != nil
      return report
    }
    return isDeclared
  }

  private func inputReport(
    setting values: [(HIDReportElement, Int64)]
  ) throws(HIDReportValueError) -> [UInt8]? {
    let now = timeline.now
    return try withModel { model in
      Result { () throws(HIDReportValueError) in
        try model.inputReport(setting: values, at: now)
      }
    }.get()
  }

  func endRepeat(_ reply: ReplyQueue.Reply.Content) {
    guard case .setting(_, let press, isLast: true) = reply else { return }
    withModel { $0.endRepeat(of: press) }
  }

  /// Sends replies in order.
  ///
  /// The reports of `present` and `setting` replies are made when they are sent.
  ///
  /// - Parameter replies: At most ``ReportPacing/burst`` replies.
  func send(_ replies: ReplyQueue.Batch) async throws(HIDBusError) {
    let (port, purpose) = (replies.port, replies.purpose)
    // The next repeat of the switch may be queued, even if this one was not sent.
    defer { for reply in replies.contents { endRepeat(reply) } }
    let count = replies.contents.count
    guard try await awaitTurn(of: count, port, for: purpose, apart: ReportPacing.interval) else {
      return
    }
    try await sending.withLock { () async throws(HIDBusError) in
      var batch = HIDReportBatch()
      for reply in replies.contents {
        switch reply {
        case .report(let report):
          // A report that is not as declared is not sent; the others are.
          if (try? port.lengths.checkInput(report.span)) != nil { batch.append(report) }
        case .present(let id):
          // The present report of an undeclared ID is empty, and is not sent either.
          let report = withModel { $0.presentReport(id, at: timeline.now) }
          if (try? port.lengths.checkInput(report.span)) != nil { batch.append(report) }
        case .setting(let values, let press, _):
          // The switch may have been released since: its release report was sent, or is next.
          guard withModel({ $0.isDown(press) }) else { continue }
          // The report is made from the current report, so the reports before it are sent first.
          try await transmit(batch, port, purpose)
          batch.removeAll()
          // A value that does not fit was refused when the switch went down.
          if let report = try? inputReport(setting: values) { batch.append(report) }
        }
      }
      try await transmit(batch, port, purpose)
    }
  }

  /// Remembers the last report of each ID in a batch, and logs or counts the reports of the batch.
  ///
  /// Does nothing if the interface is not plugged.
  ///
  /// - Parameters:
  ///   - own: The reports for the log, as they were before they were filled up with zeros; nil to
  ///     log those of `batch`.
  ///   - range: The indices of the reports in the batch; nil for all.
  ///   - isHeard: True if a client had the device open; nil to check that now.
  func note(
    _ batch: HIDReportBatch, own: HIDReportBatch? = nil, in range: Range<Int>? = nil,
    _ purpose: Purpose, isHeard: Bool? = nil
  ) {
    let range = range ?? 0..<batch.count
    state.withLock { state in
      guard state.attachment.isPlugged else { return }
      countSent(range.count, purpose, &state, isHeard: isHeard)
      guard log.keepsInput else {
        state.model.noteInputs(batch, in: range)
        return log.count(inputs: range.count)
      }
      batch.withBytes { bytes in
        for index in range {
          let range = batch.byteRange(ofReport: index)
          var report = state.model.noteInput(range.map { bytes[$0] })
          if let own {
            report = HIDSentReport(id: report.id, bytes: own[index], change: report.change)
          }
          log.append(event(report))
        }
      }
    }
  }

  /// Counts input reports that are sent next as in transit, and as sent without a reader if no
  /// client has the device open.
  ///
  /// - Parameter isHeard: True if a client had the device open; nil to check that now.
  private func countSent(
    _ count: Int, _ purpose: Purpose, _ state: inout State, isHeard: Bool? = nil
  ) {
    for flight in state.flights { flight.willSend(count) }
    if purpose == .input || purpose == .reply, !(isHeard ?? state.model.isOpen) {
      log.count(unheard: count)
    }
  }

  /// Returns the event of an input report that is sent now.
  private func event(_ report: HIDSentReport) -> HIDDeviceEvent {
    HIDDeviceEvent(time: timeline.now, device: label, kind: .input(report), client: nil)
  }

  /// Logs a report that is not sent because the report descriptor does not declare it, or declares
  /// it shorter.
  ///
  /// Does nothing if the log only counts input reports.
  func noteUnsent(_ report: [UInt8]) {
    guard log.keepsInput else { return }
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    log.append(event(HIDSentReport(id: id, bytes: report, change: nil)))
  }
}

extension HIDReportBatch {
  /// Returns some reports of the batch.
  subscript(range: Range<Int>) -> HIDReportBatch {
    var part = HIDReportBatch()
    withBytes { bytes in
      for index in range { part.append(bytes.extracting(byteRange(ofReport: index))) }
    }
    return part
  }

  /// Returns the bytes of one report.
  fileprivate subscript(index: Int) -> [UInt8] {
    withBytes { bytes in byteRange(ofReport: index).map { bytes[$0] } }
  }
}
