// SPDX-License-Identifier: Apache-2.0

import HIDBus
package import HIDSimulator
import HIDText
import IOLoop
import Synchronization
import SystemPackage

/// A socket in the bus directory for other programs of the same user or of root, which drive the
/// devices of a run.
///
/// The socket uses the protocol of ``StreamConnection``: a stream of commands in JSON.
package final class DriveServer: Sendable {
  /// The maximum number of programs that are served at a time.
  private static let capacity = 64
  private static let count = Atomic(0)

  private let hub: DeviceHub
  private let readFile: @Sendable (String) throws -> [HIDDeviceDefinition]
  private let entry: RunEntry
  private let state = Mutex(State())

  private struct State: Sendable {
    var clients: [ObjectIdentifier: (socket: StreamSocket, output: StreamOutput)] = [:]
    var tasks: [ObjectIdentifier: Task<Void, Never>] = [:]
    var isClosed = false
  }

  /// Opens a socket in the bus directory, and serves its clients; `nil` if the bus has no
  /// directory.
  ///
  /// - Parameter readFile: Reads the devices of a file; the client gets the error that it throws.
  /// - Throws: The error if the socket, or a thread for it, could not be made.
  package init?(
    _ hub: DeviceHub, readFile: @escaping @Sendable (String) throws -> [HIDDeviceDefinition]
  ) throws {
    guard let directory = hub.bus.sharedFolder else { return nil }
    let number = Self.count.add(1, ordering: .relaxed).newValue
    let entry = try RunEntry(number: number, in: directory)
    self.hub = hub
    self.readFile = readFile
    self.entry = entry
    do throws(Errno) {
      try Thread.start(name: "hidsim-drive") { [self] in
        while let client = self.entry.socket.accept() { serve(client) }
      }
    } catch {
      entry.withdraw()
      throw error
    }
  }

  /// The time that clients have to read the last events that they asked for.
  private static let patience = Duration.seconds(1)

  /// Closes the socket and all connections, and returns when their tasks have ended.
  ///
  /// Clients that have asked for events get all events before the close, if they read within 1 s.
  package func close() async {
    entry.withdraw()
    let (clients, tasks) = state.withLock { state in
      state.isClosed = true
      return (Array(state.clients.values), Array(state.tasks.values))
    }
    for task in tasks { task.cancel() }
    for client in clients {
      if client.output.tellsEvents { client.socket.endReading() } else { client.socket.shutDown() }
    }
    let timer = Timeline.real.schedule(at: .now.advanced(by: Self.patience)) {
      for client in clients { client.socket.shutDown() }
    }
    for task in tasks { await task.value }
    Timeline.real.cancel(timer)
  }

  private func serve(_ client: StreamSocket) {
    let key = ObjectIdentifier(client)
    let output = StreamOutput(
      hub.log, base: hub.base, events: StreamEvents(isOn: false), isFromNow: true)
    let connection = StreamConnection(hub, output: output, file: "stream", readFile: readFile)
    let refusal = state.withLock { state -> String? in
      if state.isClosed { return "this run ends" }
      guard state.clients.count < Self.capacity else {
        return "\(Self.capacity) programs drive this run, which is the limit"
      }
      state.clients[key] = (client, output)
      state.tasks[key] = Task { await serve(client, connection, output) }
      return nil
    }
    if let refusal {
      var line = JSONLine()
      line.add("error", .string(refusal))
      _ = client.write(line.utf8 + [0x0A])
      client.shutDown()
    }
  }

  private func serve(
    _ client: StreamSocket, _ connection: StreamConnection, _ output: StreamOutput
  ) async {
    connection.greet()
    let writing = Task {
      while let bytes = await output.take() {
        // The write runs on a thread of its own, because it blocks while the client does not read.
        // If no thread can be started, the client is disconnected.
        let isThere = try? await Thread.call { client.write(bytes) }
        if isThere != true { client.shutDown() }
      }
    }
    let following = Task { await output.follow() }
    let running = Task { await connection.run(client.chunks) }
    // If the program has disconnected, its commands are cancelled.
    let watching = Task { if await client.hangUp() { running.cancel() } }
    await withTaskCancellationHandler {
      await running.value
    } onCancel: {
      running.cancel()
    }
    watching.cancel()
    following.cancel()
    await following.value
    output.end()
    await writing.value
    client.shutDown()
    await watching.value
    state.withLock { state in
      let key = ObjectIdentifier(client)
      state.clients[key] = nil
      state.tasks[key] = nil
    }
  }
}

extension StreamSocket {
  /// Waits until the program has disconnected or the socket is shut down, or until no thread can be
  /// started.
  ///
  /// - Returns: False if the task was cancelled.
  fileprivate func hangUp() async -> Bool {
    // If no thread can be started, the client is disconnected.
    try? await Thread.call { self.waitForHangUp() }
    return !Task.isCancelled
  }

  /// The bytes that the program sends, in chunks as they arrive, until it disconnects or no thread
  /// can be started.
  fileprivate var chunks: AsyncStream<[UInt8]> {
    let reader = try? BlockingReader(name: "hidsim-drive") { self.read(atMost: 64 * 1024) }
    return AsyncStream(unfolding: { await reader?.next(isCancellable: false) ?? nil })
  }
}
