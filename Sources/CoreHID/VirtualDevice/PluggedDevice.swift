// SPDX-License-Identifier: Apache-2.0

import HIDSystem
import HIDWire
import Synchronization

/// A virtual device on its way to a bus, and there: unplugged for good when it is let go of.
final class PluggedDevice: Sendable {
  private struct State {
    var port: (any HIDPeripheralPort)?
    var isOver = false
  }

  private let state = Mutex(State())

  /// The port, as soon as there is one: before anybody can use the device.
  var port: (any HIDPeripheralPort)? { state.withLock { $0.port } }

  /// Plugs the device, and waits until it can be used.
  func plug(
    _ description: HIDPeripheralDescription, on bus: HIDBus, handler: DelegateRequests
  ) async throws -> (port: any HIDPeripheralPort, record: HIDDeviceRecord) {
    let port = try await bus.peripherals.plug(description, handler: handler)
    let isOver = state.withLock { state in
      if !state.isOver { state.port = port }
      return state.isOver
    }
    if isOver {
      await port.destroy()
      throw HIDWireError(.gone, "the virtual device was released")
    }
    return (port, try await port.ready(within: .seconds(10)))
  }

  /// Unplugs the device, once its clients have what was sent.
  func unplug() {
    let port = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.port
    }
    if let port { Task { await port.destroy() } }
  }
}
