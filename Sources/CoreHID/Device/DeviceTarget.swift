// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus
import IOLoop
import Synchronization

/// The device of a reference: one on a bus, or one of this process that is not plugged yet.
final class DeviceTarget: Sendable {
  private enum State {
    case awaited([@Sendable (Result<HIDDeviceRecord, HIDBusError>) -> Void])
    case known(Result<HIDDeviceRecord, HIDBusError>)
  }

  let id: HIDDeviceID
  /// The identity of the device, as the device gives it.
  let identity: HIDDeviceIdentity
  /// The device's report descriptor: raw bytes, which may be invalid.
  let descriptorBytes: [UInt8]
  /// The buses on which the device is searched.
  let catalog: HIDDeviceCatalog
  private let state: Mutex<State>
  /// The number of clients with this target that are opening the device.
  private let openingCount = ConditionMutex(0)

  /// Makes the target of a device that is plugged.
  init(_ record: HIDDeviceRecord, on catalog: HIDDeviceCatalog) {
    id = record.id
    identity = record.identity
    descriptorBytes = record.descriptorBytes
    self.catalog = catalog
    state = Mutex(.known(.success(record)))
  }

  /// Makes the target of a device that will be plugged.
  init(
    _ id: HIDDeviceID, _ identity: HIDDeviceIdentity, _ descriptor: [UInt8],
    on catalog: HIDDeviceCatalog
  ) {
    self.id = id
    self.identity = identity
    descriptorBytes = descriptor
    self.catalog = catalog
    state = Mutex(.awaited([]))
  }

  /// Waits until the device is plugged, and returns it.
  ///
  /// - Throws: The ``failure``.
  func record() async throws(HIDBusError) -> HIDDeviceRecord {
    let result = Promise<Result<HIDDeviceRecord, HIDBusError>>()
    whenThere { result.fulfill($0) }
    return try await result.get().get()
  }

  /// Calls a body with the device, or the reason why there is none, as soon as either is known.
  func whenThere(_ body: @escaping @Sendable (Result<HIDDeviceRecord, HIDBusError>) -> Void) {
    let known = state.withLock { state -> Result<HIDDeviceRecord, HIDBusError>? in
      switch state {
      case .known(let result): return result
      case .awaited(let waiters):
        state = .awaited(waiters + [body])
        return nil
      }
    }
    if let known { body(known) }
  }

  /// The device, once it is plugged.
  ///
  /// For the target of a ``HIDVirtualDevice`` it is `nil` before the device is plugged, if plugging
  /// failed, and after the device was released. Any other device is known even after it is gone.
  var knownRecord: HIDDeviceRecord? {
    state.withLock { state in
      if case .known(.success(let record)) = state { record } else { nil }
    }
  }

  /// The reason why the ``HIDVirtualDevice`` of this target could not be plugged, or the error that
  /// it was released; otherwise `nil`.
  var failure: HIDBusError? {
    state.withLock { state in
      if case .known(.failure(let error)) = state { error } else { nil }
    }
  }

  /// The reason why no client of the device can be made; `nil` if none is known without opening it.
  var obstacle: HIDBusError? {
    if let failure { return failure }
    do throws(HIDReportDescriptorError) {
      _ = try HIDReportDescriptor(parsing: descriptorBytes)
    } catch {
      let name = knownRecord?.address ?? "the device"
      return HIDBusError.invalidDescriptor(of: name, error)
    }
    return knownRecord.flatMap { catalog.obstacle(toOpening: $0) }
  }

  /// Records that the device is plugged, or the reason why it is not.
  ///
  /// A failure is final: later calls have no effect.
  func settle(_ result: Result<HIDDeviceRecord, HIDBusError>) {
    let before = state.withLock { state in
      let before = state
      if case .known(.failure) = state { return before }
      state = .known(result)
      return before
    }
    guard case .awaited(let waiters) = before else { return }
    for waiter in waiters { waiter(result) }
  }

  // MARK: Clients that are opening the device

  /// Counts a client that is opening the device.
  func beginOpening() { openingCount.withLock { $0 += 1 } }

  /// Records that one client has finished opening, successfully or not.
  func endOpening() { openingCount.withLock { $0 -= 1 } }

  /// Waits until no client with this target is opening the device.
  func waitForOpenings() async { await openingCount.wait { $0 == 0 } }
}
