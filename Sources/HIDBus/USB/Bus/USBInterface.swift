// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop

/// The state of one interface of a USB device; the device uses it on its loop only.
final class USBInterface {
  /// The port of the interface; nil before the device has its ports, and once no program holds it.
  weak var port: USBPort?
  /// The files of the interface in the bus directory; nil without one.
  private var entry: DeviceEntry.Owned?
  /// The room that hidsim's clients have for further reports; the interface waits for it.
  let clients = ClientRoom()
  /// The number of reports that earlier hosts have lost.
  private var lostBefore = 0
  /// The number of reports that clients had lost when the device was unplugged.
  private var lostByClients = 0
  /// The boot reports; nil unless the host uses the boot protocol.
  private var bootReports: USBBootReports?
  /// True once the host's HID driver has read the report descriptor.
  var isStarted = false
  /// True while the host asks for input reports.
  var isOpen = false

  /// Publishes the interface in the bus directory; the clients that connect to its files report how
  /// many reports they have read.
  func publish(
    _ entry: DeviceEntry.Owned, loop: IOLoop,
    enter: @escaping @Sendable (@Sendable (ClientRoom) -> Void) -> Void
  ) {
    self.entry = entry
    clients.start(entry, loop: loop, enter: enter)
  }

  /// Publishes the interface in the bus directory for programs that drive the device.
  func publish(_ entry: DeviceEntry.Owned?) { self.entry = entry }

  /// The number of reports that were lost by earlier hosts, and by hidsim's clients as far as they
  /// had reported it.
  var lostCount: Int { lostBefore + lostByClients + clients.lostReports }

  /// Counts the reports that a host has lost whose connection has ended.
  func addLosses(_ count: Int) { lostBefore += count }

  /// Disconnects hidsim's clients, and removes the files of the interface.
  func end() {
    lostByClients += clients.lostReports
    clients.end()
    entry = nil
  }

  // MARK: The boot protocol

  /// True while the host uses the boot protocol.
  var usesBootProtocol: Bool { bootReports != nil }

  /// Notes that the host has chosen the boot protocol, whose reports are given, or the report
  /// protocol.
  func setBootReports(_ reports: USBBootReports?) {
    bootReports = reports
    // The reports of the other protocol were dropped.
    clients.resumeWaiters()
  }

  /// Returns the boot report of an input report; nil if there is none.
  func bootReport(after report: Span<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.append(copying: report)
    return bootReports?.report(after: bytes)
  }
}
