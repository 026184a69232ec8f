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
      let record = state.attachment.record
      let isServed = record?.bus == .usb
      // A device without nodes can be ready before its driver comes.
      let isFirst = hasDriver && record.map { $0.driver == nil } ?? false
      let blocksInput =
        (!hasDriver || isFirst) && state.attachment.isPlugged && !isServed
        && (definition.nodes != .none || isFirst)
      return (state.driver.note(isBound: hasDriver, blocksInput: blocksInput), record != nil)
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
      state.attachment.port === port
        && state.driver.giveUp(HIDBusError(.notStarted, "\(label): \(message)"), at: seen)
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
    if state.withLock({ $0.driver.follow() }) { Task { await waitForDriver(port, isNew: isNew) } }
  }

  func waitForDriver(_ port: any HIDDevicePort, isNew: Bool) async {
    var isNews = isNew
    while true {
      let seen = state.withLock { $0.driver.changes }
      let next: (told: HIDDeviceEvent.Kind, record: HIDDeviceRecord?, error: HIDBusError?)
      do throws(HIDBusError) {
        let record = try await port.ready(within: SimulatedDevice.readinessBound)
        if let node = record.hidrawNode { NodeOpenings.shared.watch(node) }
        next = (.driverChanged(record, await port.isolation), record, nil)
      } catch {
        next = (.unusable(error.message), nil, error)
      }
      let (step, kind) = state.withLock { state -> (DriverState.Step, HIDDeviceEvent.Kind?) in
        // The device was unplugged.
        guard state.attachment.port === port else { return (.done, nil) }
        let step = state.driver.settle(next.error, at: seen)
        guard case .done = step else { return (step, nil) }
        guard let record = next.record else { return (step, next.told) }
        defer { state.attachment.setRecord(record, of: port) }
        return (step, isNews || state.attachment.record != record ? next.told : nil)
      }
      if case .again = step {
        isNews = true
        continue
      }
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
      switch state.withLock({ $0.driver.usability }) {
      case .usable: return
      case .unusable(let error, _): throw error
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
    guard state.withLock({ $0.driver.usability.isChanging }) else { return }
    await changeCount.waitUnlessCancelled { $0 != seen }
  }
}
