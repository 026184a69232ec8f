// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// The state of one interface of a USB device; the device uses it on its loop only.
final class USBInterface {
  /// The port of the interface; nil before the device has its ports, and once no program holds it.
  weak var port: USBPort?
  /// The files of the interface in the bus directory; nil without one.
  private var entry: DeviceEntry.Owned?
  /// The room that hidsim's clients have for further reports; the interface waits for it.
  let clients = ClientRoom()
  /// The number of reports that earlier hosts have lost because they took none for a second.
  private(set) var lostBefore = 0
  /// The number of reports that clients had lost when the interface ended.
  private var lostAtEnd = 0
  /// The boot reports; nil unless the host uses the boot protocol.
  var bootReports: USBBootReports?
  /// True once the host's HID driver has read the report descriptor.
  var isStarted = false
  /// True while the host asks for input reports.
  var isOpen = false

  /// Publishes the interface in the bus directory, and accepts the clients that connect to its
  /// files: they report how many reports they have read.
  ///
  /// - Parameters:
  ///   - entry: The files.
  ///   - loop: The loop of the device.
  ///   - enter: The argument of ``ClientRoom/start(_:loop:enter:)``. It is kept until ``end()``.
  func publish(
    _ entry: DeviceEntry.Owned, loop: IOLoop,
    enter: @escaping @Sendable (@Sendable (ClientRoom) -> Void) -> Void
  ) {
    self.entry = entry
    clients.start(entry, loop: loop, enter: enter)
  }

  /// Publishes the interface in the bus directory for programs that drive the device.
  func publish(_ entry: DeviceEntry.Owned?) { self.entry = entry }

  /// The number of reports that clients have lost, as far as they had reported it when the
  /// interface ended.
  var lostByClients: Int { lostAtEnd + clients.lostReports }

  /// Adds the losses of a host whose connection has ended.
  func addLosses(_ count: Int) { lostBefore += count }

  /// Disconnects hidsim's clients, and removes the files of the interface; a second call does
  /// nothing.
  func end() {
    lostAtEnd += clients.lostReports
    clients.end()
    entry = nil
  }
}
