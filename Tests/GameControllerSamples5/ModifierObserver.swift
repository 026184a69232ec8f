// SPDX-License-Identifier: Apache-2.0

// Written like code for Apple's platforms, except for the import of Combine.
import GameController
import OpenCombine

/// An observer of the modifier keys of all connected keyboards.
public class ModifierObserver: ObservableObject {
  /// The connected keyboard; nil if there is none.
  @Published public var keyboard: GCKeyboard? = nil
  /// True from the press of a command key until one is released.
  @Published public var isCommandPressed = false

  private var observers: [NSObjectProtocol] = []

  /// Starts to follow the keyboards.
  public init() {
    observers.append(
      NotificationCenter.default.addObserver(
        forName: .GCKeyboardDidConnect, object: nil, queue: .main
      ) { [weak self] notification in
        guard let self = self, let keyboard = notification.object as? GCKeyboard else { return }
        self.keyboard = keyboard
        keyboard.keyboardInput?.keyChangedHandler = { [weak self] _, _, keyCode, pressed in
          if keyCode == .leftGUI || keyCode == .rightGUI { self?.isCommandPressed = pressed }
        }
      })
    observers.append(
      NotificationCenter.default.addObserver(
        forName: NSNotification.Name.GCKeyboardDidDisconnect, object: nil, queue: .main
      ) { [weak self] _ in
        self?.keyboard?.keyboardInput?.keyChangedHandler = nil
        self?.keyboard = nil
        self?.isCommandPressed = false
      })
  }

  deinit { observers.forEach(NotificationCenter.default.removeObserver) }

  /// True if a click now is one with the command key.
  public var isCommandClick: Bool {
    keyboard?.keyboardInput?.button(forKeyCode: .leftGUI)?.isPressed == true
      || keyboard?.keyboardInput?.button(forKeyCode: GCKeyCode(rawValue: CFIndex(231)))?.isPressed
        == true
  }

  /// True while a shift key is pressed.
  public static var isShiftDown: Bool {
    guard let input = GCKeyboard.coalesced?.keyboardInput else { return false }
    return (input[GCKeyLeftShift] as? GCControllerButtonInput)?.isPressed ?? false
      || input.buttons[GCKeyRightShift]?.isPressed ?? false
  }
}

/// The pointer of a game, which follows the mice with handlers that are methods.
public final class PointerInput {
  /// The keys that are pressed.
  public private(set) var pressedKeys = Set<GCKeyCode>()
  /// The position of the pointer.
  public private(set) var position: (x: Float, y: Float) = (0, 0)
  /// The distance that the wheel was turned.
  public private(set) var scrolled: Float = 0
  /// True while the left button is pressed.
  public private(set) var isFiring = false
  /// The number of mice that have been connected.
  public private(set) var miceConnected = 0
  private var token: NSObjectProtocol?

  /// Starts to follow keyboard and mice.
  public init() {
    if let keyboard = GCKeyboard.coalesced?.keyboardInput {
      keyboard.keyChangedHandler = keyChanged
    }
    token = NotificationCenter.default.addObserver(
      forName: .GCMouseDidConnect, object: nil, queue: nil
    ) { [weak self] in self?.connect($0.object as? GCMouse) }
    GCMouse.mice().forEach(connect)
  }

  deinit { token.map(NotificationCenter.default.removeObserver) }

  private func connect(_ mouse: GCMouse?) {
    guard let input = mouse?.mouseInput else { return }
    miceConnected += 1
    input.mouseMovedHandler = { [weak self] _, deltaX, deltaY in
      self?.position.x += deltaX
      self?.position.y -= deltaY
    }
    input.leftButton.pressedChangedHandler = { [weak self] _, _, pressed in self?.isFiring = pressed
    }
    input.scroll.valueChangedHandler = { [weak self] _, vertical, _ in self?.scrolled += vertical }
  }

  private func keyChanged(
    _ input: GCKeyboardInput, _ key: GCControllerButtonInput, _ code: GCKeyCode, _ pressed: Bool
  ) {
    if pressed { pressedKeys.insert(code) } else { pressedKeys.remove(code) }
  }
}

/// A mouse for tests.
open class FakeMouse: GCMouse {
  override public init() { super.init() }
}

/// A controller for tests, with a button that the test presses.
public class FakeController: GCController {
  private let gamepad = GCExtendedGamepad()
  private let title: String

  /// Creates a controller with a name.
  public init(title: String) {
    self.title = title
    super.init()
  }

  public override var extendedGamepad: GCExtendedGamepad? { gamepad }
  public override var vendorName: String? { title }

  /// Presses the lower face button.
  public func pressA() { gamepad.buttonA.setValue(1) }
}

/// Waits for the next notification with a name, and returns its object.
public func next(_ name: NSNotification.Name) async -> Any? {
  for await notification in NotificationCenter.default.notifications(named: name) {
    return notification.object
  }
  return nil
}
