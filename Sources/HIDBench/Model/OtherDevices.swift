// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop

/// The devices of the host that the bench does not simulate, with the changes of all lists of
/// devices.
final class OtherDevices: Sendable {
  /// The number of changes that are kept for pages that connect again.
  private static let capacity = 1024

  private struct State: Sendable {
    var devices: [HIDDeviceID: HIDDeviceRecord] = [:]
    /// The lines of the latest changes.
    var changes: [JSONLine] = []
    /// The number of the first kept change.
    var first = 0
    var problem: String?

    var end: Int { first + changes.count }
  }

  private let state = ConditionMutex(State())
  private let isOwn: @Sendable (HIDDeviceRecord) -> Bool

  /// Makes an empty list.
  ///
  /// - Parameter isOwn: Returns whether a device is one that the bench simulates.
  init(isOwn: @escaping @Sendable (HIDDeviceRecord) -> Bool) { self.isOwn = isOwn }

  /// Follows the devices of a catalog until the task is cancelled, or until the devices cannot be
  /// found: then ``all`` has the reason.
  func follow(_ catalog: HIDDeviceCatalog) async {
    do {
      for try await arrival in catalog.arrivals() {
        switch arrival {
        case .added(let record) where !isOwn(record):
          change { state in
            state.devices[record.id] = record
            return JSONLine { line in
              line.add("event", "arrived")
              EventJSON.addRecord(record, to: &line)
            }
          }
        case .removed(let record):
          change { state in
            guard let record = state.devices.removeValue(forKey: record.id) else { return nil }
            return JSONLine { line in
              line.add("event", "removed")
              EventJSON.addRecord(record, to: &line)
            }
          }
        case .added, .settled: break
        }
      }
    } catch {
      let message = (error as? HIDBusError)?.message ?? "\(error)"
      change { state in
        state.problem = message
        return JSONLine { line in
          line.add("event", "devicesUnknown")
          line.add("message", .string(message))
        }
      }
    }
  }

  /// Adds a change for pages: the list of simulated devices has changed.
  func noteSimulatedDevices() {
    change { _ in JSONLine { $0.add("event", "devices") } }
  }

  private func change(_ body: (inout State) -> JSONLine?) {
    state.withLock { state in
      guard let line = body(&state) else { return }
      state.changes.append(line)
      if state.changes.count > Self.capacity {
        state.changes.removeFirst()
        state.first += 1
      }
    }
  }

  /// The number of the next change.
  var endIndex: Int { state.withLock { $0.end } }

  /// The devices, sorted by name; and the reason why the list is not known, or nil.
  var all: (devices: [HIDDeviceRecord], problem: String?) {
    let (devices, problem) = state.withLock { (Array($0.devices.values), $0.problem) }
    // A device that is being plugged arrives before the bench knows its record.
    let others = devices.filter { !isOwn($0) }.sorted {
      ($0.identity.name, $0.id) < ($1.identity.name, $1.id)
    }
    return (others, problem)
  }

  /// Returns a device; nil if it is not there, or if the bench simulates it.
  func device(_ id: HIDDeviceID) -> HIDDeviceRecord? {
    state.withLock { $0.devices[id] }.flatMap { isOwn($0) ? nil : $0 }
  }

  /// Returns the changes from a number on; nil if some of them are no longer kept, or if the number
  /// is above ``endIndex``.
  func changes(from index: Int) -> [JSONLine]? {
    state.withLock { state in
      guard (state.first...state.end).contains(index) else { return nil }
      return Array(state.changes[(index - state.first)...])
    }
  }

  /// Waits until there is a change with a number, or the task is cancelled.
  func wait(for index: Int) async {
    await state.waitUnlessCancelled { $0.end > index }
  }
}
