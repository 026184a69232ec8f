// SPDX-License-Identifier: Apache-2.0

package import HIDBus
import IOLoop

/// A server for the clients of a stick (a simulated InputStick), one client at a time.
package struct StickServer: Sendable {
  private let stick: SimulatedStick
  private let listener: StickListener
  /// The address at which clients connect.
  package var endpoint: StickEndpoint { listener.endpoint }

  /// The bytes for a client that is refused because another client is connected.
  ///
  /// They contain no 0x55, so that a client of the protocol skips them as noise before a packet.
  private static let refusal = Array("hidsim: another client is connected to this stick\n".utf8)

  /// Starts to listen for the clients of a stick.
  ///
  /// - Throws: `unavailable`, with the reason.
  package init(_ stick: SimulatedStick, at endpoint: StickEndpoint) throws(HIDBusError) {
    self.stick = stick
    listener = try StickListener.open(endpoint)
  }

  /// Stops listening for clients; ``run()`` then disconnects the client and returns.
  package func close() { listener.close() }

  /// Serves clients until the task is cancelled or ``close()`` is called, and then disconnects the
  /// client.
  package func run() async {
    await withTaskExecutorPreference(StickChannel.loop.taskExecutor) { await serve() }
  }

  private func serve() async {
    await withTaskCancellationHandler {
      var current: (channel: StickChannel, serving: Task<Void, Never>)?
      for await channel in listener.connections {
        // A client that has disconnected does not count, even if its last bytes are not answered
        // yet: a client can disconnect and connect again at once.
        if let current, current.channel.hasPeerLeft { await current.serving.value }
        let client = SimulatedStick.Client(
          send: { channel.send($0) }, close: { channel.close() })
        guard let session = await stick.connect(client) else {
          channel.send(Self.refusal)
          channel.close()
          continue
        }
        let (ended, end) = AsyncStream<Never>.makeStream()
        channel.receive { [stick] event in
          switch event {
          case .bytes(let bytes):
            stick.receive(bytes, in: session) { channel.takeMore() }
          case .end(let reason):
            Task {
              await stick.disconnect(session, because: reason)
              end.finish()
            }
          }
        }
        current = (channel, Task { for await _ in ended {} })
      }
      await stick.disconnect(because: "the stick ended")
      await current?.serving.value
    } onCancel: {
      listener.close()
    }
  }
}
