// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// An object or closure of the program that one thread passes to another.
// It is Sendable even if the value is not. The elements, profiles and players of these modules keep
// their state in atomics and under locks. A closure is called only on the queue that the program
// chose or that the module names. As in Apple's frameworks, one call runs at a time.
@usableFromInline
package struct Handed<Value>: @unchecked Sendable {
  @usableFromInline package var value: Value

  @inlinable package init(value: Value) { self.value = value }
}

/// A value that the program sets, such as a handler; any thread may read and replace it.
// It is inlinable because GameController reads several slots for each report. A call of generic
// code in another module takes hundreds of instructions.
@usableFromInline
package final class Slot<Value>: Sendable {
  @usableFromInline let state: Mutex<Handed<Value>>

  @inlinable package init(_ value: Value) { state = Mutex(Handed(value: value)) }

  @inlinable package var value: Value {
    get { state.withLock { $0 }.value }
    set {
      let new = Handed(value: newValue)
      // Release the old value outside the lock: its release may run code of the program.
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
