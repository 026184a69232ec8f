// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The type of a small gamepad's handler, which receives the profile and the changed element.
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

  /// Makes the small gamepad of a gamepad, which shares the gamepad's elements.
  ///
  /// - Parameter gamepad: The gamepad, which has all elements of a small gamepad.
  convenience init(of gamepad: GCExtendedGamepad) {
    let table = gamepad.table
    let order = Self.layout.map { element in
      table.place(element.name).map { table.order[$0] } ?? element.make()
    }
    self.init(sharing: ProfileTable(Self.layout, order))
  }

  /// The controller; nil if the profile belongs to none, or if the controller object no longer
  /// exists.
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

  /// True if a touch surface reports the absolute position of a touch.
  ///
  /// hidsim stores the value, which has no effect: a direction pad of buttons has no touches.
  open var reportsAbsoluteDpadValues: Bool {
    get { absolute.value }
    set { absolute.value = newValue }
  }

  /// True if the directions turn with the controller.
  ///
  /// hidsim stores the value, which has no effect.
  open var allowsRotation: Bool {
    get { rotation.value }
    set { rotation.value = newValue }
  }

  override func delivered(_ element: GCControllerElement, at place: Int, _ event: InputEvent) {
    handler.value?(self, element)
    super.delivered(element, at: place, event)
  }
}
