// SPDX-License-Identifier: Apache-2.0

/// A timer of a part of a manager.
///
/// It calls its body once, unless it is stopped or started again before. The body is not called
/// when its owner is gone.
final class StickTimer<Owner: AnyObject> {
  private var cancel: (@Sendable () -> Void)?
  /// Whether the timer was started, and has neither called its body nor been stopped.
  var isRunning: Bool { cancel != nil }

  /// Starts the timer anew.
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

  /// Stops the timer: its body is not called.
  func stop() { cancel.take()?() }
}
