// SPDX-License-Identifier: Apache-2.0

package import HIDBus
package import HIDSimulator
package import IOLoop
import Synchronization

/// The devices of a run, shared by all programs that drive them.
package final class DeviceHub: Sendable {
  /// The bus into which the devices are plugged.
  package let bus: HIDBus
  /// The log of the devices' events.
  package let log: HIDEventLog
  /// The time from which all times of the run count.
  package let base: MonotonicTime
  private let state: Mutex<[SimulatedDevice]>
  private let observer = Mutex<(@Sendable () -> Void)?>(nil)

  /// Makes a run with a device for each definition; the devices are not plugged yet.
  ///
  /// - Parameter others: Devices of other runs, whose labels the devices of `definitions` do not
  ///   get. A device that is plugged later can get such a label.
  package init(
    _ definitions: [HIDDeviceDefinition], on bus: HIDBus, log: HIDEventLog,
    base: MonotonicTime = .now, besides others: [SimulatedDevice] = []
  ) {
    self.bus = bus
    self.log = log
    self.base = base
    state = Mutex(SimulatedDevice.make(definitions, after: others, log: log))
  }

  /// The devices in the order in which they were added, plugged or not.
  package var devices: [SimulatedDevice] { state.withLock { $0 } }

  /// Sets the closure that is called after each change of ``devices``; nil for none.
  package func whenChanged(_ body: (@Sendable () -> Void)?) { observer.withLock { $0 = body } }

  private func tellObserver() { observer.withLock { $0 }?() }

  /// Adds a device to the run, and plugs it.
  ///
  /// - Parameters:
  ///   - delegation: The requests of hosts that the caller answers, from the first request on.
  ///   - owner: The number of the connection that answers these requests.
  ///   - willPlug: Called with the device before its host asks anything.
  ///   - wasCreated: Called for each interface when the bus has created it. From then on, input
  ///     reports that its driver needs can be sent.
  ///   - willForget: Called with the device and the error if plugging fails, after the device was
  ///     removed from the run; not called if the device was unplugged meanwhile.
  /// - Throws: The error of the bus; `gone` if the device was unplugged meanwhile. In both cases
  ///   the device is not part of the run.
  package func plug(
    _ definition: HIDDeviceDefinition, delegation: HIDDelegation?, owner: Int = 0,
    willPlug: (SimulatedDevice) -> Void = { _ in }, wasCreated: () -> Void = {},
    willForget: (SimulatedDevice, HIDBusError) -> Void = { _, _ in }
  ) async throws(HIDBusError) -> SimulatedDevice {
    let device = state.withLock { devices in
      let device = SimulatedDevice.make(definition, after: devices, log: log)
      devices.append(device)
      return device
    }
    tellObserver()
    for interface in device.interfaces { interface.setDelegation(delegation, owner: owner) }
    willPlug(device)
    do throws(HIDBusError) {
      try await device.plug(into: bus, wasCreated: wasCreated)
    } catch {
      state.withLock { $0.removeAll { $0 === device } }
      tellObserver()
      let wasUnplugged = device.wasUnplugged
      await device.retire()
      if !wasUnplugged { willForget(device, error) }
      throw error
    }
    return device
  }

  /// Unplugs all devices; they cannot be plugged again.
  package func unplugAll() async {
    for device in devices { await device.retire() }
  }

  /// Unplugs a device, which cannot be plugged again, and removes it from the run.
  package func remove(_ device: SimulatedDevice) async {
    await device.retire()
    state.withLock { $0.removeAll { $0 === device } }
    tellObserver()
  }
}
