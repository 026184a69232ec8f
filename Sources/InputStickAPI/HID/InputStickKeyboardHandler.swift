// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation

/// The handler that sends keys and text through a stick, which is a simulated InputStick.
///
/// The reports are lost unless the manager is ready.
///
/// Keys are named by their labels in the United States: on a host with a German layout, the key Z
/// types y.
open class InputStickKeyboardHandler: NSObject, InputStickHIDHandler {
  /// The manager.
  open private(set) weak var inputStickManager: InputStickManager!
  /// The LEDs of the Lock keys, as the host has set them last.
  ///
  /// All are off from the start of a connection until the stick has reported them.
  open private(set) var keyboardLEDsState: InputStickKeyboardLEDsState! =
    InputStickKeyboardLEDsState()
  /// True if the Num Lock LED is on.
  open var numLockOn: Bool { keyboardLEDsState.numLockOn }
  /// True if the Caps Lock LED is on.
  open var capsLockOn: Bool { keyboardLEDsState.capsLockOn }
  /// True if the Scroll Lock LED is on.
  open var scrollLockOn: Bool { keyboardLEDsState.scrollLockOn }

  /// Makes a handler.
  public init!(inputStickManager: InputStickManager!) {
    super.init()
    self.inputStickManager = inputStickManager
  }

  /// Sets ``keyboardLEDsState``; nil stands for all LEDs off.
  open func setKeyboardLEDsState(_ keyboardLEDsState: InputStickKeyboardLEDsState!) {
    self.keyboardLEDsState = keyboardLEDsState ?? InputStickKeyboardLEDsState()
  }

  // MARK: Reports

  /// Makes a report of 2 bytes, without sending it.
  open func customReport(withModifiers modifiers: UInt8, key: UInt8) -> InputStickHIDReport! {
    InputStickHIDReport([modifiers, key], .CmdHIDDataKeyboardShort)
  }

  /// Queues a report; the key stays pressed until the host gets a report without the key.
  ///
  /// If `flush` is false, it is not sent before the next status of the stick or the next flush.
  open func sendCustomReport(withModifiers modifiers: UInt8, key: UInt8, flush: Bool) {
    sendCustomReport(withModifiers: modifiers, key: key, multiplier: 1, flush: flush)
  }

  /// Queues a report `multiplier` times, at least once and at most 1,000 times.
  ///
  /// If `flush` is false, the reports are not sent before the next status of the stick or the next
  /// flush.
  open func sendCustomReport(
    withModifiers modifiers: UInt8, key: UInt8, multiplier: UInt, flush: Bool
  ) {
    queue([(modifiers, key)], times: multiplier, flush: flush)
  }

  private func queue(
    _ reports: [(modifiers: UInt8, key: UInt8)], times: UInt = 1, flush: Bool
  ) {
    let transaction = InputStickHIDTransaction.shortKeyboard()
    for report in reports {
      for _ in 0..<Self.repeats(times) {
        transaction?.add(customReport(withModifiers: report.modifiers, key: report.key))
      }
    }
    inputStickManager?.buffersManager.addKeyboardHIDTransaction(transaction, flush: flush)
  }

  /// Returns the number of times that each report is sent at a speed: 1 to 1,000.
  private static func repeats(_ speed: UInt) -> UInt { min(max(1, speed), 1000) }

  // MARK: Keys

  /// Presses and releases a key with modifiers.
  open func pressAndReleaseModifiers(_ modifiers: UInt8, withKey key: UInt8) {
    pressAndReleaseModifiers(modifiers, withKey: key, flush: true)
  }

  /// Presses and releases a key with modifiers.
  ///
  /// If `flush` is false, the reports are not sent before the next status of the stick or the next
  /// flush.
  open func pressAndReleaseModifiers(_ modifiers: UInt8, withKey key: UInt8, flush: Bool) {
    pressAndReleaseModifiers(modifiers, withKey: key, typingSpeed: 1, flush: flush)
  }

