// SPDX-License-Identifier: Apache-2.0

import HIDBus
import Synchronization

/// The bus's side of a virtual device, while it is being plugged and while it is plugged.
///
/// After ``unplug()`` the device cannot be plugged again.
final class PluggedDevice: Sendable {
  private struct State {
    var port: (any HIDDevicePort)?
    var isOver = false
  }

  private let state = Mutex(State())

  /// The device's port, from the moment at which the bus has made it; `nil` before, and after
  /// ``unplug()``.
  ///
  /// The port exists before clients can use the device.
  var port: (any HIDDevicePort)? { state.withLock { $0.port } }

  /// Plugs the device, and waits for 10 s at most until it can be used.
  ///
  /// - Throws: `gone` if ``unplug()`` was called before the bus had made the port; the error of the
  ///   bus.
  func plug(
    _ description: HIDDeviceDescription, on bus: HIDBus, handler: DelegateRequests
  ) async throws -> (port: any HIDDevicePort, record: HIDDeviceRecord) {
    let port = try await bus.deviceBus.plug(description, handler: handler)
    let isOver = state.withLock { state in
      if !state.isOver { state.port = port }
      return state.isOver
    }
    if isOver {
      await port.destroy()
      throw HIDBusError(.gone, "the virtual device was released")
    }
    return (port, try await port.ready(within: .seconds(10)))
  }

  /// Unplugs the device.
  ///
  /// The call returns at once. On the loopback bus, clients then have 5 s at most to receive what
  /// was sent.
  func unplug() {
    let port = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.port
    }
    if let port { Task { await port.destroy() } }
  }
}
