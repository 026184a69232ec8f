// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
@testable import HIDBus
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// A bus directory of one test, which is removed with its last reference.
final class Folder: Sendable {
  let directory: BusDirectory
  var path: String { directory.path }
  var bus: LoopbackBus { LoopbackBus(directory: directory) }

  init() throws {
    var name = Array((NSTemporaryDirectory() + "hidsim-test-XXXXXX").utf8CString)
    guard mkdtemp(&name) != nil else { throw Errno(rawValue: errno) }
    directory = try BusDirectory(
      path: String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  deinit {
    for name in (try? directory.names()) ?? [] {
      if unlink("\(path)/\(name)") != 0 { rmdir("\(path)/\(name)") }
    }
    rmdir(path)
  }

  /// Writes a file.
  func write(_ bytes: [UInt8], _ name: String) throws {
    let file = try directory.open(name, O_RDWR | O_CREAT | O_TRUNC).release()
    _ = try file.closeAfter { try file.writeAll(bytes) }
  }

  /// The devices in the directory.
  var devices: [HIDDeviceID: HIDDeviceRecord] {
    get throws { try DeviceEntry.readAll(in: directory) }
  }
}

/// Describes a vendor's device without report IDs: 8 bytes of input, 8 of output, 8 of feature.
func plain(_ path: HIDPhysicalPath = anyPath(), name: String = "hidsim test") throws
  -> HIDDeviceDescription
{
  HIDDeviceDescription(
    identity: HIDDeviceIdentity(name: name, vendorID: 0x1209, productID: 1), physicalPath: path,
    descriptor: try HIDReportDescriptor(parsing: [
      0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95,
      0x08,
      0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0x91, 0x02, 0x09, 0x01, 0xb1, 0x02, 0xc0,
    ]))
}

/// Returns a new physical path with a random device ID.
func anyPath() -> HIDPhysicalPath {
  HIDPhysicalPath(
    deviceID: HIDDeviceID(rawValue: 1 << 63 | UInt64.random(in: 1..<1 << 50) << 8), interface: 0)
}

/// A handler that answers every request at once, and keeps the events it receives.
final class Echo: HIDDeviceHandler {
  private let seen = Mutex<[HIDHostEvent]>([])
  var events: [HIDHostEvent] { seen.withLock { $0 } }

  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for record in events {
      seen.withLock { $0.append(record.event) }
      switch record.event {
      case .getReport(let id, _, _): port.answerGet(id, [UInt8](repeating: 7, count: 66))
      case .setReport(let id, _, _, _): port.answerSet(id, accepted: true)
      default: break
      }
    }
  }
}

/// Waits on a thread of its own until data can be read, because tests share few threads.
///
/// - Returns: True if there is data or the connection has ended; false if neither came within 20 s.
private func isReadable(_ descriptor: FileDescriptor) async -> Bool {
  await withCheckedContinuation { continuation in
    Thread.run(name: "test-poll") {
      var wait = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      continuation.resume(returning: poll(&wait, 1, 20_000) > 0)
    }
  }
}

/// The other end of a socket, through which a test sends any bytes.
final class Peer: Sendable {
  let socket: SocketDescriptor

  init(_ socket: consuming SocketDescriptor) { self.socket = socket }

  /// Connects to a device, without opening it.
  init(to device: HIDDeviceRecord, in folder: Folder) throws {
    socket = try SocketDescriptor.connected(
      to: DeviceEntry.socketName(of: device.id, on: .loopback), in: folder.directory)
  }

  /// Sends a datagram.
  ///
  /// - Returns: True if the socket took the datagram.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    do {
      try socket.send(bytes.span)
      return true
    } catch { return false }
  }

  /// Closes the socket with data unread; afterwards its descriptor is one of `/dev/null`.
  func vanish() {
    let null = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(null, socket.descriptor.rawValue)
    Glibc.close(null)
  }

  /// Waits for a datagram; returns `nil` at the end of the connection, or if none came within 20 s.
  func receive() async -> [UInt8]? {
    guard await isReadable(socket.descriptor) else { return nil }
    return receiveNow()
  }

  /// Returns a datagram that has come; `nil` if none has, or at the end of the connection.
  func receiveNow() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 70_000)
    let count = try? buffer.withUnsafeMutableBytesTyped { bytes throws(Errno) in
      try socket.receive(into: bytes)
    }
    guard let count, count > 0 else { return nil }
    return Array(buffer[..<count])
  }

  /// Opens the device, and waits for its answer.
  ///
  /// - Returns: True if the device acknowledged the open message.
  func open() async -> Bool {
    guard send(LoopbackMessage.open.encoded) else { return false }
    return await receive() == LoopbackMessage.answer(token: 0, []).encoded
  }
}

/// A device that consists only of its two files; the test sends what its socket sends.
final class FakeDevice: Sendable {
  let record: HIDDeviceRecord
  private let owned: DeviceEntry.Owned

  init(in folder: Folder) throws {
    let what = try plain()
    owned = try DeviceEntry.publish(what, on: .loopback, in: folder.directory)
    guard let record = DeviceIdentityFile.decode(DeviceIdentityFile.encode(what)) else {
      throw Errno.invalidArgument
    }
    self.record = record
  }

  /// Waits for the next client, 20 s at most.
  func accept() async throws -> Peer {
    guard await isReadable(owned.listener.descriptor) else { throw Errno.timedOut }
    return Peer(try owned.listener.accept())
  }
}

/// Opens a fake device as a client, and answers the open message in place of the device.
func open(
  _ device: FakeDevice, in folder: Folder
) async throws -> (port: any HIDClientPort, peer: Peer) {
  let record = device.record
  let bus = folder.bus
  async let port = bus.open(record)
  let peer = try await device.accept()
  _ = await peer.receive()
  peer.send(LoopbackMessage.answer(token: 0, []).encoded)
  return (try await port, peer)
}

/// Returns the kind of the error that `body` throws; `nil` if it throws none.
func failure(of body: () async throws -> Void) async -> HIDBusError.Kind? {
  do {
    try await body()
    return nil
  } catch { return (error as? HIDBusError)?.kind ?? .other }
}

func withDevice(
  _ body: (Folder, any HIDDevicePort, HIDDeviceRecord, Echo) async throws -> Void
) async throws {
  let folder = try Folder()
  let echo = Echo()
  let port = try await folder.bus.plug(plain(), handler: echo)
  try await body(folder, port, port.ready(within: .seconds(1)), echo)
  await port.destroy()
}
