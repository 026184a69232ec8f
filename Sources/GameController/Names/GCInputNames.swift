// SPDX-License-Identifier: Apache-2.0

// The names of elements in the profiles of controllers.

/// The lower face button.
public let GCInputButtonA = "Button A"
/// The right face button.
public let GCInputButtonB = "Button B"
/// The left face button.
public let GCInputButtonX = "Button X"
/// The upper face button.
public let GCInputButtonY = "Button Y"
/// The direction pad.
public let GCInputDirectionPad = "Direction Pad"
/// The left thumbstick.
public let GCInputLeftThumbstick = "Left Thumbstick"
/// The right thumbstick.
public let GCInputRightThumbstick = "Right Thumbstick"
/// The left shoulder.
public let GCInputLeftShoulder = "Left Shoulder"
/// The right shoulder.
public let GCInputRightShoulder = "Right Shoulder"
/// The left trigger.
public let GCInputLeftTrigger = "Left Trigger"
/// The right trigger.
public let GCInputRightTrigger = "Right Trigger"
/// The left thumbstick button.
public let GCInputLeftThumbstickButton = "Left Thumbstick Button"
/// The right thumbstick button.
public let GCInputRightThumbstickButton = "Right Thumbstick Button"
/// The primary menu button.
public let GCInputButtonMenu = "Button Menu"
/// The secondary menu button.
public let GCInputButtonOptions = "Button Options"
/// The button with the maker's mark.
public let GCInputButtonHome = "Button Home"
/// The share button of an Xbox controller, or the capture button of a Switch Pro Controller.
public let GCInputButtonShare = "Button Share"
/// The button below the touchpad of a DualShock or DualSense.
public let GCInputDualShockTouchpadButton = "Touchpad Button"
/// The first touch of the touchpad of a DualShock or DualSense.
public let GCInputDualShockTouchpadOne = "Touchpad 1"
/// The second touch of the touchpad of a DualShock or DualSense.
public let GCInputDualShockTouchpadTwo = "Touchpad 2"
/// The first paddle of an Xbox controller; hidsim does not read it.
public let GCInputXboxPaddleOne = "Paddle 1"
/// The second paddle of an Xbox controller; hidsim does not read it.
public let GCInputXboxPaddleTwo = "Paddle 2"
/// The third paddle of an Xbox controller; hidsim does not read it.
public let GCInputXboxPaddleThree = "Paddle 3"
/// The fourth paddle of an Xbox controller; hidsim does not read it.
public let GCInputXboxPaddleFour = "Paddle 4"
/// The direction pad of a small gamepad.
public let GCInputMicroGamepadDpad = GCInputDirectionPad
/// The lower face button of a small gamepad.
public let GCInputMicroGamepadButtonA = GCInputButtonA
/// The left face button of a small gamepad.
public let GCInputMicroGamepadButtonX = GCInputButtonX
/// The menu button of a small gamepad.
public let GCInputMicroGamepadButtonMenu = GCInputButtonMenu

/// The category of a DualSense.
public let GCProductCategoryDualSense = "DualSense"
/// The category of a DualShock 4.
public let GCProductCategoryDualShock4 = "DualShock 4"
/// The category of an Xbox controller.
public let GCProductCategoryXboxOne = "Xbox One"
/// The category of controllers that are made for iPhones; hidsim finds none.
public let GCProductCategoryMFi = "MFi"
