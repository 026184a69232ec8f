// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The type of a pad handler, which receives the pad and the values of its x and y axes.
public typealias GCControllerDirectionPadValueChangedHandler = (
  GCControllerDirectionPad, Float, Float
) -> Void

/// A direction pad or a stick: two axes, and four buttons that are the halves of the axes.
open class GCControllerDirectionPad: GCControllerElement {
  /// The horizontal axis: 1 is right.
  open var xAxis: GCControllerAxisInput { x }
  /// The vertical axis: 1 is up.
  open var yAxis: GCControllerAxisInput { y }
  /// The upper half of the vertical axis, as a button.
  open var up: GCControllerButtonInput { upHalf }
  /// The lower half of the vertical axis, as a button.
  open var down: GCControllerButtonInput { downHalf }
  /// The left half of the horizontal axis, as a button.
  open var left: GCControllerButtonInput { leftHalf }
  /// The right half of the horizontal axis, as a button.
  open var right: GCControllerButtonInput { rightHalf }
  private let x = GCControllerAxisInput()
  private let y = GCControllerAxisInput()
  private let upHalf = GCControllerButtonInput()
  private let downHalf = GCControllerButtonInput()
  private let leftHalf = GCControllerButtonInput()
  private let rightHalf = GCControllerButtonInput()
  private let handler = Slot<GCControllerDirectionPadValueChangedHandler?>(nil)

  /// Makes a pad that belongs to no device.
  public override init() {
    super.init()
    for part in parts { part.join(self) }
    setAnalog(true)
  }

  /// Called once when one axis or both axes change; on a ``GCDeviceCursor``, once for each event.
  open var valueChangedHandler: GCControllerDirectionPadValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// Sets the axes of a pad of a snapshot; has no effect on the pad of a device.
  ///
  /// No handler is called. A value outside the range of an axis is limited to it, except on a
  /// ``GCDeviceCursor``.
  ///
  /// - Parameters:
  ///   - xAxis: From -1 (left) to 1 (right).
  ///   - yAxis: From -1 (down) to 1 (up).
  open func setValueForXAxis(_ xAxis: Float, yAxis: Float) {
    guard !isOfDevice else { return }
    self.xAxis.setValue(xAxis)
    self.yAxis.setValue(yAxis)
    forEachButton(self.xAxis.value, self.yAxis.value) { $0.setHalf($1) }
  }

  var parts: [GCControllerElement] { [x, y, upHalf, downHalf, leftHalf, rightHalf] }

  /// Sets whether the pad and its parts have values between pressed and released.
  override func setAnalog(_ isAnalog: Bool) {
    super.setAnalog(isAnalog)
    for part in parts { part.setAnalog(isAnalog) }
  }

  override func name(_ name: String, localized: String?) {
    super.name(name, localized: localized)
    for (part, suffix) in zip(parts, Self.partNames) {
      part.name("\(name) \(suffix)", localized: localized.map { "\($0) \(suffix)" })
    }
  }

  /// The suffixes of the names of the parts, in the order of ``parts``.
  ///
  /// The name of a part is the pad's name and the suffix. For example, `Left Thumbstick X Axis` is
  /// the name of an axis on Apple's platforms.
  ///
  /// Source: SDL, src/joystick/apple/SDL_mfijoystick.m.
  private static let partNames = ["X Axis", "Y Axis", "Up", "Down", "Left", "Right"]

  /// Calls `body` with each button and the value that it has for the values of the axes.
  fileprivate func forEachButton(
    _ x: Float, _ y: Float, _ body: (GCControllerButtonInput, Float) -> Void
  ) {
    body(left, max(-x, 0))
    body(right, max(x, 0))
    body(up, max(y, 0))
    body(down, max(-y, 0))
  }

  // MARK: The device's side

  /// Sets the newest values and returns whether one of them differs from the previous one.
  ///
  /// Call it on the thread that reads the device.
  func update(_ x: Float, _ y: Float) -> Bool {
    let changesX = xAxis.update(x)
    let changesY = yAxis.update(y)
    guard changesX || changesY else { return false }
    forEachButton(x, y) { _ = $0.update($1) }
    return true
  }

  /// Calls the handlers of the parts that have changed, and then the handler of the pad.
  ///
  /// Call it on the handler queue.
  ///
  /// - Returns: False if no axis has changed; then no handler is called.
  @discardableResult
  func deliver(_ x: Float, _ y: Float) -> Bool {
    let changesX = xAxis.deliver(x)
    let changesY = yAxis.deliver(y)
    guard changesX || changesY else { return false }
    forEachButton(x, y) { $0.deliver($1) }
    handler.value?(self, x, y)
    return true
  }

  override var isDelivered: Bool { xAxis.isDelivered && yAxis.isDelivered }

  override func copyValue(of other: GCControllerElement) {
    guard let other = other as? GCControllerDirectionPad else { return }
    for (part, otherPart) in zip(parts, other.parts) { part.copyValue(of: otherPart) }
  }

  override var isOfDevice: Bool {
    didSet { for part in parts { part.isOfDevice = isOfDevice } }
  }
}

/// A pad whose axes are distances, and not limited to -1…1: the wheels of a mouse.
open class GCDeviceCursor: GCControllerDirectionPad {
  /// Makes a cursor that belongs to no device.
  public override init() {
    super.init()
    xAxis.isLimited.value = false
    yAxis.isLimited.value = false
  }

  /// Calls the handlers with distances; each call is an event, even if the distances are equal to
  /// the last ones.
  ///
  /// During the calls the axes and buttons have these values. Afterwards the values are 0, and the
  /// handlers of the buttons that had a distance are called with 0. Call it on the handler queue.
  ///
  /// - Parameters:
  ///   - x: The distance on the x axis.
  ///   - y: The distance on the y axis.
  ///   - callProfile: Called after the handlers of the cursor, before the values are 0.
  func deliverMovement(_ x: Float, _ y: Float, _ callProfile: () -> Void) {
    _ = update(x, y)
    if x != 0 { xAxis.deliverMovement(x) }
    if y != 0 { yAxis.deliverMovement(y) }
    forEachButton(x, y) { $0.deliver($1) }
    valueChangedHandler?(self, x, y)
    callProfile()
    _ = update(0, 0)
    forEachButton(0, 0) { $0.deliver($1) }
  }

  override var isDelivered: Bool { true }
}
