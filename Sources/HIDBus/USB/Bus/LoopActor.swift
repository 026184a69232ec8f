// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// An actor whose executor is a loop.
protocol LoopActor: Actor {
  /// The loop that is the executor of the actor.
  nonisolated var loop: IOLoop { get }
}

extension LoopActor {
  /// Calls a closure with the actor; the caller must be on the thread of its loop.
  ///
  /// It does what `assumeIsolated` does, and stops the program where that does. In a handler of a
  /// loop `assumeIsolated` takes about 600 instructions, since it asks the runtime and the main
  /// executor first.
  ///
  /// - Parameter body: The closure, which is called once, before the return.
  @inline(__always)
  nonisolated func assumeOnLoop<Result: Sendable, Failure: Error>(
    _ body: (isolated Self) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    loop.checkIsolated()
    // The executor is the loop: the tests check it, whose builds define DEBUG.
    #if DEBUG
      preconditionIsolated()
    #endif
    return try withoutActuallyEscaping(body) { body throws(Failure) in
      // The two types differ in the isolation only, which is checked above: the standard library
      // removes it in the same way in `assumeIsolated`.
      let body = unsafeBitCast(body, to: ((Self) throws(Failure) -> Result).self)
      return try body(self)
    }
  }
}
