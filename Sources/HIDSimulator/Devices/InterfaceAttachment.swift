// SPDX-License-Identifier: Apache-2.0

import HIDBus

/// The attachment of an interface to a bus.
enum InterfaceAttachment: Sendable {
  /// A port that is not kept alive.
  struct OldPort: Sendable {
    weak var port: (any HIDDevicePort)?
  }

  /// The interface is not plugged.
  ///
  /// `old` is the port of the previous plugging: its events are stale.
  case unplugged(old: OldPort)
  /// The bus is making the port.
  case plugging(hasDrivers: Bool, old: OldPort)
  /// The bus has made the port, and the interface is not ready.
  ///
  /// On a bus with drivers, a driver may already send requests and reports.
  case starting(any HIDDevicePort, hasDrivers: Bool)
  /// The interface is ready; it stays so while the kernel's driver changes.
  case ready(any HIDDevicePort, hasDrivers: Bool, HIDDeviceRecord)

  /// True while the interface is plugged or being plugged.
  var isPlugged: Bool { if case .unplugged = self { false } else { true } }

  /// The port; nil before the bus has made it, and while the interface is not plugged.
  var port: (any HIDDevicePort)? {
    switch self {
    case .unplugged, .plugging: nil
    case .starting(let port, _), .ready(let port, _, _): port
    }
  }

  /// The record of the interface on its bus; nil unless the interface is ready.
  var record: HIDDeviceRecord? { if case .ready(_, _, let record) = self { record } else { nil } }

  /// True if the bus has drivers, which can take the device before programs can use it.
  var hasDrivers: Bool {
    switch self {
    case .unplugged: false
    case .plugging(let hasDrivers, _), .starting(_, let hasDrivers), .ready(_, let hasDrivers, _):
      hasDrivers
    }
  }

  /// The port of the previous plugging, or this one's, for the next plugging.
  private var old: OldPort {
    switch self {
    case .unplugged(let old), .plugging(_, let old): old
    case .starting(let port, _), .ready(let port, _, _): OldPort(port: port)
    }
  }

  /// Returns whether a port belongs to the current plugging.
  ///
  /// Before the current port is known, every port except the previous one does.
  func isCurrent(_ port: any HIDDevicePort) -> Bool {
    switch self {
    case .unplugged: false
    case .plugging(_, let old): old.port !== port
    case .starting(let current, _), .ready(let current, _, _): current === port
    }
  }

  mutating func beginPlugging(hasDrivers: Bool) {
    self = .plugging(hasDrivers: hasDrivers, old: old)
  }

  /// Takes the port that the bus has made; returns false if the interface was unplugged meanwhile.
  mutating func take(_ port: any HIDDevicePort) -> Bool {
    guard case .plugging(let hasDrivers, _) = self else { return false }
    self = .starting(port, hasDrivers: hasDrivers)
    return true
  }

  /// Sets the record of the interface that has become ready, or that has another driver.
  ///
  /// - Returns: False if the port is not the current one.
  @discardableResult
  mutating func setRecord(_ record: HIDDeviceRecord, of port: any HIDDevicePort) -> Bool {
    guard self.port === port else { return false }
    self = .ready(port, hasDrivers: hasDrivers, record)
    return true
  }

  mutating func unplug() { self = .unplugged(old: old) }
}
