// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import Synchronization
package import SystemPackage

/// An IPv4 address and a port at which a server of USB devices listens: `127.0.0.1:3240`.
package struct USBServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The port that hosts expect.
  package static let defaultPort: UInt16 = 3240
  /// This machine's loopback address, with the port that hosts expect.
  package static let standard = USBServerAddress(host: 0x7F00_0001, port: defaultPort)

  /// The address as a number: 127.0.0.1 is 0x7f000001.
  package let host: UInt32
  /// The port; 0 for any free port.
  package let port: UInt16

  package init(host: UInt32, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `ADDRESS:PORT`, or an address alone; nil for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var address = in_addr()
    guard inet_pton(AF_INET, String(parts[0]), &address) == 1 else { return nil }
    host = UInt32(bigEndian: address.s_addr)
    guard parts.count == 2 else {
      port = Self.defaultPort
      return
    }
    guard let number = UInt16(parts[1]) else { return nil }
    port = number
  }

  /// True for an address that only this machine reaches: 127.0.0.0/8.
  package var isLoopback: Bool { host >> 24 == 127 }

  package var description: String {
    let bytes = [24, 16, 8, 0].map { String(host >> UInt32($0) & 0xFF) }
    return "\(bytes.joined(separator: ".")):\(port)"
  }
}

/// An event of a server that its user reads as one line: of a host, or of a fault.
package enum USBServerNote: Hashable, Sendable, CustomStringConvertible {
  /// A host has imported a device. The host is an address with its port.
  case imported(device: String, host: String)
  /// The server has refused the request of a host.
  case refused(host: String, reason: String)
  /// The server has ended the connection of the host that had a device.
  case ended(device: String, reason: String)

  package var description: String {
    switch self {
    case .imported(let device, let host): "\(host) has imported usbip:\(device)"
    case .refused(let host, let reason): "refused a request of \(host): \(reason)"
    case .ended(let device, let reason):
      "ended the connection of the host of usbip:\(device): \(reason)"
    }
  }
}

