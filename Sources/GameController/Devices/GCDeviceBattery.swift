// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The battery of a controller, with the values of the newest report that has them.
open class GCDeviceBattery: NSObject {
  /// The charging state of a battery.
  public enum State: Int, Sendable {
    /// The charging state is not known.
    case unknown = -1
    /// The controller runs on its battery.
    case discharging = 0
    /// The battery is charging.
    case charging = 1
    /// The battery is full.
    case full = 2
  }

  private let level = FloatCell()
  private let state = Atomic<Int>(State.unknown.rawValue)

  /// The charge, from 0 (empty) to 1 (full); also 0 before the first report that has it.
  ///
  /// The value has no meaning while ``batteryState`` is `unknown`.
  open var batteryLevel: Float { level.value }

  /// The charging state; `unknown` before the first report that has it, and after a report with a
  /// state that hidsim does not know.
  open var batteryState: State { State(rawValue: state.load(ordering: .relaxed)) ?? .unknown }

  func update(_ level: Float, _ state: State) {
    self.level.value = level
    self.state.store(state.rawValue, ordering: .relaxed)
  }
}
