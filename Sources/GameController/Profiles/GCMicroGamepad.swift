// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The handler of a small gamepad: its profile and the element that has changed.
public typealias GCMicroGamepadValueChangedHandler = (GCMicroGamepad, GCControllerElement) -> Void

/// The controls that every controller has: a direction pad and three buttons.
open class GCMicroGamepad: GCPhysicalInputProfile {
  private let handler = Slot<GCMicroGamepadValueChangedHandler?>(nil)
  private let absolute = Slot(true)
  private let rotation = Slot(false)

  static let layout = GCExtendedGamepad.requiredLayout.filter {
    [GCInputDirectionPad, GCInputButtonA, GCInputButtonX, GCInputButtonMenu].contains($0.name)
  }

  override class var standardLayout: [ElementLayout] { layout }

  /// Makes the small gamepad of a gamepad: its elements are those of the other one.
  ///
  /// - Parameter gamepad: The gamepad, which has all of them.
  convenience init(of gamepad: GCExtendedGamepad) {
    let table = gamepad.table
    let order = Self.layout.map { element in
      table.place(element.name).map { table.order[$0] } ?? element.make()
    }
    self.init(sharing: ProfileTable(Self.layout, order))
  }

  /// The controller; nil of a snapshot, and when the controller object is gone.
  open var controller: GCController? { device as? GCController }

  /// Called for each element that changes, after the handlers of the element.
  open var valueChangedHandler: GCMicroGamepadValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// The direction pad.
  open var dpad: GCControllerDirectionPad { pad(GCInputDirectionPad) }
  /// The lower face button.
  open var buttonA: GCControllerButtonInput { button(GCInputButtonA) }
  /// The left face button.
  open var buttonX: GCControllerButtonInput { button(GCInputButtonX) }
  /// The primary menu button.
  open var buttonMenu: GCControllerButtonInput { button(GCInputButtonMenu) }

  /// Whether a touch surface reports where it is touched; a direction pad of buttons always does.
  open var reportsAbsoluteDpadValues: Bool {
    get { absolute.value }
    set { absolute.value = newValue }
  }

  /// Whether the directions turn with the controller: hidsim keeps the value, and turns nothing.
  open var allowsRotation: Bool {
    get { rotation.value }
    set { rotation.value = newValue }
  }

  override func delivered(_ element: GCControllerElement, at place: Int, _ event: InputEvent) {
    handler.value?(self, element)
    super.delivered(element, at: place, event)
  }
}