/// A server from which hosts list and import USB devices by USB/IP.
///
/// It runs on the loop of the devices. The protocol has no authentication: every program that
/// reaches the address can import a device.
package actor USBServer: LoopActor {
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    USBDevice.loop.asUnownedSerialExecutor()
  }
  nonisolated var loop: IOLoop { USBDevice.loop }

  /// The largest number of connections that have not imported a device; a further one ends the
  /// oldest.
  private static let handshakeLimit = 64
  /// The time in which a host must send its request, and take the reply.
  private static let handshakeTime = Duration.seconds(10)
  /// The shortest time between two notes about faults.
  ///
  /// Hosts that make faults without pause do not fill the log.
  private static let faultInterval = Duration.seconds(1)
  /// The largest number of devices: those of one bus.
  package static let deviceLimit = 127

  /// The address at which hosts connect, with the port that was chosen.
  package nonisolated let address: USBServerAddress
  private nonisolated let listener: Listener
  private var watch: IOLoop.WatchID?
  /// Called on the loop.
  private let note: @Sendable (USBServerNote) -> Void
  /// The time of the last note about a fault; nil before the first.
  private var lastFault: MonotonicTime?
  private var exports: [Export] = []
  private var lastNumber: UInt32 = 0
  private var handshakes: [Int: Handshake] = [:]
  private var lastKey = 0
  private var isResting = false

  private struct Export {
    let name: String
    let number: UInt32
    let device: USBDevice
  }

  private final class Listener: Sendable {
    let socket: SocketDescriptor
    init(_ socket: consuming SocketDescriptor) { self.socket = socket }
  }

  /// A connection whose host has not imported a device.
  private final class Handshake {
    var socket: SocketDescriptor?
    var watch: IOLoop.WatchID?
    var timer: DeadlineID?
    var received: [UInt8] = []
    /// The rest of a reply, after which the connection ends.
    var outgoing: [UInt8] = []

    /// True once the host has closed the connection, or it has failed.
    var isClosed = false
    var descriptor: FileDescriptor? { socket?.descriptor }

    init(_ socket: consuming SocketDescriptor) { self.socket = consume socket }

    /// Reads until a number of bytes has been received; returns false if they are not there yet.
    func fill(to count: Int) -> Bool {
      let missing = count - received.count
      guard missing > 0, !isClosed, socket != nil else { return missing <= 0 }
      withUnsafeTemporaryAllocation(byteCount: missing, alignment: 8) { buffer in
        do throws(Errno) {
          let count = try socket?.readSome(into: buffer) ?? 0
          received += buffer[..<count]
          isClosed = count == 0
        } catch {
          isClosed = error != .wouldBlock
        }
      }
      return received.count >= count
    }

    /// Returns the connection, which the caller must close; nil if it is closed.
    func release() -> FileDescriptor? { socket.take()?.release() }

    /// Sends the rest of the reply, as far as there is room; returns whether all is sent.
    func flush() -> Bool {
      if let count = socket?.writeSome(outgoing) { outgoing.removeFirst(count) }
      return outgoing.isEmpty
    }
  }

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - address: The address; port 0 for any free port.
  ///   - note: Called on the loop of the devices when a host has imported a device, and at most
  ///     once a second when the server has refused a request or ended a connection because of a
  ///     fault of the host.
  /// - Throws: `unavailable` if the server cannot listen at the address, with the reason;
  ///   `limitReached` at a limit of the process.
  package init(
    _ address: USBServerAddress,
    note: @escaping @Sendable (USBServerNote) -> Void = { _ in }
  ) async throws(HIDBusError) {
    self.note = note
    try HIDBusError.check(USBDevice.loop, "listen at \(address)")
    do throws(Errno) {
      let (listener, port) = try Self.listen(address)
      self.listener = listener
      self.address = USBServerAddress(host: address.host, port: port)
    } catch {
      throw Self.failure(address, error)
    }
    do throws(Errno) {
      watch = try USBDevice.loop.watch(listener.socket.descriptor, for: .read) { [weak self] _ in
        self?.assumeOnLoop { $0.accept() }
      }
    } catch {
      throw Self.failure(address, error)
    }
  }

  deinit {
    if let watch { USBDevice.loop.stopWatching(watch, listener.socket.descriptor) }
  }

  private static func listen(_ address: USBServerAddress) throws(Errno) -> (Listener, UInt16) {
    let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let result = socket(AF_INET, flags | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard result >= 0 else { throw Errno(rawValue: errno) }
    let listener = Listener(
      SocketDescriptor(takingOwnershipOf: FileDescriptor(rawValue: result)))
    set(result, SOL_SOCKET, SO_REUSEADDR, 1)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = address.port.bigEndian
    name.sin_addr.s_addr = address.host.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(result, $0, length) == 0 && Glibc.listen(result, 4_096) == 0
          && getsockname(result, $0, &length) == 0
      }
    }
    guard isListening else { throw Errno(rawValue: errno) }
    return (listener, UInt16(bigEndian: name.sin_port))
  }

  private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func failure(_ address: USBServerAddress, _ error: Errno) -> HIDBusError {
    let advice: String =
      switch error {
      case .addressInUse: "another program listens there; name another port, or 0 for a free one"
      case .permissionDenied: "ports below 1024 need root; name a higher one"
      case .addressNotAvailable: "this machine does not have that address"
      default: "\(error)"
      }
    let kind: HIDBusError.Kind = HIDBusError.limits.contains(error) ? .limitReached : .unavailable
    return HIDBusError(
      kind, "cannot listen at \(address): \(advice)", errorNumber: error.rawValue)
  }

  // MARK: Devices

  /// Exports a device under a new name.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - sink: The recorder of the transfers; nil to record nothing.
  /// - Returns: The name, `1-1` for the first device of the server.
  /// - Throws: `limitReached` if the server has ``deviceLimit`` devices.
  func export(
    _ device: USBDevice, recordingTo sink: (any USBTransferSink)? = nil
  ) throws(HIDBusError) -> String {
    guard exports.count < Self.deviceLimit else {
      throw HIDBusError(
        .limitReached,
        """
        a server of USB devices has at most \(Self.deviceLimit) devices: unplug one, or serve the rest at another port
        """)
    }
    lastNumber += 1
    let name = "1-\(lastNumber)"
    exports.append(Export(name: name, number: lastNumber, device: device))
    // A capture has 7 bits for the number of a device.
    let number = UInt8(1 + (lastNumber - 1) % 127)
    device.assumeOnLoop { device in
      if let sink {
        device.record(
          with: USBTransferTap(of: device.description, bus: 1, device: number, to: sink))
      }
      device.export()
    }
    return name
  }

  /// Gives a device to a host that is connected by a socket of another kind, as after an import.
  ///
  /// - Parameters:
  ///   - name: The name of the device. If there is none, or a host has it, the socket is closed.
  ///   - socket: The device's end of the connection, not blocking; the device closes it.
  package func give(_ name: String, to socket: FileDescriptor) {
    guard let device = available.first(where: { $0.name == name })?.device else {
      _ = Glibc.close(socket.rawValue)
      return
    }
    device.assumeOnLoop { $0.take(SocketDescriptor(takingOwnershipOf: socket)) }
  }

  /// Removes a device from those that hosts can import; does nothing if there is none of the name.
  func withdraw(_ name: String) { exports.removeAll { $0.name == name } }

  /// Returns the devices that are exported now, and that no host has.
  private var available: [Export] {
    exports.filter { !$0.device.assumeOnLoop { $0.isConnected } }
  }

  // MARK: Connections

  private func accept() {
    // Hosts that connect without pause do not keep the loop from the devices.
    for _ in 0..<Self.handshakeLimit {
      let socket: SocketDescriptor
      do throws(Errno) {
        socket = try listener.socket.accept()
      } catch {
        switch error {
        case .connectionAbort: continue
        case .wouldBlock: return
        default: return rest()
        }
      }
      begin(socket)
    }
  }

  /// Accepts no connections for 100 ms, after a failure such as a lack of descriptors.
  private func rest() {
    guard let watch, !isResting else { return }
    isResting = true
    USBDevice.loop.changeWatch(watch, listener.socket.descriptor, for: [])
    USBDevice.loop.schedule(at: .now.advanced(by: .milliseconds(100))) { [weak self] in
      self?.assumeOnLoop { server in
        server.isResting = false
        guard let watch = server.watch else { return }
        USBDevice.loop.changeWatch(watch, server.listener.socket.descriptor, for: .read)
      }
    }
  }

  private func begin(_ socket: consuming SocketDescriptor) {
    let descriptor = socket.descriptor
    // The kernel ends the connection of a host that has not answered for 11 s, so that the device
    // is free again.
    Self.set(descriptor.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    Self.set(descriptor.rawValue, SOL_SOCKET, SO_KEEPALIVE, 1)
    Self.set(descriptor.rawValue, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 5)
    Self.set(descriptor.rawValue, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 2)
    Self.set(descriptor.rawValue, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    Self.set(descriptor.rawValue, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 11_000)
    if handshakes.count >= Self.handshakeLimit, let oldest = handshakes.keys.min() { end(oldest) }
    lastKey += 1
    let key = lastKey
    let handshake = Handshake(socket)
    handshakes[key] = handshake
    do throws(Errno) {
      handshake.watch = try USBDevice.loop.watch(descriptor, for: .read) { [weak self] _ in
        self?.assumeOnLoop { $0.goOn(key) }
      }
    } catch {
      return end(key)
    }
    handshake.timer = USBDevice.loop.schedule(at: .now.advanced(by: Self.handshakeTime)) {
      [weak self] in self?.assumeOnLoop { $0.end(key) }
    }
  }

  /// Ends a handshake; its connection is closed unless a device has it.
  private func end(_ key: Int) {
    guard let handshake = handshakes.removeValue(forKey: key) else { return }
    stop(handshake)
    handshake.socket = nil
  }

  private func stop(_ handshake: Handshake) {
    if let watch = handshake.watch, let descriptor = handshake.descriptor {
      USBDevice.loop.stopWatching(watch, descriptor)
    }
    if let timer = handshake.timer { USBDevice.loop.cancel(timer) }
    handshake.watch = nil
    handshake.timer = nil
  }

  /// Reads what a host has sent, or sends more of a reply.
  private func goOn(_ key: Int) {
    guard let handshake = handshakes[key] else { return }
    do throws(USBIPError) {
      if handshake.outgoing.isEmpty {
        try read(handshake, key)
      } else {
        send(handshake, key)
      }
    } catch {
      noteRefusal(of: handshake, error.description)
      end(key)
    }
  }

  private func noteRefusal(of handshake: Handshake, _ reason: String) {
    guard let descriptor = handshake.descriptor else { return }
    noteFault(.refused(host: Self.peer(of: descriptor), reason: reason))
  }

  /// Passes a note about a fault on, unless there was one just before.
  private func noteFault(_ fault: USBServerNote) {
    let now = MonotonicTime.now
    if let lastFault, now.duration(since: lastFault) < Self.faultInterval { return }
    lastFault = now
    note(fault)
  }

  /// Notes that a device has ended the connection of its host, since the host's message is not
  /// valid.
  func noteEnd(of device: String, _ error: USBIPError) {
    noteFault(.ended(device: device, reason: error.description))
  }

  private func read(_ handshake: Handshake, _ key: Int) throws(USBIPError) {
    // No more is read than the request has: the messages about transfers follow.
    guard handshake.fill(to: USBIPExport.requestByteCount) else {
      return endIfClosed(handshake, key)
    }
    switch try USBIPExport.request(Array(handshake.received.prefix(8))) {
    case .list:
      let devices = available.map {
        USBIPExport.Device(name: $0.name, number: $0.number, $0.device.description)
      }
      handshake.outgoing = USBIPExport.list(devices)
      send(handshake, key)
    case .importDevice:
      let length = USBIPExport.requestByteCount + USBIPExport.nameByteCount
      guard handshake.fill(to: length) else { return endIfClosed(handshake, key) }
      give(USBIPExport.name(Array(handshake.received.dropFirst(8))), to: handshake, key)
    }
  }

  private func endIfClosed(_ handshake: Handshake, _ key: Int) {
    if handshake.isClosed { end(key) }
  }

  /// Gives a device to the host of a handshake, or refuses it.
  private func give(_ name: String, to handshake: Handshake, _ key: Int) {
    guard let export = exports.first(where: { $0.name == name }) else {
      noteRefusal(of: handshake, "there is no device usbip:\(Self.printable(name))")
      return refuse(.noDevice, handshake, key)
    }
    let device = export.device
    guard !device.assumeOnLoop({ $0.isConnected }) else {
      noteRefusal(of: handshake, "another host has usbip:\(export.name)")
      return refuse(.busy, handshake, key)
    }
    let reply = USBIPExport.accepted(
      .init(name: export.name, number: export.number, device.description))
    // A new connection has room for the whole reply.
    handshake.outgoing = reply
    guard handshake.flush() else { return end(key) }
    stop(handshake)
    handshakes[key] = nil
    guard let socket = handshake.release() else { return }
    let host = Self.peer(of: socket)
    device.assumeOnLoop { $0.take(SocketDescriptor(takingOwnershipOf: socket)) }
    // Without a watch of epoll the connection is closed again.
    if device.assumeOnLoop({ $0.isConnected }) {
      note(.imported(device: export.name, host: host))
    }
  }

  /// Returns a name of a host's request, with a question mark for each character that is not
  /// printed.
  private static func printable(_ name: String) -> String {
    String(name.map { $0.isASCII && !$0.isWhitespace && $0 >= " " && $0 < "\u{7F}" ? $0 : "?" })
  }

  /// Returns the address of the other end of a connection, as text.
  private static func peer(of socket: FileDescriptor) -> String {
    var name = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(socket.rawValue, $0, &length)
      }
    }
    guard result == 0 else { return "an unknown address" }
    return
      "\(USBServerAddress(host: UInt32(bigEndian: name.sin_addr.s_addr), port: UInt16(bigEndian: name.sin_port)))"
  }

  private func refuse(_ refusal: USBIPExport.Refusal, _ handshake: Handshake, _ key: Int) {
    handshake.outgoing = USBIPExport.refused(refusal)
    send(handshake, key)
  }

  /// Sends the rest of a reply, and ends the connection after it.
  private func send(_ handshake: Handshake, _ key: Int) {
    guard let descriptor = handshake.descriptor, let watch = handshake.watch else { return }
    guard handshake.flush() else {
      return USBDevice.loop.changeWatch(watch, descriptor, for: .write)
    }
    end(key)
  }

  /// Accepts no more connections, and ends those that have not imported a device.
  ///
  /// The port is free again when the server is released.
  package func close() {
    if let watch { USBDevice.loop.stopWatching(watch, listener.socket.descriptor) }
    watch = nil
    // Hosts that connect from now on are refused, and do not wait.
    _ = shutdown(listener.socket.descriptor.rawValue, Int32(SHUT_RDWR))
    for key in Array(handshakes.keys) { end(key) }
  }
}
