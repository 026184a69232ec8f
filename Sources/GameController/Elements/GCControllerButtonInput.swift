// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The type of a button handler, which receives the button, its value from 0 to 1, and true if it
/// is pressed.
public typealias GCControllerButtonValueChangedHandler = (GCControllerButtonInput, Float, Bool) ->
  Void
/// The type of a touch handler, which receives the button, its value, true if it is pressed, and
/// true if it is touched.
public typealias GCControllerButtonTouchedChangedHandler = (
  GCControllerButtonInput, Float, Bool, Bool
) -> Void

/// A button, key or trigger, or a half of an axis of a direction pad.
open class GCControllerButtonInput: GCControllerElement {
  private let values = ElementValue()
  private let valueHandler = Slot<GCControllerButtonValueChangedHandler?>(nil)
  private let pressedHandler = Slot<GCControllerButtonValueChangedHandler?>(nil)
  private let touchedHandler = Slot<GCControllerButtonTouchedChangedHandler?>(nil)

  /// True if the button is pressed: its value is above 0.
  open var isPressed: Bool { Self.isPressed(value) }

  /// True if a finger is on the button.
  ///
  /// hidsim reads no touch sensors: a button counts as touched while it is pressed.
  open var isTouched: Bool { isPressed }

  /// The value of the button, from 0 (released) to 1 (fully pressed).
  ///
  /// The halves of a ``GCDeviceCursor`` have distances, which this range does not limit.
  open var value: Float { values.value }

  /// Called when the device changes the value.
  open var valueChangedHandler: GCControllerButtonValueChangedHandler? {
    get { valueHandler.value }
    set { valueHandler.value = newValue }
  }

  /// Called when the button is pressed or released, after ``valueChangedHandler``.
  open var pressedChangedHandler: GCControllerButtonValueChangedHandler? {
    get { pressedHandler.value }
    set { pressedHandler.value = newValue }
  }

  /// Called when a touch of the button begins or ends: each time that it is pressed or released.
  open var touchedChangedHandler: GCControllerButtonTouchedChangedHandler? {
    get { touchedHandler.value }
    set { touchedHandler.value = newValue }
  }

  /// Sets the value of a button of a snapshot; has no effect on the button of a device.
  ///
  /// No handler is called. The axis of a half of a pad keeps its value.
  ///
  /// - Parameter value: From 0 to 1; a value outside is limited to this range.
  open func setValue(_ value: Float) {
    guard !isOfDevice else { return }
    values.set(min(max(value, 0), 1))
  }

  /// Sets the value of a half of a pad that belongs to no device.
  ///
  /// - Parameter value: The value; the axis has limited it, if it has a limit.
  func setHalf(_ value: Float) { values.set(value) }

  static func isPressed(_ value: Float) -> Bool { value > 0 }

  // MARK: The device's side

  /// Sets the newest value and returns whether it differs from the previous one.
  ///
  /// Call it on the thread that reads the device.
  func update(_ value: Float) -> Bool { values.update(value) }

  /// Calls the handlers with a value if it differs from the value delivered before.
  ///
  /// Call it on the handler queue.
  ///
  /// - Returns: True if the value differs from the one delivered before.
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
