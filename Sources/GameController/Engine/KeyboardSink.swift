// SPDX-License-Identifier: Apache-2.0

import CoreHaptics
import HIDReportDescriptor
import HIDUsages
import IOLoop
import Synchronization

/// All keyboards of a bus as one: a key is down while it is down on any of them.
final class MergedKeyboard: Sendable {
  private struct State {
    /// The number of controls of all keyboards that have a key down, by usage ID.
    var counts = [Int](repeating: 0, count: 256)
  }

  private let state = Mutex(State())
  private let input: Handed<GCKeyboardInput>
  private let buttons: Handed<[GCControllerButtonInput?]>
  let queue: EventQueue

  init(_ input: GCKeyboardInput, _ queue: EventQueue) {
    self.input = Handed(value: input)
    self.queue = queue
    buttons = Handed(value: (0..<256).map { input.button(forKeyCode: GCKeyCode(rawValue: $0)) })
  }

  /// Counts one more or one fewer control that has a key down, and adds an event if that presses or
  /// releases the key.
  func change(_ usage: Int, isDown: Bool) {
    state.withLock { state in
      guard state.counts.indices.contains(usage) else { return }
      if isDown {
        state.counts[usage] += 1
        guard state.counts[usage] == 1 else { return }
      } else {
        guard state.counts[usage] > 0 else { return }
        state.counts[usage] -= 1
        guard state.counts[usage] == 0 else { return }
      }
      // Do this under the lock, so that two keyboards cannot change one key at the same time.
      guard let place = GCKeyboardInput.place(of: usage), let button = buttons.value[usage],
        button.update(isDown ? 1 : 0)
      else { return }
      queue.append(InputEvent(place: Int32(place), x: isDown ? 1 : 0, y: 0))
    }
  }

  func note(_ time: MonotonicTime) { input.value.note(time) }
}

/// The sink that passes the changes of one keyboard's keys to the merged keyboard.
final class KeyboardSink: ControlSink {
  private struct State {
    /// The number of controls of this keyboard that have a key down, by usage ID.
    var counts = [UInt8](repeating: 0, count: 256)
    var hasNews = false
  }

  private let state = Mutex(State())
  private let merged: MergedKeyboard

  init(_ merged: MergedKeyboard) { self.merged = merged }

  /// Returns whether a device is a keyboard.
  ///
  /// A keyboard has an application collection that is a keyboard or keypad, with keys in it.
  static func serves(_ fields: [InputField]) -> Bool { fields.contains(where: accepts) }

  private static func accepts(_ field: InputField) -> Bool {
    let usage = field.application?.usage
    return (usage == .genericDesktop(.keyboard) || usage == .genericDesktop(.keypad))
      && field.isAbsolute && field.has(page: 0x07)
  }

  func accepts(_ field: InputField) -> Bool { Self.accepts(field) }

  func change(_ control: HIDReportElement, from old: Int64, to value: Int64) {
    guard control.usage.page == 0x07, let usage = control.usage.usage.map(Int.init), usage < 256,
      (old == 0) != (value == 0)
    else { return }
    state.withLock { state in
      if value != 0 {
        guard state.counts[usage] < .max else { return }
        state.counts[usage] += 1
      } else {
        guard state.counts[usage] > 0 else { return }
        state.counts[usage] -= 1
      }
      state.hasNews = true
      merged.change(usage, isDown: value != 0)
    }
  }

  func endReport(at time: MonotonicTime) {
    let hasNews = state.withLock { state in
      defer { state.hasNews = false }
      return state.hasNews
    }
    guard hasNews else { return }
    merged.note(time)
    merged.queue.flush()
  }

  func release() {
    state.withLock { state in
      for usage in state.counts.indices {
        while state.counts[usage] > 0 {
          state.counts[usage] -= 1
          merged.change(usage, isDown: false)
        }
      }
    }
    merged.queue.flush()
  }
}
