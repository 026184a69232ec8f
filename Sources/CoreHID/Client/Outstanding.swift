// SPDX-License-Identifier: Apache-2.0

import HIDBus
import Synchronization

/// A stream of a client, which is notified when another client seizes the device.
protocol ClientStream: AnyObject, Sendable {
  /// Records that another client has seized the device, or that it has released the device.
  func noteSeized(_ isSeized: Bool)

  /// The number of reports that the stream lost because its reader or the bus was too slow.
  var lost: HIDLossCount { get }
}

/// The open streams and running requests of a client, which cannot seize its device while there
/// are any.
final class Outstanding: Sendable {
  private struct State {
    var requests = 0
    var streams: [ObjectIdentifier: WeakStream] = [:]
  }

  private struct WeakStream {
    weak var stream: (any ClientStream)?
  }

  private let state = Mutex(State())

  var isEmpty: Bool { state.withLock { $0.requests == 0 && $0.streams.isEmpty } }

  func beginRequest() { state.withLock { $0.requests += 1 } }
  func endRequest() { state.withLock { $0.requests -= 1 } }

  func beginStream(_ stream: any ClientStream) {
    state.withLock { $0.streams[ObjectIdentifier(stream)] = WeakStream(stream: stream) }
  }

  func endStream(_ stream: ObjectIdentifier) {
    state.withLock { _ = $0.streams.removeValue(forKey: stream) }
  }

  /// The number of reports that the open streams have lost.
  var lost: HIDLossCount { streams.reduce(0) { $0 + $1.lost } }

  /// The streams that are open.
  var streams: [any ClientStream] {
    state.withLock { $0.streams.values.compactMap(\.stream) }
  }
}
