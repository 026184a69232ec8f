// SPDX-License-Identifier: Apache-2.0

import HIDBus

/// The attachment of an interface to a bus.
struct InterfaceAttachment: Sendable {
  private enum Phase: Sendable {
    /// The interface is not plugged.
    case unplugged
    /// The bus is making the port.
    case plugging(hasDrivers: Bool)
    /// The bus has made the port, and the interface is not ready.
    ///
    /// On a bus with drivers, a driver may already send requests and reports.
    case starting(any HIDDevicePort, hasDrivers: Bool)
    /// The interface is ready; it stays so while the kernel's driver changes.
    case ready(any HIDDevicePort, hasDrivers: Bool, Ready)
  }

  /// A record, which is long, in a box: a phase is copied with each access to its port.
  private final class Ready: Sendable {
    let record: HIDDeviceRecord

    init(_ record: HIDDeviceRecord) { self.record = record }
  }

  private var phase = Phase.unplugged
  /// The port of the previous plugging, whose events are stale.
  private weak var oldPort: (any HIDDevicePort)?

  /// True while the interface is plugged or being plugged.
  var isPlugged: Bool { if case .unplugged = phase { false } else { true } }

  /// The port; nil before the bus has made it, and while the interface is not plugged.
  var port: (any HIDDevicePort)? {
    switch phase {
    case .unplugged, .plugging: nil
    case .starting(let port, _), .ready(let port, _, _): port
    }
  }

  /// The record of the interface on its bus; nil unless the interface is ready.
  var record: HIDDeviceRecord? {
    if case .ready(_, _, let ready) = phase { ready.record } else { nil }
  }

  /// True if the interface is ready, and has evdev nodes.
  var hasEventNodes: Bool {
    if case .ready(_, _, let ready) = phase { !ready.record.eventNodes.isEmpty } else { false }
  }

  /// True if the bus has drivers, which can take the device before programs can use it.
  var hasDrivers: Bool {
    switch phase {
    case .unplugged: false
    case .plugging(let hasDrivers), .starting(_, let hasDrivers), .ready(_, let hasDrivers, _):
      hasDrivers
    }
  }

  /// Returns whether a port belongs to the current plugging.
  ///
  /// Before the current port is known, every port except the previous one does.
  func isCurrent(_ port: any HIDDevicePort) -> Bool {
    switch phase {
    case .unplugged: false
    case .plugging: oldPort !== port
    case .starting(let current, _), .ready(let current, _, _): current === port
    }
  }

  mutating func beginPlugging(hasDrivers: Bool) { phase = .plugging(hasDrivers: hasDrivers) }

  /// Takes the port that the bus has made; returns false if the interface was unplugged meanwhile.
  mutating func take(_ port: any HIDDevicePort) -> Bool {
    guard case .plugging(let hasDrivers) = phase else { return false }
    phase = .starting(port, hasDrivers: hasDrivers)
    return true
  }

  /// Sets the record of the interface that has become ready, or that has another driver.
  ///
  /// - Returns: False if the port is not the current one.
  @discardableResult
  mutating func setRecord(_ record: HIDDeviceRecord, of port: any HIDDevicePort) -> Bool {
    guard self.port === port else { return false }
    phase = .ready(port, hasDrivers: hasDrivers, Ready(record))
    return true
  }

  mutating func unplug() {
    oldPort = port ?? oldPort
    phase = .unplugged
  }
}
