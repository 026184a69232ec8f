// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import HIDReportDescriptor
import HIDUsages
import IOLoop
import Synchronization

/// The sink that passes the changes of one mouse's controls to its profile.
final class MouseSink: ControlSink {
  private struct State {
    var x: Int64 = 0
    var y: Int64 = 0
    var wheel: Int64 = 0
    var pan: Int64 = 0
    var hasNews = false
  }

  private let state = Mutex(State())
  private let input: Handed<GCMouseInput>
  private let buttons: Handed<[GCControllerButtonInput]>
  private let queue: EventQueue
  private let whenUsed: @Sendable () -> Void

  /// - Parameters:
  ///   - input: The profile.
  ///   - queue: The queue to which events are added.
  ///   - whenUsed: Called for each report with a change, on the thread that reads the device.
  init(_ input: GCMouseInput, _ queue: EventQueue, whenUsed: @escaping @Sendable () -> Void) {
    self.input = Handed(value: input)
    self.queue = queue
    self.whenUsed = whenUsed
    let table = input.table
    buttons = Handed(value: table.order.dropFirst().compactMap { $0 as? GCControllerButtonInput })
  }

  /// Returns the highest button number of a mouse; nil if the device is not a mouse.
  ///
  /// A mouse has an application collection that is a mouse, with a relative X axis. Buttons above
  /// number 32 do not count.
  static func buttonCount(of fields: [InputField]) -> Int? {
    var hasAxis = false
    var count = 0
    for field in fields where accepts(field) {
      for control in field.report.controls(of: field.field) {
        if control.usage == .genericDesktop(.x) { hasAxis = true }
        if control.usage.page == 0x09, let number = control.usage.usage, number <= 32 {
          count = max(count, Int(number))
        }
      }
    }
    return hasAxis ? count : nil
  }

  /// Returns whether a field has the distances or the button states of a mouse.
  private static func accepts(_ field: InputField) -> Bool {
    field.application?.usage == .genericDesktop(.mouse) && field.isAbsolute == field.has(page: 0x09)
  }

  func accepts(_ field: InputField) -> Bool { Self.accepts(field) }

  func change(_ control: HIDReportElement, from old: Int64, to value: Int64) {
    state.withLock { state in
      switch control.usage {
      case .genericDesktop(.x): state.x &+= value
      case .genericDesktop(.y): state.y &+= value
      case .genericDesktop(.wheel): state.wheel &+= value
      case .consumer(.acPan): state.pan &+= value
      default:
        guard control.usage.page == 0x09, let number = control.usage.usage,
          buttons.value.indices.contains(Int(number) - 1)
        else { return }
        move(&state)
        guard buttons.value[Int(number) - 1].update(value == 0 ? 0 : 1) else { return }
        queue.append(InputEvent(place: Int32(number), x: value == 0 ? 0 : 1, y: 0))
      }
      state.hasNews = true
    }
  }

  func endReport(at time: MonotonicTime) {
    let hasNews = state.withLock { state in
      move(&state)
      defer { state.hasNews = false }
      return state.hasNews
    }
    guard hasNews else { return }
    input.value.note(time)
    whenUsed()
    queue.flush()
  }

  /// Appends the distances since the previous call as movements.
  private func move(_ state: inout State) {
    if state.x != 0 || state.y != 0 {
      queue.appendMovement(InputEvent.movement, Float(state.x), Float(0 &- state.y))
    }
    if state.wheel != 0 || state.pan != 0 {
      queue.appendMovement(0, Float(0 &- state.wheel), Float(state.pan))
    }
    (state.x, state.y, state.wheel, state.pan) = (0, 0, 0, 0)
  }

  func release() {
    for (index, button) in buttons.value.enumerated() where button.update(0) {
      queue.append(InputEvent(place: Int32(index + 1), x: 0, y: 0))
    }
    queue.flush()
  }
}
