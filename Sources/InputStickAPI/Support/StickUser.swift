// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

package import Foundation

/// A delegate that answers requests for a password until the password was wrong, and shows nothing.
package final class StickUser: NSObject, InputStickManagerDelegate {
  /// The password; nil to refuse requests.
  package var password: String?
  private let savesPlainText: Bool

  /// Makes a delegate.
  ///
  /// - Parameters:
  ///   - password: The password; nil to refuse requests.
  ///   - savesPlainText: True if the manager stores the text of the password.
  package init(password: String?, savesPlainText: Bool) {
    self.password = password
    self.savesPlainText = savesPlainText
  }

  package func inputStickManager(
    _ inputStickManager: InputStickManager!, presentErrorDialog error: (any Error)!
  ) {}

  package func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentEncryptionKeyDialog deviceData: InputStickDeviceData!, request: InputStickKeyRequest
  ) -> Bool {
    guard let password, request != .keyInvalid else { return false }
    // The answer follows after this function has returned, also on the main queue.
    nonisolated(unsafe) let manager = inputStickManager
    let savesPlainText = savesPlainText
    DispatchQueue.main.async {
      manager?.updateDevicePassword(password, savePlainText: savesPlainText)
    }
    return true
  }

  package func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentFirmwareUpdateDialog deviceData: InputStickDeviceData!
  ) {}

  package func inputStickManager(
    _ inputStickManager: InputStickManager!,
    presentUSBResumeDialog deviceData: InputStickDeviceData!
  ) {}
}

extension NotificationCenter {
  /// Waits until a condition is true, or the task is cancelled.
  ///
  /// The condition is checked now and at each notification.
  @MainActor package func wait(
    for names: [Notification.Name], until isMet: @MainActor () -> Bool
  ) async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let tokens = names.map {
      addObserver(forName: $0, object: nil, queue: nil) { _ in continuation.yield() }
    }
    defer { for token in tokens { removeObserver(token) } }
    if isMet() { return }
    for await _ in stream where isMet() { return }
  }
}
