// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The charge of a controller, as its newest report has it.
open class GCDeviceBattery: NSObject {
  /// Whether a battery is charged.
  public enum State: Int, Sendable {
    /// Not known.
    case unknown = -1
    /// The controller runs on its battery.
    case discharging = 0
    /// The battery is charged.
    case charging = 1
    /// The battery is full.
    case full = 2
  }

  private let level = FloatCell()
  private let state = Atomic<Int>(State.unknown.rawValue)

  /// How full the battery is, from 0 to 1; 0 before the first report.
  open var batteryLevel: Float { level.value }

  /// Whether the battery is charged; unknown before the first report.
  open var batteryState: State { State(rawValue: state.load(ordering: .relaxed)) ?? .unknown }

  func update(_ level: Float, _ state: State) {
    self.level.value = level
    self.state.store(state.rawValue, ordering: .relaxed)
  }
}
