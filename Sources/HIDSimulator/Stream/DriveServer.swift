// SPDX-License-Identifier: Apache-2.0

import HIDBusDirectory
import HIDSystem
import HIDText
import IOLoop
import Synchronization

/// Where other programs of the same user drive the devices of a run: a socket in the bus directory, which speaks
/// what a stream speaks.
package final class DriveServer: Sendable {
  /// How many programs are served at a time.
  private static let capacity = 64
  private static let count = Atomic(0)

  private let hub: DeviceHub
  private let readFile: @Sendable (String) throws -> [HIDDeviceDefinition]
  private let entry: RunEntry
  private let clients = Mutex<[ObjectIdentifier: StreamSocket]>([:])

  /// Opens the socket; `nil` where there is no folder for it.
  ///
  /// - Parameter readFile: Reads the devices of a file; what it throws is told.
  package init?(
    _ hub: DeviceHub, readFile: @escaping @Sendable (String) throws -> [HIDDeviceDefinition]
  ) {
    guard let directory = hub.bus.meetingPlace else { return nil }
    let number = Self.count.add(1, ordering: .relaxed).newValue
    guard let entry = try? RunEntry(number: number, in: directory) else { return nil }
    self.hub = hub
    self.readFile = readFile
    self.entry = entry
    Thread.run(name: "hidsim-drive") { [self] in
      while let client = self.entry.socket.accept() { serve(client) }
    }
  }

  /// Closes the socket, and ends those who are connected.
  package func close() {
    entry.withdraw()
    for client in clients.withLock({ Array($0.values) }) { client.shutDown() }
  }

  private func serve(_ client: StreamSocket) {
    let key = ObjectIdentifier(client)
    let isServed = clients.withLock { clients in
      guard clients.count < Self.capacity else { return false }
      clients[key] = client
      return true
    }
    guard isServed else { return client.shutDown() }
    let output = StreamOutput(
      hub.log, base: hub.base, events: StreamEvents(isOn: false), isFromNow: true)
    let connection = StreamConnection(hub, output: output, file: "stream", readFile: readFile)
    connection.greet()
    Task {
      let writing = Task {
        while let bytes = await output.take() {
          // On a thread: the other end need not read.
          let isThere = await Blocking.run { client.write(bytes) }
          if !isThere { client.shutDown() }
        }
      }
      let following = Task { await output.follow() }
      await connection.run(client.chunks)
      following.cancel()
      await following.value
      output.end()
      await writing.value
      client.shutDown()
      clients.withLock { $0[key] = nil }
    }
  }
}

extension StreamSocket {
  /// What comes, as it comes, to the end.
  fileprivate var chunks: AsyncStream<[UInt8]> {
    AsyncStream(unfolding: { [self] in await Blocking.run { self.read(atMost: 64 * 1024) } })
  }
}

/// Calls that block, on threads of their own.
enum Blocking {
  static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.run(name: "hidsim-blocking") { continuation.resume(returning: body()) }
    }
  }
}
