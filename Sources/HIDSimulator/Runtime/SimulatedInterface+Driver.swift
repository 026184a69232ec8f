// SPDX-License-Identifier: Apache-2.0

import HIDWire
import IOLoop
import Synchronization

/// What becomes of a device whose driver the kernel changes.
extension SimulatedInterface {
  /// How long a device is without a driver before those who wait for the next one are told that there is none.
  static let driverBound = Duration.seconds(5)

  /// Holds input back while the kernel changes the device's driver: it would be lost, or go where the
  /// device is not isolated yet.
  func driverChanges(_ event: HIDHostEvent, _ port: any HIDPeripheralPort) {
    let hasDriver: Bool
    switch event {
    case .start: hasDriver = true
    case .stop: hasDriver = false
    default: return
    }
    let (seen, isReady) = state.withLock { state in
      if !hasDriver, state.isPlugged { state.usability = .changing }
      state.hasDriver = hasDriver
      state.driverChanges += 1
      return (state.driverChanges, state.record != nil)
    }
    // Until the device is ready for the first time, somebody waits for that.
    guard isReady else { return }
    if hasDriver { return followDriver(port, isNew: true) }
    Task { [weak self] in
      _ = try? await Timeline.real.sleep(until: .now.advanced(by: Self.driverBound))
      self?.giveUpDriver(port, ifStillAt: seen)
    }
  }

  func giveUpDriver(_ port: any HIDPeripheralPort, ifStillAt seen: Int) {
    let message = "the kernel's driver has released the device, and no other driver is bound"
    let isNews = state.withLock { state in
      guard state.port === port, state.driverChanges == seen, case .changing = state.usability
      else { return false }
      state.usability = .unusable(HIDWireError(.notStarted, "\(label): \(message)"))
      return true
    }
    guard isNews else { return }
    tell(.unusable(message))
    resumeWaiting()
  }

  /// Waits for the driver that has taken the device, if nobody does already.
  ///
  /// - Parameter isNew: Whether to tell of it even if all nodes have the names they had.
  func followDriver(_ port: any HIDPeripheralPort, isNew: Bool) {
    let begins = state.withLock { state in
      if case .usable = state.usability { return false }
      defer { state.isFollowing = true }
      return !state.isFollowing
    }
    if begins { Task { await waitForDriver(port, isNew: isNew) } }
  }

  func waitForDriver(_ port: any HIDPeripheralPort, isNew: Bool) async {
    var isNews = isNew
    while true {
      let seen = state.withLock { $0.driverChanges }
      let next: (usability: Usability, told: HIDDeviceEvent.Kind, record: HIDDeviceRecord?)
      do throws(HIDWireError) {
        let record = try await port.ready(within: SimulatedDevice.readinessBound)
        next = (.usable, .driverChanged(record, await port.isolation), record)
      } catch {
        next = (.unusable(error), .unusable(error.message), nil)
      }
      let (isDone, kind) = state.withLock { state -> (Bool, HIDDeviceEvent.Kind?) in
        guard state.port === port else { return (true, nil) }  // unplugged
        guard state.driverChanges == seen else {
          // This one has gone, and another has come, or may come.
          isNews = true
          state.isFollowing = state.hasDriver
          return (!state.hasDriver, nil)
        }
        state.isFollowing = false
        state.usability = next.usability
        guard let record = next.record else { return (true, next.told) }
        defer { state.record = record }
        return (true, isNews || state.record != record ? next.told : nil)
      }
      guard isDone else { continue }
      if let kind { tell(kind) }
      return resumeWaiting()  // who finds the device still changing waits again
    }
  }

  func resumeWaiting() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting
    }
    for waiter in waiting.values { waiter.resume() }
  }

  /// Waits until the device can take input.
  func usable() async throws(HIDWireError) {
    while true {
      switch state.withLock({ $0.usability }) {
      case .usable: return
      case .unusable(let error): throw error
      case .changing:
        if Task.isCancelled { throw HIDWireError(.other, "\(label): cancelled") }
        await waitForChange()
      }
    }
  }

  /// Waits until the device can take input or never will, or the task is cancelled.
  func waitForChange() async {
    let key = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waits = state.withLock { state in
          guard case .changing = state.usability, !Task.isCancelled else { return false }
          state.waiting[key] = continuation
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: key) }?.resume()
    }
  }
}
