// SPDX-License-Identifier: Apache-2.0

import IOLoop
import SystemPackage

/// The device's end of its control socket: sends count requests to hidsim's clients, and limits the
/// device to the number of reports that they can take.
///
/// A count request asks a client how many reports it has read.
///
/// The device uses the server on its loop only.
final class ControlServer {
  /// The time after which clients are asked about new reports even if there are few of them.
  ///
  /// So losses are noticed soon after the device has stopped sending.
  private static let idleTime = Duration.milliseconds(20)

  /// A client's socket, which is closed with the last reference.
  private final class Connection: Sendable {
    let socket: SocketDescriptor
    init(_ socket: consuming SocketDescriptor) { self.socket = socket }
  }

  private let entry: DeviceEntry.Owned
  private let loop: IOLoop
  private var acceptWatch: IOLoop.WatchID?
  private var connections: [Int: (connection: Connection, watch: IOLoop.WatchID)] = [:]
  private var lastKey = 0
  /// True for 100 ms after the server failed to accept a client, as without descriptors.
  private var isResting = false
  private var patienceTimer: DeadlineID?
  private var idleTimer: DeadlineID?
  private(set) var credits = ReportCredits()
  /// The counts of sent reports that clients read; `nil` before the first client, and if they could
  /// not be made.
  private var counts: ReportCounts.Writer?
  /// Called when there may be room again.
  private let whenRoom: @Sendable () -> Void
  /// Runs a closure with the server on the loop, if the server still exists.
  private let enter: @Sendable (@Sendable (ControlServer) -> Void) -> Void

  /// Makes the server of a published device.
  ///
  /// - Parameters:
  ///   - entry: The device's files.
  ///   - loop: The loop of the device.
  ///   - whenRoom: Called on the loop when there may be room for reports again.
  ///   - enter: Calls its argument with this server, on the loop, if the server still exists.
  init(
    _ entry: DeviceEntry.Owned, loop: IOLoop, whenRoom: @escaping @Sendable () -> Void,
    enter: @escaping @Sendable (@Sendable (ControlServer) -> Void) -> Void
  ) {
    self.entry = entry
    self.loop = loop
    self.whenRoom = whenRoom
    self.enter = enter
  }

  deinit {
    if let acceptWatch { loop.stopWatching(acceptWatch, entry.listener.descriptor) }
    for (connection, watch) in connections.values {
      loop.stopWatching(watch, connection.socket.descriptor)
    }
    for timer in [patienceTimer, idleTimer] {
      if let timer { loop.cancel(timer) }
    }
    entry.withdraw()
  }

  /// Starts accepting clients.
  func start() throws(Errno) {
    acceptWatch = try loop.watch(entry.listener.descriptor, for: .read) { [enter] _ in
      enter { $0.accept() }
    }
  }

  // MARK: Clients

  /// Accepts the clients that wait at the socket, unless accepting has failed within the last 100
  /// ms.
  ///
  /// Clients beyond ``ReportCredits/clientLimit`` are disconnected.
  func accept() {
    guard !isResting else { return }
    let canGoOn = entry.listener.acceptClients { socket, _ throws(Errno) in
      let connection = Connection(socket)
      lastKey += 1
      let key = lastKey
      guard let question = credits.add(key) else { return }
      do throws(Errno) {
        let watch = try loop.watch(connection.socket.descriptor, for: .read) { [enter] _ in
          enter { $0.listen(to: key) }
        }
        connections[key] = (connection, watch)
      } catch {
        credits.remove(key)
        throw error
      }
      // Without counts a client cannot compute its losses at the end, and marks its loss count as
      // incomplete.
      if counts == nil {
        counts = try? ReportCounts.Writer()
        counts?.store(sent: credits.sent, dropped: 0)
      }
      tell(question, to: key, counts)
    }
    guard !canGoOn, let acceptWatch else { return }
    isResting = true
    loop.changeWatch(acceptWatch, entry.listener.descriptor, for: [])
    loop.schedule(at: .now.advanced(by: .milliseconds(100))) { [enter] in
      enter { server in
        server.isResting = false
        guard let watch = server.acceptWatch else { return }
        server.loop.changeWatch(watch, server.entry.listener.descriptor, for: .read)
      }
    }
  }

  private func listen(to key: Int) {
    guard let (connection, _) = connections[key] else { return }
    let message: ControlMessage?
    do throws(Errno) {
      let bytes = try connection.socket.receive(atMost: ControlMessage.longest)
      message = ControlMessage(decoding: bytes[...])
    } catch {
      if error == .wouldBlock { return }
      message = nil
    }
    guard let message, credits.take(message, from: key) else { return drop(key) }
    if let question = credits.question(for: key) { tell(question, to: key) }
    waitForIdle()
    whenRoom()
  }

  private func drop(_ key: Int) {
    guard let (connection, watch) = connections.removeValue(forKey: key) else { return }
    loop.stopWatching(watch, connection.socket.descriptor)
    credits.remove(key)
    whenRoom()
  }

  private func tell(_ message: ControlMessage, to key: Int, _ counts: ReportCounts.Writer? = nil) {
    guard let connection = connections[key]?.connection else { return }
    do throws(Errno) {
      if let counts {
        try counts.send(with: message.encoded.span, through: connection.socket)
      } else {
        try connection.socket.send(message.encoded.span)
      }
    } catch {
      // If the client has closed the socket, its last answer may be unread: `listen(to:)` reads it,
      // and then drops the client. After any other error, such as `ETOOMANYREFS`, the client cannot
      // answer, and the device would wait for it for `ReportCredits.patience`. The socket is never
      // full, because a client has one unread count request at most.
      if error != .brokenPipe, error != .connectionReset { drop(key) }
    }
  }

  // MARK: Reports

  /// Counts reports that were sent, and asks the clients about them if a count request is due.
  func noteSent(_ count: Int) {
    credits.noteSent(count)
    counts?.store(sent: credits.sent, dropped: 0)
    guard !credits.isEmpty else { return }
    ask(isIdle: false)
    waitForIdle()
  }

  private func ask(isIdle: Bool) {
    for key in Array(credits.keys) {
      if let question = credits.question(for: key, isIdle: isIdle) { tell(question, to: key) }
    }
  }

  private func waitForIdle() {
    guard idleTimer == nil, credits.hasNews else { return }
    idleTimer = loop.schedule(at: .now.advanced(by: Self.idleTime)) { [enter] in
      enter { server in
        server.idleTimer = nil
        server.ask(isIdle: true)
      }
    }
  }

  /// Starts the timeout for clients that leave no room.
  func beginWaiting() {
    guard let end = credits.beginWaiting(at: .now) else { return }
    losePatience(at: end)
  }

  private func losePatience(at end: MonotonicTime) {
    guard patienceTimer == nil else { return }
    patienceTimer = loop.schedule(at: end) { [enter] in
      enter { server in
        server.patienceTimer = nil
        // The timer may be late: answers that have arrived are read before a client is given up.
        for key in server.credits.overdue(at: .now) { server.listen(to: key) }
        if let next = server.credits.giveUp(at: .now) { server.losePatience(at: next) }
        server.whenRoom()
      }
    }
  }
}
