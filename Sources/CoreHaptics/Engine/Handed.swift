// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// An object or closure of the program, handed from one thread to another.
// Sendable though the value need not be. An element, profile or player of these modules keeps its
// state in atomics and under locks. A closure is only called on the queue that the program chose
// for it or that the module names, one call at a time, as Apple's frameworks call it.
@usableFromInline
package struct Handed<Value>: @unchecked Sendable {
  @usableFromInline package var value: Value

  @inlinable package init(value: Value) { self.value = value }
}

/// A property of the program's that any thread may read and replace.
// Inlinable, since GameController reads several for each report: a call of generic code of another
// module takes hundreds of instructions.
@usableFromInline
package final class Slot<Value>: Sendable {
  @usableFromInline let state: Mutex<Handed<Value>>

  @inlinable package init(_ value: Value) { state = Mutex(Handed(value: value)) }

  @inlinable package var value: Value {
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
  @inlinable package func change(_ body: (inout Value) -> Void) {
    state.withLock { body(&$0.value) }
  }
}
