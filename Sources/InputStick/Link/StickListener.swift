// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import HIDBus
import IOLoop
import Synchronization
import SystemPackage

/// The socket or pseudo-terminal at which the clients of a stick (a simulated InputStick) connect.
///
/// HIDBench uses it for the clients of its HTTP server, too.
package final class StickListener: Sendable {
  private static let loop = IOLoop.housekeeping
  /// The largest number of clients that may wait in the kernel to be accepted, and of those that
  /// wait in ``connections``.
  private static let backlog = 16

  /// The address at which clients connect, with the port or the terminal that was chosen.
  package let endpoint: StickEndpoint
  /// The channels of the clients as they connect, until the listener is closed.
  ///
  /// A client that connects while 16 channels wait here is disconnected; a client of a terminal is
  /// not served before it opens the terminal again. On a socket with a path, a client of another
  /// user is disconnected, too, unless the user is root.
  package let connections: AsyncStream<StickChannel>
  private let continuation: AsyncStream<StickChannel>.Continuation
  private let state: Mutex<State>

  fileprivate struct State: ~Copyable, Sendable {
    /// The socket that becomes readable when a client connects; nil for a terminal, and when the
    /// listener is closed.
    var socket: OwnedDescriptor?
    var watch: IOLoop.WatchID?
    var terminal: Terminal?
    /// The watch for programs that open or close the terminal.
    var openings: FileWatch?
    /// The path of the socket, which ``StickListener/close()`` removes; nil for other
    /// endpoints, and when the listener is closed.
    var path: String?
  }

  /// A pseudo-terminal, whose clients open and close it.
  fileprivate struct Terminal: ~Copyable, Sendable {
    let master: OwnedDescriptor
    /// The terminal's other end, kept open because the loop cannot wait for a terminal that is
    /// closed at that end.
    let other: OwnedDescriptor
    /// The number of times that other programs have the terminal open.
    var openCount = 0
    var channel: StickChannel?
  }

  private init(_ endpoint: StickEndpoint, _ state: consuming State) {
    self.endpoint = endpoint
    (connections, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Self.backlog))
    self.state = Mutex(state)
  }

  /// Makes a listener at a socket.
  private convenience init(
    _ endpoint: StickEndpoint, socket: consuming OwnedDescriptor, path: String? = nil
  ) throws(Errno) {
    let descriptor = socket.descriptor
    self.init(endpoint, State(socket: consume socket, path: path))
    // If this throws, `deinit` removes the file of the socket.
    let watch = try Self.loop.watch(descriptor, for: .read) { [weak self] _ in
      self?.acceptClients()
    }
    state.withLock { $0.watch = watch }
  }

  /// Makes a listener at a terminal.
  private convenience init(_ path: String, _ terminal: consuming Terminal) throws(Errno) {
    self.init(.terminal(path), State(socket: nil, terminal: consume terminal, path: nil))
    let openings = try FileWatch(path, for: [.opened, .closed]) { [weak self] change in
      Self.loop.perform { [weak self] in self?.followTerminal(change) }
    }
    state.withLock { $0.openings = openings }
  }

  deinit { close() }

  /// Starts to listen for clients at an address.
  ///
  /// A socket on which no program listens any more is replaced. The path of a terminal is ignored:
  /// the call makes a new pseudo-terminal.
  ///
  /// - Throws: `unavailable`, with the reason.
  package static func open(_ endpoint: StickEndpoint) throws(HIDBusError) -> StickListener {
    do throws(Errno) {
      switch endpoint {
      case .unix(let path): return try listener(at: path)
      case .tcp(let port): return try listener(on: port)
      case .terminal: return try terminal()
      }
    } catch {
      throw failure(endpoint, error)
    }
  }

  private static func failure(_ endpoint: StickEndpoint, _ error: Errno) -> HIDBusError {
    let advice: String =
      switch (endpoint, error) {
      case (.unix, .fileExists): "there is a file that is no socket; name another path"
      case (.unix, .addressInUse): "another program listens there; name another path"
      case (.unix, .fileNameTooLong): "the path is longer than 107 bytes; name a shorter one"
      case (.tcp, .addressInUse): "another program listens there; name another port, or tcp:0"
      case (.tcp, .permissionDenied): "ports below 1024 need root; name a higher one, or tcp:0"
      default: "\(error)"
      }
    return HIDBusError(
      .unavailable, "cannot listen at \(endpoint): \(advice)", errorNumber: error.rawValue)
  }

  /// Stops listening for clients.
  ///
  /// Accepted clients of a socket stay connected; the client of a pseudo-terminal is disconnected.
  /// The call also removes the file of a socket with a path, and ends ``connections``.
  package func close() {
    let terminal = state.withLock { state -> Terminal? in
      if let watch = state.watch, let socket = state.socket?.descriptor {
        Self.loop.stopWatching(watch, socket)
      }
      state.socket = nil
      if let path = state.path.take() { unlink(path) }
      state.openings = nil
      return state.terminal.take()
    }
    // Both ends of the terminal are closed at the end of this block.
    if let terminal { terminal.channel?.close() }
    continuation.finish()
  }

  // MARK: Sockets

  private static func stream(_ family: Int32) throws(Errno) -> OwnedDescriptor {
    let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    return try OwnedDescriptor(opened: socket(family, Int32(SOCK_STREAM.rawValue) | flags, 0))
  }

  private static func listener(at path: String) throws(Errno) -> StickListener {
    try clearSocket(path)
    let socket = try stream(AF_UNIX)
    let raw = socket.descriptor.rawValue
    // bind gives its file the mode of the socket (unix_bind, Linux 6.12): no other user can
    // connect.
    guard fchmod(raw, 0o600) == 0 else { throw Errno(rawValue: errno) }
    try socket.descriptor.bind(toSocketPath: path)
    guard listen(raw, Int32(backlog)) == 0 else { throw Errno(rawValue: errno) }
    return try StickListener(.unix(path), socket: socket, path: path)
  }

  /// Removes a socket on which no program listens any more.
  private static func clearSocket(_ path: String) throws(Errno) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .fileExists }
    let socket = try stream(AF_UNIX)
    do throws(Errno) {
      try socket.descriptor.connect(toSocketPath: path)
      throw .addressInUse
    } catch {
      guard error == .connectionRefused else { throw .addressInUse }
      unlink(path)
    }
  }

  private static func listener(on port: UInt16) throws(Errno) -> StickListener {
    let socket = try stream(AF_INET)
    let raw = socket.descriptor.rawValue
    var yes: Int32 = 1
    _ = setsockopt(raw, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    try withLoopbackAddress(port) { bind(raw, $0, $1) }
    guard listen(raw, Int32(backlog)) == 0 else { throw Errno(rawValue: errno) }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(raw, $0, &length) }
    }
    guard result == 0 else { throw Errno(rawValue: errno) }
    return try StickListener(.tcp(UInt16(bigEndian: address.sin_port)), socket: socket)
  }

  // MARK: Terminals

  private static func terminal() throws(Errno) -> StickListener {
    var name = [CChar](repeating: 0, count: 128)
    let master = try OwnedDescriptor(opened: clinux_open_terminal(&name, name.count))
    let path = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let other = try OwnedDescriptor(opened: clinux_open(path, O_RDWR | O_NOCTTY | O_CLOEXEC, 0))
    guard clinux_make_raw(other.descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    return try StickListener(path, Terminal(master: master, other: other))
  }

  // MARK: The loop

  private func acceptClients() {
    let channels = state.withLock { state -> [StickChannel] in
      guard let socket = state.socket?.descriptor else { return [] }
      return accept(at: socket)
    }
    for channel in channels { yield(channel) }
  }

  /// Passes a channel on, and closes it if the buffer of ``connections`` is full.
  ///
  /// Its release is not enough: `state` keeps the channel of a terminal as long as the terminal is
  /// open.
  private func yield(_ channel: StickChannel) {
    if case .dropped = continuation.yield(channel) { channel.close() }
  }

  private func accept(at socket: FileDescriptor) -> [StickChannel] {
    var channels: [StickChannel] = []
    while true {
      let result: Int32
      do throws(Errno) {
        result = try retryingOnInterrupt { clinux_accept(socket.rawValue) }
      } catch {
        if error == .connectionAbort { continue }
        return channels
      }
      let client = OwnedDescriptor(takingOwnershipOf: FileDescriptor(rawValue: result))
      if case .unix = endpoint, SocketPeer(of: client.descriptor)?.isTrusted != true { continue }
      if let channel = try? StickChannel(client) { channels.append(channel) }
    }
  }

  private func followTerminal(_ change: FileWatch.Changes) {
    let channel = state.withLock { state -> StickChannel? in
      if change.contains(.opened) { return state.terminal?.noteOpening() }
      if change.contains(.closed) { state.terminal?.noteClosing() }
      return nil
    }
    if let channel { yield(channel) }
  }
}

extension StickListener.Terminal {
  /// Counts a program that has opened the terminal; returns the channel if it is the first one.
  fileprivate mutating func noteOpening() -> StickChannel? {
    openCount += 1
    guard openCount == 1 else { return nil }
    // Discard the bytes that the previous client has not read.
    tcflush(other.descriptor.rawValue, TCIFLUSH)
    guard let copy = try? master.descriptor.duplicate(),
      let channel = try? StickChannel(OwnedDescriptor(takingOwnershipOf: copy))
    else { return nil }
    self.channel = channel
    return channel
  }

  /// Counts a program that has closed the terminal; ends the channel if it was the last one.
  fileprivate mutating func noteClosing() {
    openCount = max(0, openCount - 1)
    guard openCount == 0 else { return }
    channel?.endWhenRead(because: "it closed the terminal")
    channel = nil
  }
}

/// Calls `body` with the address of a port of the loopback interface.
///
/// - Throws: `errno` if `body` does not return 0.
func withLoopbackAddress(
  _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws(Errno) {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  let result = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard result == 0 else { throw Errno(rawValue: errno) }
}
