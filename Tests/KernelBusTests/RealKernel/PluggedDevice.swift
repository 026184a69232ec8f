// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
@testable import HIDBus
import IOLoop
import SystemPackage

/// A device that is plugged into the running kernel without the bus, which refuses some
/// descriptors.
///
/// No state is polled. The kernel sends `add` when it has a device, and `bind` when a driver has
/// kept the device. Unplugging waits for the kernel's own work; afterwards, the kernel never starts
/// a device that it has not started.
final class PluggedDevice {
  /// The device's name.
  static let name = "hidsim test"
  private static let folderPrefix = "0003:1209:0001."

  struct Silence: Error, CustomStringConvertible {
    let device: String
    var description: String { "\(device): the kernel said nothing more for 20 s" }
  }

  private let channel: UHIDChannel
  private let kernel: OpenChangeSource
  private let physicalPath: String
  private let buffer: UnsafeMutableRawBufferPointer
  /// The folder under `/sys/bus/hid/devices`, once the kernel has made it.
  private(set) var folder: String?
  /// True if a driver has probed the device and kept it.
  private(set) var isBound = false
  private(set) var starts = 0
  private(set) var stops = 0

  /// Plugs a device with a descriptor: bus 3, 1209:0001.
  ///
  /// - Throws: `EINVAL` if uhid itself refuses the descriptor; `ENXIO` if the kernel's messages
  ///   about devices cannot be read.
  init(_ descriptor: [UInt8]) throws {
    let what = HIDDeviceDescription(
      identity: HIDDeviceIdentity(
        name: Self.name, vendorID: 0x1209, productID: 0x0001, versionNumber: 0x0102,
        transport: .usb, serialNumber: ""),
      physicalPath: HIDPhysicalPath(
        deviceID: HIDDeviceID(rawValue: 1 << 63 | UInt64.random(in: 1..<1 << 50) << 8),
        interface: 0),
      descriptor: try HIDReportDescriptor(parsing: plainDescriptor))
    guard let kernel = ChangeSource.kernelEvents.open(by: try? Udev.shared.get()) else {
      throw Errno.noSuchAddressOrDevice
    }
    self.kernel = kernel
    channel = try UHIDChannel()
    physicalPath = what.physicalPath.description
    buffer = .allocate(
      byteCount: UHIDChannel.eventsPerRead * UHIDEvent.byteCount, alignment: 16)
    // The message for a readable descriptor, with the descriptor and its size exchanged.
    var event = Array(UHIDEvent.create(what).dropLast(plainDescriptor.count)) + descriptor
    let size = Int(chid_create2_rd_size.rawValue)
    event[size] = UInt8(truncatingIfNeeded: descriptor.count)
    event[size + 1] = UInt8(truncatingIfNeeded: descriptor.count >> 8)
    try channel.write(event)
  }

  deinit { buffer.deallocate() }

  /// Waits until the kernel has the device; a driver need not be bound yet.
  func waitUntilAdded() throws {
    while folder == nil { try wait() }
  }

  /// Waits until a driver has probed the device, and has kept it or has stopped it.
  func waitUntilProbed() throws {
    while !isBound, stops == 0 { try wait() }
  }

  /// Unplugs the device, and returns how often a driver has started it.
  func unplug() throws -> Int {
    // In this call the kernel waits for its own work on the device.
    try channel.write(UHIDEvent.destroy)
    receive()
    return starts
  }

  private func wait() throws {
    var sources = [channel.pollDescriptor, kernel.descriptor].compactMap(\.self).map {
      pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
    }
    let count = poll(&sources, nfds_t(sources.count), 20_000)
    if count < 0, errno == EINTR { return }
    guard count > 0 else { throw Silence(device: folder ?? physicalPath) }
    receive()
    var changes: [DriverChange] = []
    _ = kernel.read { if let change = $0.change { changes.append(change) } }
    for change in changes where change.folder.hasPrefix(Self.folderPrefix) {
      switch change.action {
      case .added where folder == nil && isOurs(change.folder): folder = change.folder
      case .bound where change.folder == folder: isBound = true
      default: break
      }
    }
  }

  private func isOurs(_ folder: String) -> Bool {
    let lines = SysFS.read("/sys/bus/hid/devices/\(folder)/uevent") ?? []
    return String(decoding: lines, as: UTF8.self).contains("HID_PHYS=\(physicalPath)\n")
  }

  /// Takes the pending events of the kernel; refuses get-report requests, and accepts set-report
  /// requests.
  private func receive() {
    while let count = try? channel.receive(into: buffer) {
      for index in 0..<count {
        let bytes = UnsafeRawBufferPointer(
          rebasing: buffer[index * UHIDEvent.byteCount..<(index + 1) * UHIDEvent.byteCount])
        switch UHIDEvent.decode(bytes) {
        case .start: starts += 1
        case .stop: stops += 1
        case .getReport(let request, _, _):
          let refusal = UHIDEvent.withAnswerGet(request, nil, needsNumber: false) { Array($0) }
          try? channel.write(refusal)
        case .setReport(let request, _, _, _):
          try? channel.write(UHIDEvent.answerSet(request, accepted: true))
        case .open, .close, .output, .usb, nil: break
        }
      }
    }
  }
}
