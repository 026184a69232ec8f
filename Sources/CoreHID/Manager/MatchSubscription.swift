// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDBus
import IOLoop

/// One stream of a manager's notifications, which wait until the consumer asks for them.
///
/// The search for devices runs until the consumer releases the stream.
final class MatchSubscription: Sendable {
  private struct State {
    var backlog = MatchBacklog()
    /// The way in which the search ended: without an error, or with an error that is thrown once.
    var end: Result<Void, any Error>?
    var search: Task<Void, Never>?
  }

  private let state = ConditionMutex(State())
  /// Held by the one task that waits for the next notification.
  private let turn = AsyncLock()

  /// Starts to search devices that meet at least one of the criteria.
  ///
  /// - Parameters:
  ///   - criteria: The criteria; an empty list stands for every device.
  ///   - catalog: The catalog to search, or the error if there is none.
  init(
    _ criteria: [HIDDeviceManager.DeviceMatchingCriteria],
    on catalog: Result<HIDDeviceCatalog, HIDBusError>
  ) {
    let search = Task { [weak self] in
      do {
        let catalog = try catalog.get()
        for try await arrival in catalog.arrivals() {
          guard let self else { return }
          switch arrival {
          case .added(let record):
            let target = DeviceTarget(record, on: catalog)
            guard target.meets(criteria) else { continue }
            state.withLock { $0.backlog.append(HIDDeviceClient.DeviceReference(target), record.id) }
          case .removed(let record): state.withLock { $0.backlog.remove(record.id) }
          case .settled: break
          }
        }
        self?.end(.success(()))
      } catch {
        self?.end(.failure((error as? HIDBusError).map(HIDDeviceError.init) ?? error))
      }
    }
    state.withLock { $0.search = search }
  }

  deinit { state.withLock { $0.search }?.cancel() }

  private func end(_ end: Result<Void, any Error>) { state.withLock { $0.end = end } }

  /// Waits for the next notification, and returns it; `nil` at the end, and if the task is
  /// cancelled while it waits.
  func next() async throws -> HIDDeviceManager.Notification? {
    guard await turn.enter() else { return nil }
    defer { turn.leave() }
    let next = await state.wait(until: nil) {
      state -> Result<HIDDeviceManager.Notification?, any Error>? in
      if let notification = state.backlog.popFirst() { return .success(notification) }
      defer { if state.end != nil { state.end = .success(()) } }
      return state.end?.map { nil }
    }
    return try next?.get()
  }
}

/// The notifications that the consumer has not read yet.
///
/// A device can go before the consumer has read that it came. While fewer than ``capacity``
/// notifications wait, both notifications of that device are kept. Otherwise neither is kept. So
/// the backlog of a stream without a reader does not grow when devices come and go.
struct MatchBacklog {
  /// The number of waiting notifications at which the notifications of a gone device are no longer
  /// kept.
  static let capacity = 1024

  private var waiting: Deque<HIDDeviceManager.Notification> = []
  /// The matching devices that are not known to be gone.
  private var matched: [HIDDeviceID: HIDDeviceClient.DeviceReference] = [:]

  var isEmpty: Bool { waiting.isEmpty }
  var count: Int { waiting.count }

  mutating func popFirst() -> HIDDeviceManager.Notification? { waiting.popFirst() }

  /// Adds a device that matches.
  mutating func append(_ reference: HIDDeviceClient.DeviceReference, _ id: HIDDeviceID) {
    matched[id] = reference
    waiting.append(.deviceMatched(reference))
  }

  /// Adds the removal of a device that matched; ignores other devices.
  mutating func remove(_ id: HIDDeviceID) {
    guard let reference = matched.removeValue(forKey: id) else { return }
    if waiting.count >= Self.capacity,
      let index = waiting.lastIndex(where: {
        if case .deviceMatched(reference) = $0 { true } else { false }
      })
    {
      waiting.remove(at: index)
    } else {
      waiting.append(.deviceRemoved(reference))
    }
  }
}
