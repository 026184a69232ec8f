// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An object or closure of the program, handed from one thread to another.
// Sendable though the value need not be. An element, profile or player of these modules keeps its
// state in atomics and under locks. A closure is only called on the queue that the program chose for
// it or that the module names, one call at a time, as Apple's frameworks call it.
package struct Handed<Value>: @unchecked Sendable {
  package var value: Value

  package init(value: Value) { self.value = value }
}

/// A property of the program's that any thread may read and replace.
package final class Slot<Value>: Sendable {
  private let state: Mutex<Handed<Value>>

  package init(_ value: Value) { state = Mutex(Handed(value: value)) }

  package var value: Value {
    get { state.withLock { $0 }.value }
    set {
      let new = Handed(value: newValue)
      // The old value ends outside the lock: its end may run code of the program.
      let old = state.withLock { state in
        defer { state = new }
        return state
      }
      withExtendedLifetime(old) {}
    }
  }

  /// Changes the value under the lock.
  package func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0.value) } }
}
