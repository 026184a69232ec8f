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

  deinit { device.releasePort(ofInterface: index) }

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
    device.assumeOnLoop { $0.publish(entry, interface: index) }
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
    let entry = try? DeviceEntry.publish(served, on: .usb, in: directory)
    device.assumeOnLoop { $0.publishServed(entry, interface: index) }
  }

  /// The number of reports that were lost: by hidsim's clients, as far as they had reported it when
  /// the device was unplugged; and by a host that took none for a second.
  var lostReports: Int { device.assumeOnLoop { $0.lostCount(interface: index) } }

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

  /// Ends the grab; called when the device is unplugged.
  func endGrab() { grab = nil }

  // MARK: Input

  func sendInput(_ report: Span<UInt8>) throws(HIDBusError) -> Bool {
    do throws(HIDReportLengths.Mismatch) {
      try lengths.checkInput(report)
    } catch {
      throw HIDBusError(error)
    }
    let isSent = device.assumeOnLoop(with: report, index) { device, report, index in
      device.send(report, interface: index)
    }
    guard let isSent else { throw USBDevice.unplugged }
    return isSent
  }

  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int {
    try lengths.checkInput(batch, in: range)
    let next = device.assumeOnLoop(with: batch, (range, index)) { device, batch, place in
      device.send(batch, in: place.0, interface: place.1)
    }
    guard let next else { throw USBDevice.unplugged }
    return next
  }

  nonisolated func roomForInput() async { await device.waitForRoom(interface: index) }

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
