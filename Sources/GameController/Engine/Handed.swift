// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An object or closure of the program, handed from one thread to another.
// Sendable though the value need not be. An element or profile of this module keeps its state in
// atomics and under locks. A closure is only called on the handler queue that the program chose for
// it, one call at a time, as Apple's framework calls it.
struct Handed<Value>: @unchecked Sendable {
  var value: Value
}

/// A property of the program's that any thread may read and replace.
final class Slot<Value>: Sendable {
  private let state: Mutex<Handed<Value>>

  init(_ value: Value) { state = Mutex(Handed(value: value)) }

  var value: Value {
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
}

/// A number that any thread may read and replace.
final class FloatCell: Sendable {
  private let bits = Atomic<UInt32>(0)

  var value: Float {
    get { Float(bitPattern: bits.load(ordering: .relaxed)) }
    set { bits.store(newValue.bitPattern, ordering: .relaxed) }
  }
}
