// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
@testable import HIDBus
import Synchronization
import SystemPackage

/// The kernel's end of a uhid channel or of a hidraw node.
///
/// It is a socket that keeps message boundaries, as uhid and hidraw do.
struct FakeKernel: ~Copyable {
  private let kernel: FileDescriptor
  /// The other end; the code that talks to the kernel owns and closes it.
  let device: FileDescriptor

  init() throws {
    // A write to a character device raises no SIGPIPE.
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    let result = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
    let isMade = result == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0
    kernel = FileDescriptor(rawValue: isMade ? ends[0] : -1)
    device = FileDescriptor(rawValue: isMade ? ends[1] : -1)
    if !isMade { throw Errno(rawValue: errno) }
  }

  deinit { _ = Glibc.close(kernel.rawValue) }

  /// Waits for a message from the device.
  func receive() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes {
      Glibc.read(kernel.rawValue, $0.baseAddress, $0.count)
    }
    guard count >= 0 else { throw Errno(rawValue: errno) }
    return Array(buffer[..<count])
  }

  /// Sends a message, padded to the kernel's usual length of 4,380 bytes unless `exactly` is true.
  func send(_ message: [UInt8], exactly: Bool = false) throws {
    let padding = exactly ? 0 : max(0, 4380 - message.count)
    let whole = message + [UInt8](repeating: 0, count: padding)
    let count = whole.withUnsafeBytes { Glibc.write(kernel.rawValue, $0.baseAddress, $0.count) }
    guard count == whole.count else { throw Errno(rawValue: errno) }
  }
}

/// A report descriptor with eight bytes of input, output and feature, without report IDs.
let plainDescriptor: [UInt8] = [
  0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x08,
  0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0x91, 0x02, 0x09, 0x01, 0xb1, 0x02, 0xc0,
]

func plainDevice(_ transport: HIDTransport = .usb) throws -> HIDDeviceDescription {
  HIDDeviceDescription(
    identity: HIDDeviceIdentity(
      name: "hidsim test", vendorID: 0x1209, productID: 0xbeef, versionNumber: 0x0123,
      countryCode: 0x21, transport: transport, serialNumber: "S-1"),
    physicalPath: HIDPhysicalPath(
      deviceID: HIDDeviceID(rawValue: 0x8000_0000_0000_ab00), interface: 2),
    descriptor: try HIDReportDescriptor(parsing: plainDescriptor))
}

/// A handler that keeps the events of a device, and returns them one by one.
final class EventLog: HIDDeviceHandler {
  private let stream: AsyncStream<HIDHostEvent>
  private let continuation: AsyncStream<HIDHostEvent>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for record in events { continuation.yield(record.event) }
  }

  /// Waits for the next `count` events, and returns them.
  func next(_ count: Int) async -> [HIDHostEvent] {
    var events: [HIDHostEvent] = []
    for await event in stream {
      events.append(event)
      if events.count == count { break }
    }
    return events
  }
}
