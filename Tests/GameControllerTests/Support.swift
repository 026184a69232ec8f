// SPDX-License-Identifier: Apache-2.0

import GameController
import HIDTesting
import Synchronization
import Testing

/// The tests of GameController with devices, which run one at a time: each kernel has one list of
/// keyboards.
@Suite("GameController", .serialized, .timeLimit(.minutes(2)))
struct OnBothBuses {
  /// The available buses, or only the one that `HIDSIM_TEST_BUS` names.
  static let buses: [HIDTestBus] = {
    let asked = ProcessInfo.processInfo.environment["HIDSIM_TEST_BUS"]
    if let bus = asked.flatMap(HIDTestBus.init(rawValue:)) { return [bus] }
    return HIDTestBus.available
  }()
}

/// Waits until `isSo` returns true, by polling; the time limit of the test ends the wait otherwise.
func eventually(
  isolation: isolated (any Actor)? = #isolation, _ isSo: () async throws -> Bool
) async throws {
  while try await !isSo() { try await Task.sleep(for: .milliseconds(2)) }
}

/// The calls of handlers and observers, one line each, in order.
final class Journal: Sendable {
  private let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
  var count: Int { lines.withLock { $0.count } }

  /// Waits until there are at least `count` lines, and returns all lines.
  func wait(for count: Int) async throws -> [String] {
    try await eventually { self.count >= count }
    return all
  }
}

/// The notifications of GameController about the devices of one test.
final class Notices: Sendable {
  let journal = Journal()
  private nonisolated(unsafe) let observers: [any NSObjectProtocol]

  /// Observes notifications.
  ///
  /// - Parameter isMeant: True if the object of a notification belongs to the test.
  init(
    _ names: [NSNotification.Name], isMeant: @escaping @Sendable (Any?) -> Bool = { _ in true }
  ) {
    let journal = journal
    observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notice in
        guard isMeant(notice.object) else { return }
        let thread = DispatchQueue.isMain ? "" : " on another queue"
        journal.note(
          notice.name.rawValue.replacingOccurrences(of: "Notification", with: "") + thread)
      }
    }
  }

  deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
}

extension DispatchQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    main.setSpecific(key: key, value: true)
    return key
  }()

  /// True if the caller is on the main queue.
  ///
  /// In a program with an asynchronous `main`, the main queue does not always run on the first
  /// thread.
  static var isMain: Bool { getSpecific(key: key) == true }

  /// Waits until all work that was put on the queue before is done.
  func drained() async {
    await withCheckedContinuation { continuation in async { continuation.resume() } }
  }
}
