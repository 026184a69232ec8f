// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDWire
import IOLoop
import Synchronization

/// Switches whose controls depend on the state.
extension SimulatedInterface {
  /// Presses a switch: sends its controls, and repeats them if the device does so.
  ///
  /// - Throws: As ``send(setting:isTyped:)`` does.
  func press(switch name: String) async throws {
    let press = withModel { $0.press(switch: name) }
    for values in press.settings { try await send(setting: values) }
    if press.isOnce {
      for values in withModel({ $0.release(switch: name, staysDown: true) }) {
        try await send(setting: values)
      }
    } else if let repeats = press.repeats {
      scheduleRepeat(
        ofSwitch: name, press: repeats.number, at: timeline.now.advanced(by: repeats.after))
    }
  }

  /// Releases a switch; nothing is sent if it is not down.
  ///
  /// - Throws: As ``send(setting:isTyped:)`` does.
  func release(switch name: String) async throws {
    for values in withModel({ $0.release(switch: name) }) { try await send(setting: values) }
  }

  private func scheduleRepeat(ofSwitch name: String, press number: Int, at due: MonotonicTime) {
    timeline.schedule(at: due) { [weak self] in
      guard let self, let port = state.withLock({ $0.port }),
        let (settings, interval) = withModel({ $0.repetition(ofSwitch: name, press: number) })
      else { return }
      for values in settings { perform(.sendSetting(values), port, for: .own) }
      // After the machine stood still, the device repeats once and not for all that time.
      scheduleRepeat(
        ofSwitch: name, press: number, at: max(due.advanced(by: interval), timeline.now))
    }
  }
}
