// SPDX-License-Identifier: Apache-2.0

/// The handler of a direction pad: the pad, and the values of its x and y axis.
public typealias GCControllerDirectionPadValueChangedHandler = (
  GCControllerDirectionPad, Float, Float
) -> Void

/// A direction pad or a stick: two axes, and the same as four buttons.
open class GCControllerDirectionPad: GCControllerElement {
  /// The horizontal axis: 1 is right.
  public let xAxis = GCControllerAxisInput()
  /// The vertical axis: 1 is up.
  public let yAxis = GCControllerAxisInput()
  /// The upper half of the vertical axis, as a button.
  public let up = GCControllerButtonInput()
  /// The lower half of the vertical axis, as a button.
  public let down = GCControllerButtonInput()
  /// The left half of the horizontal axis, as a button.
  public let left = GCControllerButtonInput()
  /// The right half of the horizontal axis, as a button.
  public let right = GCControllerButtonInput()
  private let handler = Slot<GCControllerDirectionPadValueChangedHandler?>(nil)

  /// Makes a pad of no device.
  public override init() {
    super.init()
    for part in parts { part.join(self) }
    setAnalog(true)
  }

  /// Called when an axis changes: once for both.
  public var valueChangedHandler: GCControllerDirectionPadValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// Sets the axes of a pad of a snapshot; has no effect on the pad of a device.
  ///
  /// - Parameters:
  ///   - xAxis: From -1, left, to 1, right; other values are cut.
  ///   - yAxis: From -1, down, to 1, up; other values are cut.
  public func setValueForXAxis(_ xAxis: Float, yAxis: Float) {
    guard !isOfDevice else { return }
    self.xAxis.setValue(xAxis)
    self.yAxis.setValue(yAxis)
    forEachButton(self.xAxis.value, self.yAxis.value) { $0.setValue($1) }
  }

  var parts: [GCControllerElement] { [xAxis, yAxis, up, down, left, right] }

  /// Calls a body with each button, and the value that it has for values of the axes.
  private func forEachButton(
    _ x: Float, _ y: Float, _ body: (GCControllerButtonInput, Float) -> Void
  ) {
    body(left, max(-x, 0))
    body(right, max(x, 0))
    body(up, max(y, 0))
    body(down, max(-y, 0))
  }

  // MARK: The device's side

  /// Makes values the newest ones, and says whether they are others.
  ///
  /// On the thread of the device.
  func update(_ x: Float, _ y: Float) -> Bool {
    let changesX = xAxis.update(x)
    let changesY = yAxis.update(y)
    guard changesX || changesY else { return false }
    forEachButton(x, y) { _ = $0.update($1) }
    return true
  }

  /// Calls the handlers of the pad and of its parts.
  ///
  /// On the handler queue.
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

/// A pad whose axes are distances, and not limited to -1…1: the scroll wheel of a mouse.
open class GCDeviceCursor: GCControllerDirectionPad {
  /// Makes a cursor of no device.
  public override init() {
    super.init()
    xAxis.isLimited.value = false
    yAxis.isLimited.value = false
  }

  /// Calls the handlers with distances, each of which is an event, even of equal values.
  ///
  /// The axes have the values meanwhile, and 0 afterwards. On the handler queue.
  func deliverMovement(_ x: Float, _ y: Float) {
    _ = update(x, y)
    if x != 0 { xAxis.deliverMovement(x) }
    if y != 0 { yAxis.deliverMovement(y) }
    valueChangedHandler?(self, x, y)
    _ = update(0, 0)
  }

  override var isDelivered: Bool { true }
}
