// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop

/// The device's end of the USB bus: one interface of a USB device.
actor USBPort: HIDDevicePort {
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
      self?.assumeIsolated { body($0.clients) }
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
    lostAtEnd + clients.lostReports + device.assumeIsolated { $0.lostCount(interface: index) }
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
    if device.assumeIsolated({ $0.isPlugged }) { grab = outcome.grab }
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
    return try send([[UInt8](copying: report)]) == 1
  }

  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    try lengths.checkInput(batch, in: range)
    let reports = batch.withBytes { bytes in
      range.map { [UInt8](copying: bytes.extracting(batch.byteRange(ofReport: $0))) }
    }
    return try range.lowerBound + send(reports)
  }

  /// Sends reports, as many as the host and hidsim's clients have room for, and returns their
  /// number.
  private func send(_ reports: [[UInt8]]) throws(HIDBusError) -> Int {
    guard bootReports == nil else { return try sendAsBootReports(reports) }
    return try sendNow(reports)
  }

  /// Sends the boot reports of input reports, and returns the number of input reports.
  private func sendAsBootReports(_ reports: [[UInt8]]) throws(HIDBusError) -> Int {
    for (index, report) in reports.enumerated() {
      guard let boot = bootReports?.report(after: report) else { continue }
      if try sendNow([boot]) == 0 { return index }
    }
    return reports.count
  }

  private func sendNow(_ reports: [[UInt8]]) throws(HIDBusError) -> Int {
    clients.acceptClients(before: reports.count)
    var sent = 0
    repeat {
      let room = min(roomOfClients, reports.count - sent)
      guard
        let count = device.assumeIsolated({
          $0.send(reports[sent..<sent + room], interface: index)
        })
      else { throw USBDevice.unplugged }
      sent += count
      if count < room || room == 0 { break }
    } while sent < reports.count
    return sent
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
    max(0, clients.count - device.assumeIsolated { $0.pendingCount(interface: index) })
  }

  /// Notes that the host has chosen the boot protocol or the report protocol.
  func setBootProtocol(_ isBoot: Bool) {
    bootReports = isBoot ? USBBootReports(plugged.descriptor, plugged.usbInterface.boot) : nil
  }

  /// Counts reports that the host's drivers have received.
  func noteReceived(_ count: Int) { clients.noteSent(count) }

  /// Resumes the tasks that wait for clients, after the host has dropped reports.
  func noteDropped() { clients.resumeWaiters() }

  /// True if the host has no room for another report; nil if the device is unplugged.
  private var hostLacksRoom: Bool? {
    device.assumeIsolated { $0.lacksRoom(interface: index) }
  }

  // MARK: Answers

  nonisolated func answerGet(_ request: HIDRequestID, _ report: [UInt8]?) {
    device.onLoop { $0.answerGet(request, report) }
  }

  nonisolated func answerSet(_ request: HIDRequestID, accepted: Bool) {
    device.onLoop { $0.answerSet(request, accepted: accepted) }
  }

  // MARK: The end

  func catchUp() { device.assumeIsolated { $0.receiveAll() } }

  func destroy() async { await device.detach() }
}

extension [UInt8] {
  /// Copies the bytes of a span.
  fileprivate init(copying span: Span<UInt8>) {
    self = span.withUnsafeBufferPointer { Array($0) }
  }
}
