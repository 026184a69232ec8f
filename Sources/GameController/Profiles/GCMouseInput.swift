// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The type of a movement handler, which receives the profile, the distance to the right and the
/// distance up, in counts of the device.
public typealias GCMouseMoved = (GCMouseInput, Float, Float) -> Void

/// The controls of a mouse.
open class GCMouseInput: GCPhysicalInputProfile {
  private let handler = Slot<GCMouseMoved?>(nil)

  static let scrollName = "Scroll"
  static let leftName = "Left Button"
  static let rightName = "Right Button"
  static let middleName = "Middle Button"

  /// Returns the elements of a mouse, with at least one button.
  ///
  /// - Parameter buttonCount: The number of buttons.
  static func layout(buttonCount: Int) -> [ElementLayout] {
    var layout = [ElementLayout(scrollName, .cursor, "Scroll")]
    for number in 1...max(buttonCount, 1) {
      let name: String =
        switch number {
        case 1: leftName
        case 2: rightName
        case 3: middleName
        default: "Auxiliary Button \(number - 3)"
        }
      layout.append(ElementLayout(name, .button, name))
    }
    return layout
  }

  override class var standardLayout: [ElementLayout] { layout(buttonCount: 3) }

  /// Called when the mouse moves.
  ///
  /// Movements that wait for the handler, with no other event between them, are summed into one
  /// call.
  open var mouseMovedHandler: GCMouseMoved? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// The wheels, in counts of the device.
  ///
  /// A count is one detent, unless a driver has asked the mouse for a higher resolution.
  ///
  /// As on macOS, the x axis is the vertical wheel, negative away from the user. The y axis is the
  /// horizontal wheel, negative to the left.
  open var scroll: GCDeviceCursor {
    table.dpads[Self.scrollName] as? GCDeviceCursor ?? GCDeviceCursor()
  }

  /// The primary button.
  open var leftButton: GCControllerButtonInput { button(Self.leftName) }

  /// The secondary button; nil if the mouse has none.
  open var rightButton: GCControllerButtonInput? { table.buttons[Self.rightName] }

  /// The third button; nil if the mouse has none.
  open var middleButton: GCControllerButtonInput? { table.buttons[Self.middleName] }

  /// The buttons from the fourth on; nil if the mouse has none.
  open var auxiliaryButtons: [GCControllerButtonInput]? {
    // The wheels and the three buttons with names of their own come first.
    let buttons = table.order.dropFirst(4).compactMap { $0 as? GCControllerButtonInput }
    return buttons.isEmpty ? nil : buttons
  }

  override func deliverMovement(_ x: Float, _ y: Float) { handler.value?(self, x, y) }
}
