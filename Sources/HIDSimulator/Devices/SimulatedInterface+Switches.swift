// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import IOLoop
import Synchronization

/// The presses, repeats and releases of the device file's switches, whose controls depend on the
/// state.
extension SimulatedInterface {
  /// Presses a switch: sends its controls, and repeats them if the device does so.
  ///
  /// Nothing is sent if the switch is down already.
  ///
  /// - Throws: The errors of ``send(setting:of:)``. If no report of the press could be sent, the
  ///   switch is up. If only some could, it is down with the controls of these reports. If only the
  ///   release that follows at once could not be sent, the switch is down.
  package func press(switch name: String) async throws {
    guard let pressed = withModel({ $0.press(switch: name) }) else { return }
    var sent: [HIDReportElement] = []
    do {
      for values in pressed.settings {
        try await send(setting: values, of: pressed.press)
        sent += values.map(\.0)
      }
    } catch {
      let held = sent
      withModel { $0.cancel(pressed.press, holding: held) }
      throw error
    }
    if pressed.isOnce {
      for values in withModel({ $0.release(switch: name, staysDown: true) }) {
        try await send(setting: values)
      }
    } else if let delay = pressed.delay {
      scheduleRepeat(of: pressed.press, at: timeline.now.advanced(by: delay))
    }
  }

  /// Releases a switch; nothing is sent if it is not down.
  ///
  /// - Throws: The errors of ``send(setting:of:)``. The switch is up even then.
  package func release(switch name: String) async throws {
    for values in withModel({ $0.release(switch: name) }) { try await send(setting: values) }
  }

  // The time is at most 60 s, so the timer of a released switch does not stay longer.
  private func scheduleRepeat(of press: HIDInterfaceModel.PressNumber, at due: MonotonicTime) {
    timeline.schedule(at: due) { [weak self] in
      guard let self, let port,
        let (settings, interval) = withModel({ $0.repetition(of: press) })
      else { return }
      for (index, values) in settings.enumerated() {
        let isLast = index == settings.count - 1
        perform(.sendSetting(values, of: press, isLast: isLast), port, for: .own)
      }
      // If repeats are overdue, one is sent and the others are dropped.
      scheduleRepeat(of: press, at: max(due.advanced(by: interval), timeline.now))
    }
  }
}
