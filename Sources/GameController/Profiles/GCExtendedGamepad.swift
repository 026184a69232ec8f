// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

/// The type of a gamepad handler, which receives the profile and the changed element.
public typealias GCExtendedGamepadValueChangedHandler = (GCExtendedGamepad, GCControllerElement) ->
  Void

/// The controls of a gamepad.
///
/// If the device lacks a control, the element stays at rest, or is nil if its property is optional.
///
/// Face buttons are named by their positions: A is at the bottom, B on the right, X on the left,
/// and Y at the top.
open class GCExtendedGamepad: GCPhysicalInputProfile {
  private let handler = Slot<GCExtendedGamepadValueChangedHandler?>(nil)

  /// The elements that every gamepad has; ``optionalLayout`` has those that only some have.
  static let requiredLayout = [
    ElementLayout(GCInputDirectionPad, .digitalPad, "Direction Pad"),
    ElementLayout(GCInputLeftThumbstick, .pad, "Left Thumbstick"),
    ElementLayout(GCInputRightThumbstick, .pad, "Right Thumbstick"),
    ElementLayout(GCInputButtonA, .button, "A Button"),
    ElementLayout(GCInputButtonB, .button, "B Button"),
    ElementLayout(GCInputButtonX, .button, "X Button"),
    ElementLayout(GCInputButtonY, .button, "Y Button"),
    ElementLayout(GCInputLeftShoulder, .button, "Left Shoulder"),
    ElementLayout(GCInputRightShoulder, .button, "Right Shoulder"),
    ElementLayout(GCInputLeftTrigger, .trigger, "Left Trigger"),
    ElementLayout(GCInputRightTrigger, .trigger, "Right Trigger"),
    ElementLayout(GCInputButtonMenu, .button, "Menu Button"),
  ]
  static let optionalLayout = [
    ElementLayout(GCInputButtonOptions, .button, "Options Button"),
    ElementLayout(GCInputButtonHome, .button, "Home Button"),
    ElementLayout(GCInputLeftThumbstickButton, .button, "Left Thumbstick Button"),
    ElementLayout(GCInputRightThumbstickButton, .button, "Right Thumbstick Button"),
    ElementLayout(GCInputDualShockTouchpadButton, .button, "Touchpad Button"),
    ElementLayout(GCInputButtonShare, .button, "Share Button"),
  ]

  /// The touches on the touchpad of Sony's controllers.
  static let touchLayout = [
    ElementLayout(GCInputDualShockTouchpadOne, .pad, "Touchpad 1"),
    ElementLayout(GCInputDualShockTouchpadTwo, .pad, "Touchpad 2"),
  ]

  override class var standardLayout: [ElementLayout] { requiredLayout + optionalLayout.prefix(4) }

  /// The controller; nil if the profile belongs to none, or if the controller object no longer
  /// exists.
  open var controller: GCController? { device as? GCController }

  /// Called for each element that changes, after the handlers of the element.
  open var valueChangedHandler: GCExtendedGamepadValueChangedHandler? {
    get { handler.value }
    set { handler.value = newValue }
  }

  /// The lower face button.
  open var buttonA: GCControllerButtonInput { button(GCInputButtonA) }
  /// The right face button.
  open var buttonB: GCControllerButtonInput { button(GCInputButtonB) }
  /// The left face button.
  open var buttonX: GCControllerButtonInput { button(GCInputButtonX) }
  /// The upper face button.
  open var buttonY: GCControllerButtonInput { button(GCInputButtonY) }
  /// The primary menu button: the right one of two.
  open var buttonMenu: GCControllerButtonInput { button(GCInputButtonMenu) }
  /// The secondary menu button: the left one of two; nil if there is none.
  open var buttonOptions: GCControllerButtonInput? { buttons[GCInputButtonOptions] }
  /// The button with the maker's mark; nil if there is none.
  open var buttonHome: GCControllerButtonInput? { buttons[GCInputButtonHome] }
  /// The direction pad.
  open var dpad: GCControllerDirectionPad { pad(GCInputDirectionPad) }
  /// The left stick.
  open var leftThumbstick: GCControllerDirectionPad { pad(GCInputLeftThumbstick) }
  /// The right stick.
  open var rightThumbstick: GCControllerDirectionPad { pad(GCInputRightThumbstick) }
  /// The left shoulder button.
  open var leftShoulder: GCControllerButtonInput { button(GCInputLeftShoulder) }
  /// The right shoulder button.
  open var rightShoulder: GCControllerButtonInput { button(GCInputRightShoulder) }
  /// The left trigger.
  open var leftTrigger: GCControllerButtonInput { button(GCInputLeftTrigger) }
  /// The right trigger.
  open var rightTrigger: GCControllerButtonInput { button(GCInputRightTrigger) }
  /// The button in the left stick; nil if there is none.
  open var leftThumbstickButton: GCControllerButtonInput? { buttons[GCInputLeftThumbstickButton] }
  /// The button in the right stick; nil if there is none.
  open var rightThumbstickButton: GCControllerButtonInput? {
    buttons[GCInputRightThumbstickButton]
  }

