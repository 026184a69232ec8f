// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStickAPI

/// A typer that sends the fields of an entry to a PC through an InputStick.
@MainActor public final class PasswordTyper: NSObject {
  /// The error for a character that the layout of the PC does not have.
  public struct NoKey: Error, Equatable {
    /// The character.
    public let character: Character

    /// Makes the error for a character.
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

  /// Types an entry, and returns when the PC has received all of it.
  ///
  /// - Parameters:
  ///   - macro: The actions to type.
  ///   - entry: The entry.
  ///   - stick: The identifier of the stick, as `hidsim stick` prints it.
  /// - Throws: ``NoKey`` before anything is typed; otherwise the error that made the stick
  ///   unusable. `CancellationError` if there is no such error, or if the task is cancelled during
  ///   a pause.
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

  /// Waits until the stick is ready and the PC has received all keys.
  ///
  /// - Throws: The error of the connection if the stick is disconnected; `CancellationError` if
  ///   there is no such error.
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
  /// Resumes `settle()` when the connection state changes.
  public func didUpdateInputStickConnectionState(_ notification: Notification!) { wake() }
  /// Resumes `settle()` when the keyboard buffer is empty.
  public func didEmptyInputStickKeyboardBufferNotification() { wake() }
}

extension PasswordTyper: @MainActor InputStickManagerDelegate {
  /// Shows no dialog: ``type(_:for:through:)`` throws the error.
  public func inputStickManager(
    _ manager: InputStickManager!, presentErrorDialog error: (any Error)!
  ) {}

  /// Sends the password of the stick; returns false if there is none or it is not valid.
  public func inputStickManager(
    _ manager: InputStickManager!,
    presentEncryptionKeyDialog deviceData: InputStickDeviceData!, request: InputStickKeyRequest
  ) -> Bool {
    guard let stickPassword, request != .keyInvalid else { return false }
    // Answer the stick after this call has returned.
    Task {
      self.manager.updateDevicePassword(stickPassword, savePlainText: false)
    }
    return true
  }

  /// Shows no dialog.
  public func inputStickManager(
    _ manager: InputStickManager!, presentFirmwareUpdateDialog deviceData: InputStickDeviceData!
  ) {}

  /// Shows no dialog.
  public func inputStickManager(
    _ manager: InputStickManager!, presentUSBResumeDialog deviceData: InputStickDeviceData!
  ) {}
}
