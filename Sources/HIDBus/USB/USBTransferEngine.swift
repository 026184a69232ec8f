// SPDX-License-Identifier: Apache-2.0

import DequeModule
package import HIDReportDescriptor
package import IOLoop

/// The transfers between one USB device and its host, without I/O.
///
/// The host's messages go in, and replies and events come out. Each transfer gets one reply, unless
/// the host withdraws it before.
package struct USBTransferEngine: ~Copyable, Sendable {
  /// An action of the host on the device.
  package enum Event: Hashable, Sendable {
    case changed(USBControlModel.Change)
    /// The host has begun to ask an interface for input reports, or has ceased to.
    case polled(interface: Int, Bool)
    /// An output report by the interrupt endpoint of an interface, its ID first if it is numbered.
    case output(interface: Int, HIDReportBytes)
    /// The host asks for a report; ``answerGet(_:_:)`` with the token answers.
    case getReport(token: UInt32, interface: Int, HIDReportType, HIDReportID?)
    /// The host sets a report; ``answerSet(_:accepted:)`` with the token answers.
    case setReport(token: UInt32, interface: Int, HIDReportType, HIDReportID?, HIDReportBytes)
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
    let numbersInput: Bool
    var isPolled = false
    /// True if the host wants a report again that has not changed for a time.
    var repeatsReports = false
    /// The latest report with each ID.
    var latest: [Latest] = []

    /// True if reports are repeated that the host has taken.
    ///
    /// While reports wait for the host, there is no need to repeat one.
    var canRepeat: Bool { repeatsReports && isPolled && input.waitingCount == 0 }

    /// Keeps a report as the latest with its ID.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - isBoot: True for a boot report, which has no ID.
    ///   - now: The present time.
    mutating func keep(_ report: Span<UInt8>, isBoot: Bool, at now: MonotonicTime) {
      let id = numbersInput && !isBoot && report.count > 0 ? report[0] : 0
      let index = latest.firstIndex { $0.id == id } ?? latest.count
      if index == latest.count { latest.append(Latest(id: id, report: [], time: now)) }
      latest[index].report.removeAll(keepingCapacity: true)
      latest[index].report.append(copying: report)
      latest[index].time = now
    }
  }

  /// The latest report with an ID, and the time at which it was sent.
  private struct Latest: Sendable {
    /// The ID; 0 without one.
    let id: UInt8
    var report: [UInt8]
    var time: MonotonicTime
  }

  private var control: USBControlModel
  private var interfaces: [Interface]
  private var hasEnded = false
  /// True if the host has asked for a report since ``takeHasReceived()``.
  private var hasReceived = false
  /// The interfaces of the endpoints by their numbers, 16 for each direction; -1 for none.
  private let places: [Int8]
  private var current: (token: UInt32, request: Request)?
  /// The control transfers that came meanwhile, in order: endpoint 0 does one transfer at a time.
  private var queued: Deque<USBIPRequest.Transfer> = []
  /// The replies that were not taken.
  private var replies = USBIPReplies()
  /// The events that ``takeEvents()`` has not taken.
  private var events: [Event] = []

  package init(_ device: USBDeviceDescription) {
    control = USBControlModel(device)
    places = (0..<32).map { place in
      let address = UInt8(place & 0x0F) | (place < 16 ? 0 : 0x80)
      return device.interface(ofEndpoint: address).map { Int8(truncatingIfNeeded: $0) } ?? -1
    }
    interfaces = device.interfaces.map { interface in
      Interface(
        input: USBInputEndpoint(
          packetByteCount: interface.input.packetByteCount,
          period: device.speed.period(interface.input.interval)),
        numbersInput: interface.numbersInput)
    }
  }

  /// Takes the replies for the host, in the order in which they must be sent.
  package mutating func takeReplies() -> [USBIPReply] { replies.take() }

  /// Calls a closure with each reply that ``moveReplies(to:)`` moves next, in order.
  package func forEachReply(_ body: (USBIPReply) -> Void) { replies.forEach(body) }

  /// Moves the bytes of the replies for the host to the end of an array, in the order in which they
  /// must be sent.
  package mutating func moveReplies(to bytes: inout [UInt8]) { replies.move(to: &bytes) }

  /// Takes the events for the device, oldest first.
  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  /// True if there are events that were not taken.
  package var hasEvents: Bool { !events.isEmpty }

  /// Exchanges the events for the device, oldest first, for an empty array, whose memory the next
  /// events use.
  package mutating func exchangeEvents(_ other: inout [Event]) { swap(&events, &other) }

  // MARK: The host's side

  /// Takes a message of the host.
  ///
  /// - Parameters:
  ///   - request: The message.
  ///   - now: The present time.
  package mutating func receive(_ request: USBIPRequest, at now: MonotonicTime) {
    switch request {
    case .submit(let transfer) where hasEnded:
      reply(
        transfer.sequence,
        transfer.endpoint == 0 ? USBIP.Status.noDevice : USBIP.Status.shutdown)
    case .submit(let transfer) where transfer.endpoint == 0: receiveControl(transfer)
    case .submit(let transfer): receiveInterrupt(transfer, at: now)
    case .unlink(let sequence, let target): unlink(target, by: sequence)
    }
  }

  private mutating func reply(_ sequence: UInt32, _ status: Int32, count: Int = 0) {
    replies.appendSubmit(sequence, status: status, count: count)
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
    let answer = control.answer(transfer.setup, Array(transfer.data), changes: &changes)
    apply(changes)
    switch answer {
    case .data(let bytes):
      let length = transfer.isFromDevice ? transfer.length : 0
      replies.appendSubmit(sequence, data: bytes.span.extracting(first: length))
    case .accepted: reply(sequence, USBIP.Status.success, count: transfer.data.count)
    case .stall: reply(sequence, USBIP.Status.stall)
    case .getReport(let interface, let type, let id):
      let length = transfer.isFromDevice ? min(Int(transfer.setup.length), transfer.length) : 0
      current = (sequence, Request(interface: interface, isGet: true, length: length))
      events.append(.getReport(token: sequence, interface: interface, type, id))
    case .setReport(let interface, let type, let id, let bytes):
      current = (sequence, Request(interface: interface, isGet: false, length: bytes.count))
      events.append(
        .setReport(token: sequence, interface: interface, type, id, HIDReportBytes(bytes)))
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
          interfaces[number].latest = []
        }
      case .bootProtocol(let interface, _):
        // Reports of the other protocol are not sent any more.
        interfaces[interface].latest = []
        interfaces[interface].input.clear()
      case .halted(let address, true) where address & 0x80 != 0:
        if let interface = interface(ofEndpoint: address & 0x0F, isFromDevice: true) {
          endTransfers(interface: interface)
        }
      case .idle(let interface, _, _):
        interfaces[interface].repeatsReports = control.repeatsReports(interface: interface)
      default: break
      }
    }
  }

  /// Returns the interface of an endpoint; nil for none.
  private func interface(ofEndpoint number: UInt8, isFromDevice: Bool) -> Int? {
    let place = places[Int(number & 0x0F) + (isFromDevice ? 16 : 0)]
    return place < 0 ? nil : Int(place)
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
    let address = transfer.endpoint | (transfer.isFromDevice ? 0x80 : 0)
    guard control.isConfigured, !control.halted.contains(address),
      let number = interface(ofEndpoint: transfer.endpoint, isFromDevice: transfer.isFromDevice)
    else { return reply(transfer.sequence, USBIP.Status.stall) }
    guard transfer.isFromDevice else {
      events.append(.output(interface: number, transfer.data))
      return reply(transfer.sequence, USBIP.Status.success, count: transfer.data.count)
    }
    guard interfaces[number].input.hold(transfer.sequence, length: transfer.length) else {
      return reply(transfer.sequence, USBIP.Status.stall)
    }
    hasReceived = true
    setPolled(true, interface: number)
    advance(interface: number, to: now)
  }

  /// Withdraws the request that waits for the answer of the device, and those behind it.
  package mutating func withdrawRequest() {
    queued = []
    if let current { _ = withdrawRequest(current.token) }
  }

  /// Withdraws the request that waits for the answer of the device; returns false if it is another
  /// one.
  private mutating func withdrawRequest(_ token: UInt32) -> Bool {
    guard let current, current.token == token else { return false }
    self.current = nil
    events.append(.withdrawn(token: token, interface: current.request.interface))
    return true
  }

  private mutating func unlink(_ target: UInt32, by sequence: UInt32) {
    var wasHeld = withdrawRequest(target)
    if !wasHeld, let index = queued.firstIndex(where: { $0.sequence == target }) {
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
    replies.appendUnlink(sequence, status: status)
    beginQueued()
  }

  // MARK: The device's side

  /// True if the device can send a report of an interface without waiting.
  package func hasRoom(interface: Int) -> Bool {
    !interfaces[interface].isPolled || interfaces[interface].input.hasRoom
  }

  /// True if a sender that has waited for room of an interface should continue.
  package func hasAmpleRoom(interface: Int) -> Bool {
    !interfaces[interface].isPolled || interfaces[interface].input.hasAmpleRoom
  }

  /// The time in which a host makes ample room, if it takes a packet in each period.
  package func ampleRoomTime(interface: Int) -> Duration {
    interfaces[interface].input.ampleRoomTime
  }

  /// Sends an input report; returns false, and sends nothing, if there is no room.
  ///
  /// While the host does not ask the interface for reports, the report is dropped, since no program
  /// waits for it.
  package mutating func send(
    _ report: Span<UInt8>, interface: Int, at now: MonotonicTime
  ) -> Bool {
    guard interfaces[interface].isPolled else { return true }
    guard interfaces[interface].input.add(report, at: now) else { return false }
    interfaces[interface].keep(
      report, isBoot: control.usesBootProtocol(interface: interface), at: now)
    advance(interface: interface, to: now)
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

  /// Returns whether the host has asked for a report since the last call.
  ///
  /// Without that, ``takeReceivedCount(interface:)`` is 0 for all interfaces.
  package mutating func takeHasReceived() -> Bool {
    defer { hasReceived = false }
    return hasReceived
  }

  /// Returns the number of reports of an interface that the host's drivers have received since the
  /// last call.
  package mutating func takeReceivedCount(interface: Int) -> Int {
    interfaces[interface].input.takeReceivedCount()
  }

  /// Returns the state of a device and of its transfers, without that of its connection.
  ///
  /// - Parameter device: The device of the engine.
  package func state(of device: USBDeviceDescription) -> USBDeviceState {
    USBDeviceState(
      speed: device.speed, configuration: control.isConfigured ? device.chosenConfiguration : 0,
      mayWakeHost: control.mayWakeHost,
      interfaces: device.interfaces.indices.map { index in
        USBDeviceState.Interface(
          number: device.number(ofInterface: index),
          isBoot: control.usesBootProtocol(interface: index),
          idleTime: control.idleTime(interface: index),
          otherIdleTimes: control.otherIdleTimes(interface: index),
          lostCount: lostCount(interface: index),
          endpoints: device.endpoints(ofInterface: index).compactMap { address in
            endpoint(address, ofInterface: index, of: device)
          })
      })
  }

  private func endpoint(
    _ address: UInt8, ofInterface index: Int, of device: USBDeviceDescription
  ) -> USBDeviceState.Endpoint? {
    let interface = device.interfaces[index]
    let isInput = address & 0x80 != 0
    guard let declared = isInput ? interface.input : interface.output else { return nil }
    var endpoint = USBDeviceState.Endpoint(
      address: address, packetByteCount: declared.packetByteCount,
      period: device.speed.period(declared.interval), isHalted: control.halted.contains(address))
    if isInput {
      endpoint.waitingTransferCount = interfaces[index].input.heldCount
      endpoint.waitingReportCount = interfaces[index].input.waitingCount
    }
    return endpoint
  }

  /// Ends all transfers and all further ones, as a host does when a device is unplugged.
  package mutating func end() {
    hasEnded = true
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
      replies.appendSubmit(token, data: report.span.extracting(first: current.request.length))
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
    for number in interfaces.indices { advance(interface: number, to: now) }
  }

  private mutating func advance(interface number: Int, to now: MonotonicTime) {
    if interfaces[number].canRepeat { repeatReports(interface: number, at: now) }
    while interfaces[number].input.complete(at: now, to: &replies) {}
  }

  private mutating func repeatReports(interface number: Int, at now: MonotonicTime) {
    for index in interfaces[number].latest.indices {
      let latest = interfaces[number].latest[index]
      guard let due = repeatTime(of: latest, interface: number), now >= due else { continue }
      _ = interfaces[number].input.add(latest.report.span, at: now)
      interfaces[number].latest[index].time = now
    }
  }

  /// Returns the time at which a report is repeated; nil for never.
  private func repeatTime(of latest: Latest, interface: Int) -> MonotonicTime? {
    let rate = control.idleRate(interface: interface, HIDReportID(rawValue: latest.id))
    return rate == 0 ? nil : latest.time.advanced(by: USBControlModel.idleTime(rate: rate))
  }

  /// The time at which ``advance(to:)`` has something to do next; nil if nothing waits for a time.
  package var due: MonotonicTime? {
    var due: MonotonicTime?
    for number in interfaces.indices {
      due = Self.earlier(due, interfaces[number].input.due)
      guard interfaces[number].canRepeat else { continue }
      for latest in interfaces[number].latest {
        due = Self.earlier(due, repeatTime(of: latest, interface: number))
      }
    }
    return due
  }

  private static func earlier(_ one: MonotonicTime?, _ other: MonotonicTime?) -> MonotonicTime? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}