  /// Copies the state of another gamepad, for the elements that both have, and its
  /// ``GCPhysicalInputProfile/lastEventTimestamp``.
  ///
  /// The call changes only a snapshot; it has no effect on the profile of a device.
  ///
  /// - Parameter extendedGamepad: The other gamepad.
  open func setStateFrom(_ extendedGamepad: GCExtendedGamepad) {
    setStateFromPhysicalInput(extendedGamepad)
  }

  override func delivered(_ element: GCControllerElement, at place: Int, _ event: InputEvent) {
    handler.value?(self, element)
    super.delivered(element, at: place, event)
    guard let micro, let twin = micro.table.place(table.layout[place].name) else { return }
    micro.delivered(element, at: twin, event)
  }

  override func deliverMotion() { controller?.motion?.deliver() }

  /// The small gamepad whose handlers are called with those of this profile; nil for a snapshot.
  var micro: GCMicroGamepad? {
    get { microSlot.value }
    set { microSlot.value = newValue }
  }
  private let microSlot = Slot<GCMicroGamepad?>(nil)
}

/// The controls of a DualShock 4.
open class GCDualShockGamepad: GCExtendedGamepad {
  override class var standardLayout: [ElementLayout] {
    requiredLayout + optionalLayout.prefix(5) + touchLayout
  }

  /// The button below the touchpad.
  open var touchpadButton: GCControllerButtonInput { button(GCInputDualShockTouchpadButton) }
  /// The position of the first touch on the touchpad; 0, 0 without a touch.
  open var touchpadPrimary: GCControllerDirectionPad { pad(GCInputDualShockTouchpadOne) }
  /// The position of the second touch on the touchpad; 0, 0 without a second touch.
  open var touchpadSecondary: GCControllerDirectionPad { pad(GCInputDualShockTouchpadTwo) }
}

/// The controls of a DualSense.
open class GCDualSenseGamepad: GCExtendedGamepad {
  override class var standardLayout: [ElementLayout] {
    requiredLayout + optionalLayout.prefix(5) + touchLayout
  }

  /// The button below the touchpad.
  open var touchpadButton: GCControllerButtonInput { button(GCInputDualShockTouchpadButton) }
  /// The position of the first touch on the touchpad; 0, 0 without a touch.
  open var touchpadPrimary: GCControllerDirectionPad { pad(GCInputDualShockTouchpadOne) }
  /// The position of the second touch on the touchpad; 0, 0 without a second touch.
  open var touchpadSecondary: GCControllerDirectionPad { pad(GCInputDualShockTouchpadTwo) }
}

/// The controls of an Xbox controller.
open class GCXboxGamepad: GCExtendedGamepad {
  /// The share button; nil if there is none.
  open var buttonShare: GCControllerButtonInput? { buttons[GCInputButtonShare] }
  /// The first paddle: always nil, since hidsim knows no report that has it.
  open var paddleButton1: GCControllerButtonInput? { buttons[GCInputXboxPaddleOne] }
  /// The second paddle: always nil, since hidsim knows no report that has it.
  open var paddleButton2: GCControllerButtonInput? { buttons[GCInputXboxPaddleTwo] }
  /// The third paddle: always nil, since hidsim knows no report that has it.
  open var paddleButton3: GCControllerButtonInput? { buttons[GCInputXboxPaddleThree] }
  /// The fourth paddle: always nil, since hidsim knows no report that has it.
  open var paddleButton4: GCControllerButtonInput? { buttons[GCInputXboxPaddleFour] }
}
