// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The type of an axis handler, which receives the axis and its value.
public typealias GCControllerAxisValueChangedHandler = (GCControllerAxisInput, Float) -> Void

/// An axis of a stick or of a direction pad.
open class GCControllerAxisInput: GCControllerElement {
  private let values = ElementValue()
  private let handler = Slot<GCControllerAxisValueChangedHandler?>(nil)
  /// True if values are limited to -1…1; false for the axes of a cursor.
  let isLimited = Slot(true)

  /// The value: 0 at rest, from -1 (left, down) to 1 (right, up).
  ///
  /// The axes of a ``GCDeviceCursor`` are distances, which this range does not limit.
  open var value: Float { values.value }

  /// Called when the device changes the value; on a ``GCDeviceCursor``, for each distance except 0.
  open var valueChangedHandler: GCControllerAxisValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// Sets the value of an axis of a snapshot; has no effect on the axis of a device.
  ///
  /// No handler is called. The halves of the axis keep their values:
  /// ``GCControllerDirectionPad/setValueForXAxis(_:yAxis:)`` changes both.
  ///
  /// - Parameter value: From -1 to 1; a value outside is limited to this range, except on the axes
  ///   of a ``GCDeviceCursor``.
  open func setValue(_ value: Float) {
    guard !isOfDevice else { return }
    values.set(isLimited.value ? min(max(value, -1), 1) : value)
  }

  // MARK: The device's side

  func update(_ value: Float) -> Bool { values.update(value) }

  @discardableResult
  func deliver(_ value: Float) -> Bool {
    guard values.deliver(value) != nil else { return false }
    handler.value?(self, value)
    return true
  }

  /// Calls the handler with a distance.
  ///
  /// Call it on the handler queue.
  func deliverMovement(_ value: Float) { handler.value?(self, value) }

  override var isDelivered: Bool { values.isDelivered }

  override func copyValue(of other: GCControllerElement) {
    guard let other = other as? GCControllerAxisInput else { return }
    values.set(other.value)
  }
}
