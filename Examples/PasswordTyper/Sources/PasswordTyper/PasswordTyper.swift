// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStickAPI

/// Types the fields of an entry at a PC, through an InputStick.
@MainActor public final class PasswordTyper: NSObject {
  /// A character that the layout of the PC does not have.
  public struct NoKey: Error, Equatable {
    public let character: Character

    public init(_ character: Character) { self.character = character }
  }

  private let manager: InputStickManager
  private let layout: any InputStickKeyboardLayoutProtocol
  private let stickPassword: String?
  private var waiting: CheckedContinuation<Void, Never>?

  /// Makes a typer.
  ///
  /// - Parameters:
  ///   - layout: The layout of the PC, such as `de-DE`.
  ///   - stickPassword: The password of the stick; nil for a stick without one.
  public init(layout: String, stickPassword: String? = nil) {
    manager = InputStickManager(suiteName: "PasswordTyper")
    self.layout = InputStickKeyboardLayoutUtils.keyboardLayout(withCode: layout)
    self.stickPassword = stickPassword
    super.init()
    manager.delegate = self
    NotificationCenter.default.registerForInputStickConnectionNotifications(with: self)
    NotificationCenter.default.registerForInputStickStatusUpdateNotifications(with: self)
  }

  /// Types an entry, and returns when the PC has all of it.
  ///
  /// - Parameters:
  ///   - macro: What to type.
  ///   - entry: The entry.
  ///   - stick: The stick, as `hidsim stick` names it.
  /// - Throws: ``NoKey`` before anything is typed; else why the stick could not be used.
  public func type(_ macro: Macro, for entry: Entry, through stick: String) async throws {
    let actions = try macro.actions(for: entry)
    let available = Set(layout.availableCharactersString() as String)
    for case .text(let text) in actions {
      if let missing = text.first(where: { !available.contains($0) }) {
        throw NoKey(missing)
      }
    }
    manager.connectToInputStick(withIdentifier: stick)
    defer { manager.disconnectFromInputStick() }
    try await settle()
    for action in actions {
      switch action {
      case .text(let text): manager.keyboardHandler.typeText(text, withKeyboardLayout: layout)
      case .key(let key, let modifiers):
        manager.keyboardHandler.pressAndReleaseModifiers(modifiers, withKey: key)
      case .pause(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
      }
      try await settle()
    }
  }

  /// Waits until the PC has all keys.
  private func settle() async throws {
    while true {
      switch manager.connectionState {
      case .ready where manager.buffersManager.keyboardBufferEmpty: return
      case .disconnected: throw manager.lastError ?? CancellationError()
      default: await withCheckedContinuation { waiting = $0 }
      }
    }
  }

  private func wake() {
    waiting?.resume()
    waiting = nil
  }
}

extension PasswordTyper: @MainActor InputStickConnectionNotificationObserver,
  @MainActor InputStickStatusUpdateNotificationObserver
{
  public func didUpdateInputStickConnectionState(_ notification: Notification!) { wake() }
  public func didEmptyInputStickKeyboardBufferNotification() { wake() }
}

extension PasswordTyper: @MainActor InputStickManagerDelegate {
  public func inputStickManager(
    _ manager: InputStickManager!, presentErrorDialog error: (any Error)!
  ) {}

  public func inputStickManager(
    _ manager: InputStickManager!,
    presentEncryptionKeyDialog deviceData: InputStickDeviceData!, request: InputStickKeyRequest
  ) -> Bool {
    guard let stickPassword, request != .keyInvalid else { return false }
    // The stick is answered after this call.
    Task {
      self.manager.updateDevicePassword(stickPassword, savePlainText: false)
    }
    return true
  }

  public func inputStickManager(
    _ manager: InputStickManager!, presentFirmwareUpdateDialog deviceData: InputStickDeviceData!
  ) {}

  public func inputStickManager(
    _ manager: InputStickManager!, presentUSBResumeDialog deviceData: InputStickDeviceData!
  ) {}
}
