// SPDX-License-Identifier: Apache-2.0

import DequeModule
package import HIDReportDescriptor
package import IOLoop

/// The transfers between one USB device and its host, without I/O.
///
/// The host's messages go in, and replies and events come out. Each transfer gets one reply, unless
/// the host withdraws it before.
package struct USBTransferEngine: Sendable {
  /// An action of the host on the device.
  package enum Event: Hashable, Sendable {
    case changed(USBControlModel.Change)
    /// The host has begun to ask an interface for input reports, or has ceased to.
    case polled(interface: Int, Bool)
    /// An output report by the interrupt endpoint of an interface, its ID first if it is numbered.
    case output(interface: Int, [UInt8])
    /// The host asks for a report; ``answerGet(_:_:)`` with the token answers.
    case getReport(token: UInt32, interface: Int, HIDReportType, HIDReportID?)
    /// The host sets a report; ``answerSet(_:accepted:)`` with the token answers.
    case setReport(token: UInt32, interface: Int, HIDReportType, HIDReportID?, [UInt8])
    /// The host has withdrawn the request with the token.
    case withdrawn(token: UInt32, interface: Int)
  }

  /// The largest number of control transfers that wait while the device answers one; further ones
  /// are refused with a stall.
  package static let requestCapacity = 256

  /// A request that waits for the answer of the device.
  private struct Request: Sendable {
    let interface: Int
    let isGet: Bool
    /// The number of bytes that the host takes or has sent.
    let length: Int
  }

  private struct Interface: Sendable {
    var input: USBInputEndpoint
    let hasOutput: Bool
    let numbersInput: Bool
    var isPolled = false
    /// True if the host wants a report again that has not changed for a time.
    var repeatsReports = false
    /// The latest report with each ID, and the time at which it was sent.
    var latest: [UInt8: (report: [UInt8], time: MonotonicTime)] = [:]

    /// Returns the ID of a report; 0 without one.
    func id(of report: [UInt8]) -> UInt8 { numbersInput ? report.first ?? 0 : 0 }
  }

  private let device: USBDeviceDescription
  private var control: USBControlModel
  private var interfaces: [Interface]
  private var current: (token: UInt32, request: Request)?
  /// The control transfers that came meanwhile, in order: endpoint 0 does one transfer at a time.
  private var queued: Deque<USBIPRequest.Transfer> = []
  /// The replies that ``takeReplies()`` has not taken.
  private var replies: [USBIPReply] = []
  /// The events that ``takeEvents()`` has not taken.
  private var events: [Event] = []

  package init(_ device: USBDeviceDescription) {
    self.device = device
    control = USBControlModel(device)
    interfaces = device.interfaces.map { interface in
      Interface(
        input: USBInputEndpoint(
          packetByteCount: interface.input.packetByteCount,
          period: device.speed.period(interface.input.interval)),
        hasOutput: interface.output != nil, numbersInput: interface.numbersInput)
    }
  }

  /// Takes the replies for the host, in the order in which they must be sent.
  package mutating func takeReplies() -> [USBIPReply] {
    defer { replies = [] }
    return replies
  }

  /// Appends the replies for the host to bytes, in the order in which they must be sent.
  package mutating func writeReplies(to bytes: inout [UInt8]) {
    for reply in replies { reply.write(to: &bytes) }
    replies.removeAll(keepingCapacity: true)
  }

  /// Takes the events for the device, oldest first.
  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  // MARK: The host's side

  /// Takes a message of the host.
  ///
  /// - Parameters:
  ///   - request: The message.
  ///   - now: The present time.
  package mutating func receive(_ request: USBIPRequest, at now: MonotonicTime) {
    switch request {
    case .submit(let transfer) where transfer.endpoint == 0: receiveControl(transfer)
    case .submit(let transfer): receiveInterrupt(transfer, at: now)
    case .unlink(let sequence, let target): unlink(target, by: sequence)
    }
  }

  private mutating func reply(_ sequence: UInt32, _ status: Int32, count: Int = 0) {
    replies.append(.submit(sequence: sequence, status: status, count: count, data: []))
  }

  private mutating func reply(_ sequence: UInt32, with data: [UInt8]) {
    replies.append(
      .submit(sequence: sequence, status: USBIP.Status.success, count: data.count, data: data))
  }

  private mutating func receiveControl(_ transfer: USBIPRequest.Transfer) {
    guard current != nil else { return begin(transfer) }
    guard queued.count < Self.requestCapacity else {
      return reply(transfer.sequence, USBIP.Status.stall)
    }
    queued.append(transfer)
  }

  /// Begins the control transfers that waited for the last answer, up to one that waits for the
  /// device again.
  private mutating func beginQueued() {
    while current == nil, let next = queued.popFirst() { begin(next) }
  }

  private mutating func begin(_ transfer: USBIPRequest.Transfer) {
    let sequence = transfer.sequence
    // The data of a request go where the transfer says: bytes that the host does not expect would
    // be taken for the next reply.
    let isConsistent = transfer.isFromDevice == transfer.setup.isFromDevice
    guard isConsistent || transfer.setup.length == 0 else {
      return reply(sequence, USBIP.Status.stall)
    }
    var changes: [USBControlModel.Change] = []
    let answer = control.answer(transfer.setup, transfer.data, changes: &changes)
    apply(changes)
    switch answer {
    case .data(let bytes):
      reply(sequence, with: Array(bytes.prefix(transfer.isFromDevice ? transfer.length : 0)))
    case .accepted: reply(sequence, USBIP.Status.success, count: transfer.data.count)
    case .stall: reply(sequence, USBIP.Status.stall)
    case .getReport(let interface, let type, let id):
      let length = transfer.isFromDevice ? min(Int(transfer.setup.length), transfer.length) : 0
      current = (sequence, Request(interface: interface, isGet: true, length: length))
      events.append(.getReport(token: sequence, interface: interface, type, id))
    case .setReport(let interface, let type, let id, let bytes):
      current = (sequence, Request(interface: interface, isGet: false, length: bytes.count))
      events.append(.setReport(token: sequence, interface: interface, type, id, bytes))
    }
  }

  private mutating func apply(_ changes: [USBControlModel.Change]) {
    for change in changes {
      events.append(.changed(change))
      switch change {
      case .configured:
        for number in interfaces.indices {
          endTransfers(interface: number)
          interfaces[number].repeatsReports = false
        }
      case .halted(let address, true) where address & 0x80 != 0:
        endTransfers(interface: Int(address & 0x0F) - 1)
      case .idle(let interface, _, _):
        interfaces[interface].repeatsReports = control.repeatsReports(interface: interface)
      default: break
      }
    }
  }

  /// Ends the transfers that an endpoint holds, as a stall does.
  private mutating func endTransfers(interface number: Int) {
    for sequence in interfaces[number].input.withdrawAll() {
      reply(sequence, USBIP.Status.stall)
    }
    setPolled(false, interface: number)
  }

  private mutating func setPolled(_ isPolled: Bool, interface number: Int) {
    guard interfaces[number].isPolled != isPolled else { return }
    interfaces[number].isPolled = isPolled
    if !isPolled { interfaces[number].input.clear() }
    events.append(.polled(interface: number, isPolled))
  }

  private mutating func receiveInterrupt(
    _ transfer: USBIPRequest.Transfer, at now: MonotonicTime
  ) {
    let number = Int(transfer.endpoint) - 1
    let address = transfer.endpoint | (transfer.isFromDevice ? 0x80 : 0)
    guard control.isConfigured, interfaces.indices.contains(number),
      transfer.isFromDevice || interfaces[number].hasOutput, !control.halted.contains(address)
    else { return reply(transfer.sequence, USBIP.Status.stall) }
    guard transfer.isFromDevice else {
      events.append(.output(interface: number, transfer.data))
      return reply(transfer.sequence, USBIP.Status.success, count: transfer.data.count)
    }
    guard interfaces[number].input.hold(transfer.sequence, length: transfer.length) else {
      return reply(transfer.sequence, USBIP.Status.stall)
    }
    setPolled(true, interface: number)
    advance(to: now)
  }

  private mutating func unlink(_ target: UInt32, by sequence: UInt32) {
    var wasHeld = false
    if let current, current.token == target {
      self.current = nil
      wasHeld = true
      events.append(.withdrawn(token: target, interface: current.request.interface))
    } else if let index = queued.firstIndex(where: { $0.sequence == target }) {
      queued.remove(at: index)
      wasHeld = true
    }
    for number in interfaces.indices where !wasHeld {
      wasHeld = interfaces[number].input.withdraw(target)
      // The host ceases to ask also if the data of its last transfer and its message have crossed.
      guard wasHeld || interfaces[number].input.hasJustCompleted(target) else { continue }
      if !interfaces[number].input.isAsked { setPolled(false, interface: number) }
    }
    let status = wasHeld ? USBIP.Status.unlinked : USBIP.Status.success
    replies.append(.unlink(sequence: sequence, status: status))
    beginQueued()
  }

  // MARK: The device's side

  /// True if the device can send a report of an interface without waiting.
  package func hasRoom(interface: Int) -> Bool {
    !interfaces[interface].isPolled || interfaces[interface].input.hasRoom
  }

  /// Sends an input report; returns false, and sends nothing, if there is no room.
  ///
  /// While the host does not ask the interface for reports, the report is dropped, since no program
  /// waits for it.
  package mutating func send(
    _ report: [UInt8], interface: Int, at now: MonotonicTime
  ) -> Bool {
    guard interfaces[interface].isPolled else { return true }
    guard interfaces[interface].input.add(report, at: now) else { return false }
    interfaces[interface].latest[interfaces[interface].id(of: report)] = (report, now)
    advance(to: now)
    return true
  }

  /// The time from which reports of an interface for which there is no room are lost; nil while
  /// there is room, or the host waits for one.
  package func lossTime(interface: Int) -> MonotonicTime? {
    interfaces[interface].isPolled ? interfaces[interface].input.lossTime : nil
  }

  /// The number of reports of an interface that the host has lost because it took none for a
  /// second.
  package func lostCount(interface: Int) -> Int { interfaces[interface].input.lostCount }

  /// True if the host has not taken all reports that were sent.
  package var hasWaitingReports: Bool { interfaces.contains { $0.input.waitingCount > 0 } }

  /// The number of reports of an interface that the host's drivers may not have received yet.
  package func pendingCount(interface: Int) -> Int { interfaces[interface].input.pendingCount }

  /// Returns the number of reports of an interface that the host's drivers have received since the
  /// last call.
  package mutating func takeReceivedCount(interface: Int) -> Int {
    interfaces[interface].input.takeReceivedCount()
  }

  /// Ends all transfers, as a host does when a device is unplugged.
  package mutating func end() {
    if let current { reply(current.token, USBIP.Status.noDevice) }
    for transfer in queued { reply(transfer.sequence, USBIP.Status.noDevice) }
    current = nil
    queued = []
    for number in interfaces.indices {
      for sequence in interfaces[number].input.withdrawAll() {
        reply(sequence, USBIP.Status.shutdown)
      }
    }
  }

  /// Answers a request for a report; does nothing if no such request waits.
  ///
  /// - Parameters:
  ///   - token: The token of the request.
  ///   - report: The report, its ID first if it is numbered; nil to refuse the request.
  package mutating func answerGet(_ token: UInt32, _ report: [UInt8]?) {
    guard let current, current.token == token, current.request.isGet else { return }
    self.current = nil
    if let report {
      reply(token, with: Array(report.prefix(current.request.length)))
    } else {
      reply(token, USBIP.Status.stall)
    }
    beginQueued()
  }

  /// Answers a request that sets a report; does nothing if no such request waits.
  package mutating func answerSet(_ token: UInt32, accepted: Bool) {
    guard let current, current.token == token, !current.request.isGet else { return }
    self.current = nil
    if accepted {
      reply(token, USBIP.Status.success, count: current.request.length)
    } else {
      reply(token, USBIP.Status.stall)
    }
    beginQueued()
  }

  /// Completes the transfers that are due, and repeats the reports whose idle time is over.
  package mutating func advance(to now: MonotonicTime) {
    for number in interfaces.indices {
      if interfaces[number].repeatsReports { repeatReports(interface: number, at: now) }
      while let done = interfaces[number].input.complete(at: now) {
        reply(done.sequence, with: done.data)
      }
    }
  }

  private mutating func repeatReports(interface number: Int, at now: MonotonicTime) {
    // While reports wait for the host, there is no need to repeat one.
    guard interfaces[number].isPolled, interfaces[number].input.waitingCount == 0 else { return }
    for (id, latest) in interfaces[number].latest {
      guard let due = repeatTime(interface: number, id, latest.time), now >= due else { continue }
      _ = interfaces[number].input.add(latest.report, at: now)
      interfaces[number].latest[id] = (latest.report, now)
    }
  }

  /// Returns the time at which a report is repeated; nil for never.
  private func repeatTime(
    interface: Int, _ id: UInt8, _ sent: MonotonicTime
  ) -> MonotonicTime? {
    let rate = control.idleRate(interface: interface, HIDReportID(rawValue: id))
    return rate == 0 ? nil : sent.advanced(by: .milliseconds(4 * Int(rate)))
  }

  /// The time at which ``advance(to:)`` has something to do next; nil if nothing waits for a time.
  package var due: MonotonicTime? {
    let transfers = interfaces.compactMap(\.input.due).min()
    var next = transfers
    for number in interfaces.indices {
      let interface = interfaces[number]
      guard interface.repeatsReports, interface.isPolled, interface.input.waitingCount == 0 else {
        continue
      }
      let repeats = interface.latest.compactMap {
        repeatTime(interface: number, $0.key, $0.value.time)
      }
      next = ([next] + repeats.map(Optional.some)).compactMap(\.self).min()
    }
    return next
  }
}
