// SPDX-License-Identifier: Apache-2.0

/// A timer that calls its body once, for a part of a manager.
///
/// The body is not called if the timer is stopped or started again before, or if its owner is
/// released.
final class StickTimer<Owner: AnyObject> {
  private var cancel: (@Sendable () -> Void)?
  /// True while a call of the body is pending.
  var isRunning: Bool { cancel != nil }

  /// Starts the timer; a call that is still pending is cancelled.
  ///
  /// Without an environment the body is not called.
  func start(
    _ milliseconds: Int, of owner: Owner, in environment: (any StickEnvironment)?,
    _ body: @escaping @Sendable (Owner) -> Void
  ) {
    stop()
    let timer = Confined(self)
    let owner = Confined(owner)
    cancel = environment?.schedule(afterMilliseconds: milliseconds) {
      timer.value?.cancel = nil
      if let owner = owner.value { body(owner) }
    }
  }

  /// Stops the timer; its body is not called.
  func stop() { cancel.take()?() }
}