  /// Presses and releases a key with modifiers, at a speed of ``InputStickTypingSpeed``.
  ///
  /// If `flush` is false, the reports are not sent before the next status of the stick or the next
  /// flush.
  open func pressAndReleaseModifiers(
    _ modifiers: UInt8, withKey key: UInt8, typingSpeed speed: UInt, flush: Bool
  ) {
    var reports = [(modifiers, key), (UInt8(0), UInt8(0))]
    if speed > 0, modifiers != 0 { reports.insert((modifiers, 0), at: 0) }
    queue(reports, times: speed, flush: flush)
  }

  // MARK: Text

  /// Types a text on a host with the layout of the United States.
  open func typeText(_ text: String!) { typeText(text, withKeyboardLayout: nil) }

  /// Types a text on a host with a layout; nil is that of the United States.
  open func typeText(
    _ text: String!, withKeyboardLayout keyboardLayout: (any InputStickKeyboardLayoutProtocol)!
  ) {
    typeText(text, withKeyboardLayout: keyboardLayout, typingSpeed: 1)
  }

  /// Types a text on a host with a layout, at a speed of ``InputStickTypingSpeed``.
  open func typeText(
    _ text: String!, withKeyboardLayout keyboardLayout: (any InputStickKeyboardLayoutProtocol)!,
    typingSpeed speed: UInt
  ) {
    typeText(
      text, withKeyboardLayout: keyboardLayout, modifiers: 0, typingSpeed: speed, flush: true)
  }

  /// Types a text, with modifiers held at each key.
  ///
  /// Except at the fastest speed, the modifiers are released after each key. They are always
  /// released at the end. Characters that the layout does not have are left out.
  ///
  /// - Parameters:
  ///   - text: The text; nil does nothing.
  ///   - keyboardLayout: The host's layout; nil is that of the United States.
  ///   - modifiers: The modifiers, as in ``InputStickKeyboardModifiers``.
  ///   - speed: The speed, as in ``InputStickTypingSpeed``.
  ///   - flush: True to send at once what the stick has room for; false to send nothing before the
  ///     next status of the stick or the next flush.
  open func typeText(
    _ text: String!, withKeyboardLayout keyboardLayout: (any InputStickKeyboardLayoutProtocol)!,
    modifiers: UInt8, typingSpeed speed: UInt, flush: Bool
  ) {
    guard let text else { return }
    let layout = keyboardLayout ?? InputStickKeyboardLayoutUtils.keyboardLayout(withCode: nil)
    guard let layout else { return }
    let characters = LayoutStrokes.of(text, layout)
    if speed > 0 {
      for strokes in characters {
        for stroke in strokes {
          pressAndReleaseModifiers(
            stroke.modifiers | modifiers, withKey: stroke.key, typingSpeed: speed, flush: false)
        }
      }
    } else {
      typeFast(characters, holding: modifiers)
    }
    if flush { inputStickManager?.buffersManager.flushKeyboardBuffer() }
  }

  /// Queues one report for each stroke of each character.
  ///
  /// A report without a key is added only between two equal keys, around dead keys and letters
  /// before combining marks, and at the end.
  private func typeFast(_ characters: [[LayoutStrokes.Stroke]], holding modifiers: UInt8) {
    var previous: UInt8 = 0
    for strokes in characters {
      for dead in strokes.dropLast() {
        queue([(modifiers, 0)], flush: false)
        queue([(dead.modifiers | modifiers, dead.key)], flush: false)
        queue([(modifiers, 0)], flush: false)
      }
      guard let stroke = strokes.last else { continue }
      if stroke.key == previous { queue([(modifiers, 0)], flush: false) }
      queue([(stroke.modifiers | modifiers, stroke.key)], flush: false)
      previous = stroke.key
    }
    queue([(0, 0)], flush: false)
  }
}
