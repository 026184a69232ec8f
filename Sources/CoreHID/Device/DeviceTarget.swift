// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSystem
import HIDWire
import Synchronization

/// What a reference leads to: a device on one of the buses, or one of this process that is still on its way there.
final class DeviceTarget: Sendable {
  private enum State {
    case awaited([@Sendable (Result<HIDDeviceRecord, HIDWireError>) -> Void])
    case known(Result<HIDDeviceRecord, HIDWireError>)
  }

  let id: HIDDeviceID
  /// Who the device says it is.
  let identity: HIDDeviceIdentity
  /// Its report descriptor: raw, and not yet known to be sound.
  let descriptorBytes: [UInt8]
  /// The buses it is looked for on.
  let hosts: HIDHosts
  private let state: Mutex<State>
  private let openings = Mutex(Openings())

  /// How many clients of this process are opening the device, and who waits until they are done.
  private struct Openings {
    var count = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Makes the target of a device that is there.
  init(_ record: HIDDeviceRecord, on hosts: HIDHosts) {
    id = record.id
    identity = record.identity
    descriptorBytes = record.descriptorBytes
    self.hosts = hosts
    state = Mutex(.known(.success(record)))
  }

  /// Makes the target of a device that will be plugged.
  init(_ id: HIDDeviceID, _ identity: HIDDeviceIdentity, _ descriptor: [UInt8], on hosts: HIDHosts)
  {
    self.id = id
    self.identity = identity
    descriptorBytes = descriptor
    self.hosts = hosts
    state = Mutex(.awaited([]))
  }

  /// The device, once it is there.
  func record() async throws(HIDWireError) -> HIDDeviceRecord {
    try await withCheckedContinuation { continuation in
      whenThere { continuation.resume(returning: $0) }
    }.get()
  }

  /// Calls a body with the device, or why there is none, as soon as that is known.
  func whenThere(_ body: @escaping @Sendable (Result<HIDDeviceRecord, HIDWireError>) -> Void) {
    let known = state.withLock { state -> Result<HIDDeviceRecord, HIDWireError>? in
      switch state {
      case .known(let result): return result
      case .awaited(let waiters):
        state = .awaited(waiters + [body])
        return nil
      }
    }
    if let known { body(known) }
  }

  /// The device, if it is there.
  var knownRecord: HIDDeviceRecord? {
    state.withLock { state in
      if case .known(.success(let record)) = state { record } else { nil }
    }
  }

  /// Why the device does not come, or that it is gone.
  var failure: HIDWireError? {
    state.withLock { state in
      if case .known(.failure(let error)) = state { error } else { nil }
    }
  }

  /// Why there can be no client of the device, as far as can be said without opening it; `nil` where nothing is in the way.
  var obstacle: HIDWireError? {
    if let failure { return failure }
    do throws(HIDReportDescriptorError) {
      _ = try HIDReportDescriptor(parsing: descriptorBytes)
    } catch {
      let name = knownRecord?.address ?? "the device"
      return HIDWireError.invalidDescriptor(of: name, error)
    }
    return knownRecord.flatMap { hosts.obstacle(toOpening: $0) }
  }

  /// Says that the device is there, or why it is not, or no longer; what has failed does not come any more.
  func settle(_ result: Result<HIDDeviceRecord, HIDWireError>) {
    let before = state.withLock { state in
      let before = state
      if case .known(.failure) = state { return before }
      state = .known(result)
      return before
    }
    guard case .awaited(let waiters) = before else { return }
    for waiter in waiters { waiter(result) }
  }

  // MARK: Clients on their way

  /// Counts a client that opens the device.
  func beginOpening() { openings.withLock { $0.count += 1 } }

  /// Notes that one is done.
  func endOpening() {
    let waiters = openings.withLock { openings -> [CheckedContinuation<Void, Never>] in
      openings.count -= 1
      guard openings.count == 0 else { return [] }
      defer { openings.waiters = [] }
      return openings.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits until every client that was opening the device is done.
  func waitForOpenings() async {
    await withCheckedContinuation { continuation in
      let isDone = openings.withLock { openings in
        if openings.count > 0 { openings.waiters.append(continuation) }
        return openings.count == 0
      }
      if isDone { continuation.resume() }
    }
  }
}
