// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The newest value of a setting, until it is sent.
final class News<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// Makes a value the newest one, and says whether none waited.
  func replace(_ new: Value) -> Bool {
    value.withLock { value in
      defer { value = new }
      return value == nil
    }
  }

  /// Takes the value that waits.
  func take() -> Value? { value.withLock { $0.take() } }
}
