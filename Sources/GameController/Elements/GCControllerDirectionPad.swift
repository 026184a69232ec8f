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
    let (x, y) = (self.xAxis.value, self.yAxis.value)
    for (button, value) in buttonValues(x, y) { button.setValue(value) }
  }

  var parts: [GCControllerElement] { [xAxis, yAxis, up, down, left, right] }

  private func buttonValues(_ x: Float, _ y: Float) -> [(GCControllerButtonInput, Float)] {
    [(up, max(y, 0)), (down, max(-y, 0)), (left, max(-x, 0)), (right, max(x, 0))]
  }

  // MARK: The device's side

  /// Makes values the newest ones, and says whether they are others.
  ///
  /// On the thread of the device.
  func update(_ x: Float, _ y: Float) -> Bool {
    let changesX = xAxis.update(x)
    let changesY = yAxis.update(y)
    if changesX {
      _ = left.update(max(-x, 0))
      _ = right.update(max(x, 0))
    }
    if changesY {
      _ = up.update(max(y, 0))
      _ = down.update(max(-y, 0))
    }
    return changesX || changesY
  }

  /// Calls the handlers of the pad and of its parts.
  ///
  /// On the handler queue.
  @discardableResult
  func deliver(_ x: Float, _ y: Float) -> Bool {
    let changesX = xAxis.deliver(x)
    let changesY = yAxis.deliver(y)
    guard changesX || changesY else { return false }
    if changesX {
      left.deliver(max(-x, 0))
      right.deliver(max(x, 0))
    }
    if changesY {
      up.deliver(max(y, 0))
      down.deliver(max(-y, 0))
    }
    handler.value?(self, x, y)
    return true
  }

  override var isDelivered: Bool { xAxis.isDelivered && yAxis.isDelivered }

  override func deliverNewest() { deliver(xAxis.value, yAxis.value) }

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
