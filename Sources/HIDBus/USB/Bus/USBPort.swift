// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop

/// The device's end of the USB bus: one interface of a USB device.
actor USBPort: HIDDevicePort, LoopActor {
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    USBDevice.loop.asUnownedSerialExecutor()
  }
  nonisolated let bus = HIDBusKind.usb
  nonisolated var loop: IOLoop { USBDevice.loop }
  nonisolated let plugged: HIDDeviceDescription
  nonisolated let lengths: HIDReportLengths

  nonisolated let device: USBDevice
  nonisolated let index: Int
  nonisolated weak let handler: (any HIDDeviceHandler)?
  private(set) var isolation = HIDIsolation.live
  /// The files of the interface in the bus directory; nil without one.
  private var entry: DeviceEntry.Owned?
  /// The room that hidsim's clients have for further reports; the interface waits for it.
  private let clients = ClientRoom()
  /// The number of reports that clients had lost when the device was unplugged.
  private var lostAtEnd = 0
  /// The boot reports; nil unless the host uses the boot protocol.
  private var bootReports: USBBootReports?
  /// The grab of the evdev nodes, which ends with the port.
  private var grab: EventGrab?

  init(
    _ description: HIDDeviceDescription, index: Int, of device: USBDevice,
    handler: any HIDDeviceHandler
  ) {
    plugged = description
    // A host takes as many bytes as the report descriptor declares, so no report can be longer.
    var descriptor = description.descriptor
    descriptor.allowsLongInput = false
    lengths = HIDReportLengths(descriptor)
    self.index = index
    self.device = device
    self.handler = handler
  }

  /// Makes a device and the ports of its interfaces, in order.
  ///
  /// The device holds its ports weakly, after ``USBDevice/setPorts(_:)``.
  ///
  /// - Throws: `invalidArgument` for a device that USB cannot have.
  static func ports(
    of interfaces: [HIDDeviceDescription], _ handlers: [any HIDDeviceHandler], host: any USBHost,
    isLive: Bool
  ) throws(HIDBusError) -> (USBDevice, [USBPort]) {
    let device = USBDevice(try USBDeviceDescription(of: interfaces), host: host)
    let ports = zip(interfaces, handlers).enumerated().map { index, interface in
      var description = interface.0
      description.identity.transport = .usb
      description.physicalPath.isLive = isLive
      description.physicalPath.allowsLongInput = false
      return USBPort(description, index: index, of: device, handler: interface.1)
    }
    return (device, ports)
  }

  /// Publishes the interface in the bus directory, so that hidsim's clients find that it is
  /// hidsim's, and report how many reports they have read.
  ///
  /// If this fails, the interface works, and hidsim's clients take it for one of a real device.
  func publish(in directory: BusDirectory) {
    guard let entry = try? DeviceEntry.publish(plugged, on: .kernel, in: directory) else { return }
    self.entry = entry
    clients.start(entry, loop: loop) { [weak self] body in
      self?.assumeOnLoop { body($0.clients) }
    }
  }

  /// Publishes the interface in the bus directory as one that is served, so that other programs can
  /// drive the device.
  ///
  /// - Parameter name: The name by which hosts import the device.
  func publishServed(as name: String, in directory: BusDirectory) {
    let path = plugged.physicalPath
    var served = plugged
    served.physicalPath = HIDPhysicalPath(
      place: "usbip:\(name)", deviceID: path.deviceID, interface: path.interface)
    entry = try? DeviceEntry.publish(served, on: .usb, in: directory)
  }

  /// The number of reports that were lost: by hidsim's clients, as far as they had reported it when
  /// the device was unplugged; and by a host that took none for a second.
  var lostReports: Int {
    // The first interface that is unplugged ends all, and the others are asked after it.
    lostAtEnd + clients.lostReports + device.assumeOnLoop { $0.lostCount(interface: index) }
  }

  nonisolated func ready(within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord {
    let record = try await device.host.ready(self, within: bound)
    let outcome = try await device.host.isolate(record)
    await keep(outcome)
    return record
  }

  private func keep(_ outcome: DesktopGuard.Outcome) {
    isolation = outcome.isolation
    // If the device was unplugged in the meantime, there is nothing to grab.
    if device.assumeOnLoop({ $0.isPlugged }) { grab = outcome.grab }
  }

  /// Ends the grab, and disconnects the clients; called when the device is unplugged.
  func end() {
    grab = nil
    lostAtEnd += clients.lostReports
    clients.end()
    entry = nil
  }

  // MARK: Input

  func sendInput(_ report: Span<UInt8>) throws(HIDBusError) -> Bool {
    do throws(HIDReportLengths.Mismatch) {
      try lengths.checkInput(report)
    } catch {
      throw HIDBusError(error)
    }
    guard bootReports == nil else { return try sendAsBootReport(report) }
    return try send(report)
  }

  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    try lengths.checkInput(batch, in: range)
    guard bootReports == nil else {
      var next = range.lowerBound
      while next < range.upperBound,
        try batch.withBytes({ bytes throws(HIDBusError) in
          try sendAsBootReport(bytes.extracting(batch.byteRange(ofReport: next)))
        })
      { next += 1 }
      return next
    }
    return try send(batch, in: range)
  }

  /// Sends the boot report of an input report, if there is one; returns false if there is no room.
  private func sendAsBootReport(_ report: Span<UInt8>) throws(HIDBusError) -> Bool {
    var bytes: [UInt8] = []
    bytes.append(copying: report)
    guard let boot = bootReports?.report(after: bytes) else { return true }
    return try send(boot.span)
  }

  private func send(_ report: Span<UInt8>) throws(HIDBusError) -> Bool {
    clients.acceptClients(before: 1)
    let clientsHaveRoom = roomOfClients > 0
    let isSent: Bool? = device.assumeOnLoop { device in
      if clientsHaveRoom { return device.send(report, interface: index) }
      return device.lacksRoom(interface: index).map { _ in false }
    }
    guard let isSent else { throw USBDevice.unplugged }
    return isSent
  }

  private func send(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    clients.acceptClients(before: range.count)
    var next = range.lowerBound
    repeat {
      let end = next + min(roomOfClients, range.upperBound - next)
      guard
        let count = device.assumeOnLoop({ $0.send(batch, in: next..<end, interface: index) })
      else { throw USBDevice.unplugged }
      next += count
      if next < end || count == 0 { break }
    } while next < range.upperBound
    return next
  }

  nonisolated func roomForInput() async { await waitForRoom() }

  private func waitForRoom() async {
    while let hostLacksRoom {
      if hostLacksRoom {
        await device.waitForRoom(interface: index)
      } else if roomOfClients == 0 {
        await clients.wait { self.roomOfClients == 0 && self.hostLacksRoom != nil }
      } else {
        return
      }
    }
  }

  /// The number of further reports for which hidsim's clients have room.
  private var roomOfClients: Int {
    guard clients.isCounted else { return .max }
    return max(0, clients.count - device.assumeOnLoop { $0.pendingCount(interface: index) })
  }

  /// Notes that the host has chosen the boot protocol or the report protocol.
  func setBootProtocol(_ isBoot: Bool) {
    let boot = device.description.interfaces[index].boot
    bootReports = isBoot ? USBBootReports(plugged.descriptor, boot) : nil
    // The reports of the other protocol were dropped.
    clients.resumeWaiters()
  }

  /// Counts reports that the host's drivers have received.
  func noteReceived(_ count: Int) { clients.noteSent(count) }

  /// Resumes the tasks that wait for clients, after the host has dropped reports.
  func noteDropped() { clients.resumeWaiters() }

  /// True if the host has no room for another report; nil if the device is unplugged.
  private var hostLacksRoom: Bool? {
    device.assumeOnLoop { $0.lacksRoom(interface: index) }
  }

  // MARK: Answers

  nonisolated func answerGet(_ request: HIDRequestID, _ report: [UInt8]?) {
    device.onLoop { $0.answerGet(request, report) }
  }

  nonisolated func answerSet(_ request: HIDRequestID, accepted: Bool) {
    device.onLoop { $0.answerSet(request, accepted: accepted) }
  }

  // MARK: The end

  func catchUp() { device.assumeOnLoop { $0.receiveAll() } }

  func destroy() async { await device.detach() }
}

extension HIDDevicePort {
  /// Returns the state of the USB device to which the interface belongs; nil on another bus.
  package nonisolated func usbState() async -> USBDeviceState? {
    await (self as? USBPort)?.device.state()
  }
}
