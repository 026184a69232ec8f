// SPDX-License-Identifier: Apache-2.0

import Foundation
import InputStick
import InputStickAPI

/// A client that sends input to a host through a stick (a simulated InputStick), with the module
/// `InputStickAPI`.
@MainActor final class StickInput {
  private let manager: InputStickManager
  private let user: StickUser
  private let place: StickEndpoint

  /// Connects to a stick, sends, waits until the host has taken everything, and disconnects.
  ///
  /// - Parameter steps: The input. Each step begins when the host has taken the input of the step
  ///   before.
  /// - Throws: Status 69 if no link can be made, if the stick has no host or a suspended host when
  ///   the link is made, or if the stick goes out of range; 77 if the password is missing or wrong;
  ///   1 if the link or the host is lost in another way before the host has taken everything.
  nonisolated static func send(
    through place: StickEndpoint, password: String?,
    _ steps: @Sendable @MainActor (InputStickManager) -> Void...
  ) async throws {
    try await run(place, password, steps)
  }

  private static func run(
    _ place: StickEndpoint, _ password: String?,
    _ steps: [@Sendable @MainActor (InputStickManager) -> Void]
  ) async throws {
    let input = StickInput(place, password)
    defer { input.manager.disconnectFromInputStick() }
    try await input.connect()
    for step in steps {
      step(input.manager)
      try await input.settle()
    }
  }

  private init(_ place: StickEndpoint, _ password: String?) {
    self.place = place
    user = StickUser(password: password, savesPlainText: false)
    manager = InputStickManager(storingIn: VolatileDefaults())
    manager.delegate = user
  }

  private func connect() async throws {
    manager.connectToInputStick(withIdentifier: place.description)
    await NotificationCenter.default.wait(for: [.stickConnection]) {
      switch self.manager.connectionState {
      case .disconnected, .usbNotReady, .usbSuspended, .ready: true
      case .connecting, .initializing: false
      }
    }
    switch manager.connectionState {
    case .ready: return
    case .usbNotReady:
      throw Failure(.unavailable, "the stick at \(place) has no host: no host has configured it")
    case .usbSuspended:
      throw Failure(
        .unavailable, "the host has suspended the stick at \(place): resume the host first")
    default: throw failure(.unavailable)
    }
  }

  /// Waits until the host has taken everything that was sent before.
  private func settle() async throws {
    // The buffers count only their own reports. Other input, such as a gamepad's report, has
    // arrived when the second status from now arrives. The stick may have sent the first status
    // before that input reached it.
    let isCounted = !manager.buffersManager.allBuffersEmpty
    var statuses = -1
    await NotificationCenter.default.wait(for: [.stickBuffers, .stickConnection]) {
      statuses += 1
      return self.manager.connectionState != .ready
        || (isCounted || statuses >= 2) && self.manager.buffersManager.allBuffersEmpty
    }
    switch manager.connectionState {
    case .ready: return
    case .disconnected: throw failure(.failed)
    default:
      throw Failure(
        .failed, "the host stopped taking input before it had everything; it may have a part")
    }
  }

  /// Makes the failure for a link that has ended.
  private func failure(_ status: Failure.Status) -> Failure {
    let error = manager.lastError as NSError?
    let reason = error?.localizedDescription ?? "the link has ended"
    switch (error?.code).flatMap({ InputStickErrorCode(rawValue: .init($0)) }) {
    case .INPUTSTICK_ERROR_ENCRYPTION_NO_KEY:
      return Failure(.noPermission, "the stick at \(place) has a password: add --password")
    case .INPUTSTICK_ERROR_ENCRYPTION_INVALID_KEY:
      return Failure(.noPermission, "the password is not that of the stick at \(place)")
    case .INPUTSTICK_ERROR_BT_CONNECTION_TIMEDOUT where status == .unavailable,
      .INPUTSTICK_ERROR_BT_OUT_OF_RANGE:
      return Failure(
        .unavailable,
        "no stick answers at \(place); hidsim stick and hidsim list --json print places")
    default:
      let rest = status == .failed ? "; the host may have a part of the input" : ""
      return Failure(status, "the link to the stick at \(place) ended: \(reason)\(rest)")
    }
  }

  /// Divides `distance` into steps for reports.
  ///
  /// The number of steps depends on the larger of the two distances, so that both have the same
  /// number. Each step is from -127 to 127.
  nonisolated static func steps(_ distance: Int, _ other: Int) -> [Int8] {
    let count = max(1, (max(abs(distance), abs(other)) + 126) / 127)
    return (0..<count).map { Int8(distance * ($0 + 1) / count - distance * $0 / count) }
  }
}
