// SPDX-License-Identifier: Apache-2.0

package import HIDSystem
package import HIDWire
package import IOLoop
import Synchronization

/// The devices of a run, for everybody who drives them.
package final class DeviceHub: Sendable {
  /// The bus the devices are plugged into.
  package let bus: HIDBus
  /// What happens to them.
  package let log: HIDEventLog
  /// The time that all times count from.
  package let base: MonotonicTime
  private let state: Mutex<[SimulatedDevice]>

  /// Makes a run.
  ///
  /// - Parameter others: Devices of other runs, whose names those of this one are not to have.
  package init(
    _ definitions: [HIDDeviceDefinition], on bus: HIDBus, log: HIDEventLog,
    base: MonotonicTime = .now, besides others: [SimulatedDevice] = []
  ) {
    self.bus = bus
    self.log = log
    self.base = base
    state = Mutex(SimulatedDevice.make(definitions, after: others, log: log))
  }

  /// The devices in the order in which they came, plugged or not.
  package var devices: [SimulatedDevice] { state.withLock { $0 } }

  /// Adds a device, and plugs it.
  ///
  /// - Parameters:
  ///   - delegation: Which requests are left to who plugs it, from the first on.
  ///   - willPlug: Takes the device before its host asks anything.
  ///   - wasCreated: Is called for each interface when the bus has it; what its driver needs can be sent from then on.
  ///   - willForget: Takes the device and the reason where it is not of the run any more, and nobody has unplugged it.
  /// - Throws: What the bus says; the device is not of the run then.
  package func plug(
    _ definition: HIDDeviceDefinition, delegation: HIDDelegation?, owner: Int = 0,
    willPlug: (SimulatedDevice) -> Void = { _ in }, wasCreated: () -> Void = {},
    willForget: (SimulatedDevice, HIDWireError) -> Void = { _, _ in }
  ) async throws(HIDWireError) -> SimulatedDevice {
    let device = state.withLock { devices in
      let device = SimulatedDevice.make(definition, after: devices, log: log)
      devices.append(device)
      return device
    }
    for interface in device.interfaces { interface.setDelegation(delegation, owner: owner) }
    willPlug(device)
    do throws(HIDWireError) {
      try await device.plug(into: bus, wasCreated: wasCreated)
    } catch {
      state.withLock { $0.removeAll { $0 === device } }
      let wasUnplugged = device.wasUnplugged
      await device.retire()
      if !wasUnplugged { willForget(device, error) }
      throw error
    }
    return device
  }

  /// Unplugs all devices for good.
  package func unplugAll() async {
    for device in devices { await device.retire() }
  }

  /// Unplugs a device, and forgets it.
  package func remove(_ device: SimulatedDevice) async {
    await device.retire()
    state.withLock { $0.removeAll { $0 === device } }
  }
}
