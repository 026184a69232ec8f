// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The newest value of a setting that has not been sent.
final class News<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  /// Sets the newest value and returns whether no value was waiting.
  func replace(_ new: Value) -> Bool {
    value.withLock { value in
      defer { value = new }
      return value == nil
    }
  }

  /// Takes the waiting value; nil if there is none.
  func take() -> Value? { value.withLock { $0.take() } }
}
