// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HIDBus
import InputStick
import IOLoop
import Synchronization

/// The clock and the sticks of this machine: the sticks that hidsim simulates for the current user,
/// and those at a given address.
final class LocalStickEnvironment: StickEnvironment {
  /// The time between two searches for sticks, in milliseconds.
  private static let scanInterval = 1000

  /// The key whose value marks the main queue.
  ///
  /// On Linux, a program with an asynchronous `main` runs the main queue on threads other than the
  /// main thread.
  private static let mainQueueMark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  /// True if the caller runs on the main queue, or on the main thread.
  static var isOnMainQueue: Bool {
    DispatchQueue.getSpecific(key: mainQueueMark) == true || Foundation.Thread.isMainThread
  }

  private let scan = Mutex(0)

  var unixTime: Int { Int(Date().timeIntervalSince1970) }

  func schedule(
    afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let call = Call(body)
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(delay)) { call.run() }
    return { call.cancel() }
  }

  /// A call that can be cancelled before it is made.
  private final class Call: Sendable {
    private let body: Mutex<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

    func run() { body.withLock { $0.take() }?() }
    func cancel() { body.withLock { $0 = nil } }
  }

  func randomBytes(_ count: Int) -> [UInt8] { .random(count: count) }

  // MARK: Sticks

  func startScan(_ found: @escaping @Sendable (StickAdvertisement) -> Void) {
    let run = scan.withLock { run in
      run += 1
      return run
    }
    look(run, found)
  }

  func stopScan() { scan.withLock { $0 += 1 } }

  private func look(_ run: Int, _ found: @escaping @Sendable (StickAdvertisement) -> Void) {
    Thread.startWhenPossible(name: "hidsim-scan") { error in
      // If no thread can be started, this search finds nothing.
      let sticks = error == nil ? Self.sticks() : []
      DispatchQueue.main.async {
        guard self.scan.withLock({ $0 == run }) else { return }
        for stick in sticks { found(stick) }
        _ = self.schedule(afterMilliseconds: Self.scanInterval) {
          guard self.scan.withLock({ $0 == run }) else { return }
          self.look(run, found)
        }
      }
    }
  }

  private static func sticks() -> [StickAdvertisement] {
    guard let directory = try? BusDirectory.shared(),
      let sticks = try? StickListing.all(in: directory)
    else { return [] }
    return sticks.map { StickAdvertisement(identifier: $0.place, name: $0.name, rssi: -50) }
  }

  func canConnect(to identifier: String) -> Bool { (try? StickEndpoint(identifier)) != nil }

  func connect(
    to identifier: String, _ event: @escaping @Sendable (StickLinkEvent) -> Void
  ) -> any StickTransport {
    LocalStickTransport(to: identifier, event)
  }
}

/// A link to a stick over a socket or a terminal.
private final class LocalStickTransport: StickTransport {
  private struct State {
    var channel: StickChannel?
    var isClosed = false
  }

  private let state = Mutex(State())

  init(to identifier: String, _ event: @escaping @Sendable (StickLinkEvent) -> Void) {
    let tell: @Sendable (StickLinkEvent) -> Void = { [weak self] what in
      DispatchQueue.main.async {
        guard let self, !self.state.withLock({ $0.isClosed }) else { return }
        event(what)
        // Read the next chunk only after this one was handled, so that a stick that floods its
        // client has to wait.
        if case .received = what { self.state.withLock { $0.channel }?.takeMore() }
      }
    }
    Task { [weak self] in
      guard let place = try? StickEndpoint(identifier),
        let channel = try? await StickChannel.connected(to: place)
      else { return tell(.closed) }
      let isWanted = self?.state.withLock { state in
        guard !state.isClosed else { return false }
        state.channel = channel
        return true
      }
      guard isWanted == true else { return channel.close() }
      tell(.connected)
      tell(.ready(pieceByteCount: .max))
      for await chunk in channel.chunks {
        tell(.received(chunk))
      }
      tell(.closed)
    }
  }

  func write(_ bytes: [UInt8]) { state.withLock { $0.channel }?.send(bytes) }

  func close() {
    let channel = state.withLock { state in
      state.isClosed = true
      return state.channel.take()
    }
    channel?.close()
  }
}
