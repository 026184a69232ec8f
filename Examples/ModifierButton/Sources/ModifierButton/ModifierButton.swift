// SPDX-License-Identifier: Apache-2.0

import GameController

/// The view model of a save button that has another effect while a modifier key is pressed.
@MainActor public final class ModifierButton {
  /// The effect of a click.
  public enum Action: Hashable, Sendable {
    case save
    /// The effect while Option is pressed, with or without Shift.
    case saveAs
    /// The effect while Shift is pressed without Option.
    case saveAll
  }

  /// The effect of a click now; the button shows it as its title.
  public private(set) var action = Action.save {
    didSet { if action != oldValue { onChange?(action) } }
  }

  /// True if a keyboard is connected.
  ///
  /// Without a keyboard ``action`` is always ``Action/save``, so a program should offer the other
  /// actions in another way, such as a menu.
  public private(set) var hasKeyboard = false

  /// Called when ``action`` changes.
  public var onChange: ((Action) -> Void)?

  // The property is safe without isolation: `deinit` reads it when there is no other reference to
  // the model.
  private nonisolated(unsafe) var observers: [any NSObjectProtocol] = []

  /// Makes the model and starts to follow the keyboards.
  public init() {
    observe(.GCKeyboardDidConnect) { $0.connect() }
    observe(.GCKeyboardDidDisconnect) { $0.disconnect() }
    connect()
  }

  deinit { for observer in observers { NotificationCenter.default.removeObserver(observer) } }

  private func observe(
    _ name: Notification.Name, _ body: @escaping @MainActor (ModifierButton) -> Void
  ) {
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) {
        [weak self] _ in
        MainActor.assumeIsolated { if let self { body(self) } }
      })
  }

  private func connect() {
    guard let input = GCKeyboard.coalesced?.keyboardInput else { return }
    hasKeyboard = true
    input.keyChangedHandler = { [weak self] input, _, _, _ in
      MainActor.assumeIsolated { self?.update(from: input) }
    }
    update(from: input)
  }

  private func disconnect() {
    hasKeyboard = false
    action = .save
  }

  private func update(from input: GCKeyboardInput) {
    func isPressed(_ codes: GCKeyCode...) -> Bool {
      codes.contains { input.button(forKeyCode: $0)?.isPressed == true }
    }
    if isPressed(.leftAlt, .rightAlt) {
      action = .saveAs
    } else if isPressed(.leftShift, .rightShift) {
      action = .saveAll
    } else {
      action = .save
    }
  }
}
