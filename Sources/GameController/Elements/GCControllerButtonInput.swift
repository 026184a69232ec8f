// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The handler of a button: the button, its value from 0 to 1, and whether it is pressed.
public typealias GCControllerButtonValueChangedHandler = (GCControllerButtonInput, Float, Bool) ->
  Void
/// The handler of a touch of a button: the button, its value, whether it is pressed and touched.
public typealias GCControllerButtonTouchedChangedHandler = (
  GCControllerButtonInput, Float, Bool, Bool
) -> Void

/// A button, key or trigger.
open class GCControllerButtonInput: GCControllerElement {
  private let values = ElementValue()
  private let valueHandler = Slot<GCControllerButtonValueChangedHandler?>(nil)
  private let pressedHandler = Slot<GCControllerButtonValueChangedHandler?>(nil)
  private let touchedHandler = Slot<GCControllerButtonTouchedChangedHandler?>(nil)

  /// Whether the button is pressed: its value is above 0.
  open var isPressed: Bool { Self.isPressed(value) }

  /// Whether a finger is on the button.
  ///
  /// hidsim reads no sensors of touch: a button is touched while it is pressed.
  open var isTouched: Bool { isPressed }

  /// How far the button is pressed, from 0 to 1.
  open var value: Float { values.value }

  /// Called when the value changes.
  open var valueChangedHandler: GCControllerButtonValueChangedHandler? {
    get { valueHandler.value }
    set { valueHandler.value = newValue }
  }

  /// Called when the button is pressed or released.
  open var pressedChangedHandler: GCControllerButtonValueChangedHandler? {
    get { pressedHandler.value }
    set { pressedHandler.value = newValue }
  }

  /// Called when a touch of the button begins or ends.
  open var touchedChangedHandler: GCControllerButtonTouchedChangedHandler? {
    get { touchedHandler.value }
    set { touchedHandler.value = newValue }
  }

  /// Sets the value of a button of a snapshot; has no effect on the button of a device.
  ///
  /// - Parameter value: From 0 to 1; other values are cut.
  open func setValue(_ value: Float) {
    guard !isOfDevice else { return }
    values.set(min(max(value, 0), 1))
  }

  static func isPressed(_ value: Float) -> Bool { value > 0 }

  // MARK: The device's side

  /// Makes a value the newest one, and says whether it is another one.
  ///
  /// On the thread of the device.
  func update(_ value: Float) -> Bool { values.update(value) }

  /// Calls the handlers with a value.
  ///
  /// On the handler queue.
  ///
  /// - Returns: Whether the value differs from the one delivered before.
  @discardableResult
  func deliver(_ value: Float) -> Bool {
    guard let last = values.deliver(value) else { return false }
    let isPressed = Self.isPressed(value)
    let changesPress = isPressed != Self.isPressed(last)
    valueHandler.value?(self, value, isPressed)
    if changesPress {
      pressedHandler.value?(self, value, isPressed)
      touchedHandler.value?(self, value, isPressed, isPressed)
    }
    return true
  }

  override var isDelivered: Bool { values.isDelivered }

  override func copyValue(of other: GCControllerElement) {
    guard let other = other as? GCControllerButtonInput else { return }
    values.set(other.value)
  }
}
