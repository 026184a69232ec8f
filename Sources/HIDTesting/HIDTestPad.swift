// SPDX-License-Identifier: Apache-2.0

public import Testing

/// A button or trigger of a gamepad, by its name in GameController.
///
/// Face buttons are named by their positions: A is below, B to the right, X to the left, Y above.
public struct HIDTestPadButton: Hashable, Sendable, CustomStringConvertible {
  /// The name in GameController's profiles.
  public let description: String
  /// The names that device files give the button; the first one that a file has is used.
  let controls: [String]

  private init(_ description: String, _ controls: String...) {
    self.description = description
    self.controls = controls
  }

  /// The lower face button.
  public static let buttonA = Self("Button A", "south")
  /// The right face button.
  public static let buttonB = Self("Button B", "east")
  /// The left face button.
  public static let buttonX = Self("Button X", "west")
  /// The upper face button.
  public static let buttonY = Self("Button Y", "north")
  /// The left shoulder button.
  public static let leftShoulder = Self("Left Shoulder", "leftShoulder", "l1", "l")
  /// The right shoulder button.
  public static let rightShoulder = Self("Right Shoulder", "rightShoulder", "r1", "r")
  /// The left trigger.
  public static let leftTrigger = Self("Left Trigger", "leftTrigger", "zl")
  /// The right trigger.
  public static let rightTrigger = Self("Right Trigger", "rightTrigger", "zr")
  /// The primary menu button: the right one of two.
  public static let buttonMenu = Self("Button Menu", "start", "options", "plus")
  /// The secondary menu button: the left one of two.
  public static let buttonOptions = Self("Button Options", "select", "create", "share", "minus")
  /// The button with the logo.
  public static let buttonHome = Self("Button Home", "home", "ps")
  /// The button in the left stick.
  public static let leftThumbstickButton = Self("Left Thumbstick Button", "leftStick", "l3")
  /// The button in the right stick.
  public static let rightThumbstickButton = Self("Right Thumbstick Button", "rightStick", "r3")
  /// The button below the touchpad.
  public static let touchpadButton = Self("Touchpad Button", "touchpad")
}

/// A stick or direction pad of a gamepad, by its name in GameController.
public struct HIDTestPadStick: Hashable, Sendable, CustomStringConvertible {
  /// The name in GameController's profiles.
  public let description: String
  /// The controls of a stick or direction pad, by the names that device files give them.
  enum Controls: Hashable {
    /// The two axes of a stick.
    case axes(x: String, y: String)
    /// A hat; a file may have a button for each direction instead.
    case hat(String)
  }

  /// The controls that a test sets.
  let controls: Controls

  private init(_ description: String, _ controls: Controls) {
    self.description = description
    self.controls = controls
  }

  /// The left stick.
  public static let leftThumbstick = Self("Left Thumbstick", .axes(x: "leftX", y: "leftY"))
  /// The right stick.
  public static let rightThumbstick = Self("Right Thumbstick", .axes(x: "rightX", y: "rightY"))
  /// The direction pad.
  public static let dpad = Self("Direction Pad", .hat("dpad"))
}

@available(macOS 15, *)
extension HIDTestDevice {
  /// Presses a button or trigger of a gamepad all the way; it stays down.
  ///
  /// - Throws: ``HIDTestingError/noSuchPadControl(_:lookedFor:)`` if the device file names no
  ///   control for the button. The other calls for gamepads throw it too.
  public func press(
    _ button: HIDTestPadButton, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await set(button, to: 1, sourceLocation: sourceLocation)
  }

  /// Releases a button or trigger of a gamepad.
  public func release(
    _ button: HIDTestPadButton, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await set(button, to: 0, sourceLocation: sourceLocation)
  }

  /// Presses and releases a button of a gamepad.
  public func tap(
    _ button: HIDTestPadButton, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await press(button, sourceLocation: sourceLocation)
    try await release(button, sourceLocation: sourceLocation)
  }

  /// Sets how far a button or trigger of a gamepad is pressed.
  ///
  /// - Parameters:
  ///   - button: The button.
  ///   - value: From 0, released, to 1, pressed all the way; limited to that range.
  ///   - sourceLocation: The location that a failure names.
  public func set(
    _ button: HIDTestPadButton, to value: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.padButton(button, value), sourceLocation)
  }

  /// Moves a stick or direction pad of a gamepad, in one report for each report ID of its controls.
  ///
  /// - Parameters:
  ///   - stick: The stick.
  ///   - x: From -1, left, to 1, right; limited to that range.
  ///   - y: From -1, down, to 1, up; limited to that range. A direction pad takes the sign of both.
  ///   - sourceLocation: The location that a failure names.
  /// - Throws: ``HIDTestingError/noSuchPadControl(_:lookedFor:)``;
  ///   ``HIDTestingError/rawPadControl(_:_:)`` if an axis of the stick has no usage of the page
  ///   Generic Desktop.
  public func set(
    _ stick: HIDTestPadStick, x: Double, y: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await perform(.padStick(stick, x: x, y: y), sourceLocation)
  }
}
