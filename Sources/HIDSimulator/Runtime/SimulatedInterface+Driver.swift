// SPDX-License-Identifier: Apache-2.0

import HIDBus
import IOLoop
import Synchronization

/// The reactions of a device when the kernel changes its driver.
extension SimulatedInterface {
  /// The time without a driver after which the device counts as unusable.
  static let driverBound = Duration.seconds(5)

  /// Notes a driver's start or stop event; after a stop, input waits in ``usable()`` until the next
  /// driver is ready or the device counts as unusable.
  ///
  /// Without the wait, the input would be lost, or reach a node of the device that is not isolated
  /// yet.
  func handleDriverEvent(_ event: HIDHostEvent, _ port: any HIDDevicePort) {
    let hasDriver: Bool
    switch event {
    case .start: hasDriver = true
    case .stop: hasDriver = false
    default: return
    }
    let (seen, isReady) = state.withLock { state in
      // A served device loses the driver of its host when that detaches. It stays usable: input is
      // dropped until the next host imports it.
      let isServed = state.record?.bus == .usb
      // A device without nodes can be ready before its driver comes.
      let isFirst = hasDriver && state.record.map { $0.driver == nil } ?? false
      if !hasDriver || isFirst, state.isPlugged, !isServed, definition.nodes != .none || isFirst {
        state.usability = .changing
      }
      state.hasDriver = hasDriver
      state.driverChanges += 1
      return (state.driverChanges, state.record != nil)
    }
    // Before the device is ready for the first time, `plug` waits for the driver.
    guard isReady else { return }
    if hasDriver { return followDriver(port, isNew: true) }
    Task { [weak self] in
      _ = try? await Timeline.real.sleep(until: .now.advanced(by: Self.driverBound))
      self?.giveUpDriver(port, ifStillAt: seen)
    }
  }

  func giveUpDriver(_ port: any HIDDevicePort, ifStillAt seen: Int) {
    let message = "the kernel's driver has released the device, and no other driver is bound"
    let isNews = state.withLock { state in
      guard state.port === port, state.driverChanges == seen, case .changing = state.usability
      else { return false }
      state.usability = .unusable(HIDBusError(.notStarted, "\(label): \(message)"))
      return true
    }
    guard isNews else { return }
    tell(.unusable(message))
    resumeWaiting()
  }

  /// Starts a task that waits until the new driver is ready, unless such a task runs already or
  /// the device is usable.
  ///
  /// - Parameter isNew: True to log the driver even if the record of the device is the same.
  func followDriver(_ port: any HIDDevicePort, isNew: Bool) {
    let begins = state.withLock { state in
      if case .usable = state.usability { return false }
      defer { state.isFollowing = true }
      return !state.isFollowing
    }
    if begins { Task { await waitForDriver(port, isNew: isNew) } }
  }

  func waitForDriver(_ port: any HIDDevicePort, isNew: Bool) async {
    var isNews = isNew
    while true {
      let seen = state.withLock { $0.driverChanges }
      let next: (usability: Usability, told: HIDDeviceEvent.Kind, record: HIDDeviceRecord?)
      do throws(HIDBusError) {
        let record = try await port.ready(within: SimulatedDevice.readinessBound)
        if let node = record.hidrawNode { NodeOpenings.shared.watch(node) }
        next = (.usable, .driverChanged(record, await port.isolation), record)
      } catch {
        next = (.unusable(error), .unusable(error.message), nil)
      }
      let (isDone, kind) = state.withLock { state -> (Bool, HIDDeviceEvent.Kind?) in
        // The device was unplugged.
        guard state.port === port else { return (true, nil) }
        guard state.driverChanges == seen else {
          // This driver has released the device. Another driver has taken the device, or may do so.
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
      // A task that finds the device still changing waits again.
      return resumeWaiting()
    }
  }

  func resumeWaiting() { changeCount.withLock { $0 += 1 } }

  /// Waits until the device can take input.
  ///
  /// - Throws: The reason why the device cannot be used; `other` if the task is cancelled while the
  ///   device changes its driver.
  func usable() async throws(HIDBusError) {
    while true {
      switch state.withLock({ $0.usability }) {
      case .usable: return
      case .unusable(let error): throw error
      case .changing:
        if Task.isCancelled { throw HIDBusError(.other, "\(label): cancelled") }
        await waitForChange()
      }
    }
  }

  /// Waits until the next call of ``resumeWaiting()``, or until the task is cancelled.
  ///
  /// The method returns at once if the device is not changing its driver. After a wait, the device
  /// can still be changing its driver.
  func waitForChange() async {
    let seen = changeCount.withLock { $0 }
    guard case .changing = state.withLock({ $0.usability }) else { return }
    await changeCount.waitUnlessCancelled { $0 != seen }
  }
}
