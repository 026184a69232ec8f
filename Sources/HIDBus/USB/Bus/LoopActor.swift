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
    checkLoop()
    return try withoutActuallyEscaping(body) { body throws(Failure) in
      // The two types differ in the isolation only, which is checked above. The standard library
      // removes it in the same way in `assumeIsolated`.
      let body = unsafeBitCast(body, to: ((Self) throws(Failure) -> Result).self)
      return try body(self)
    }
  }

  /// Calls a closure with the actor and two arguments; the caller must be on the thread of its
  /// loop.
  ///
  /// A closure that captures nothing needs no allocation.
  ///
  /// - Parameters:
  ///   - argument: The first argument, such as a span.
  ///   - other: The second argument.
  ///   - body: The closure, which is called once, before the return.
  @inline(__always)
  nonisolated func assumeOnLoop<Argument: ~Escapable, Other, Result: Sendable, Failure: Error>(
    with argument: Argument, _ other: Other,
    _ body: @escaping (isolated Self, Argument, Other) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    checkLoop()
    // As in ``assumeOnLoop(_:)``.
    let body = unsafeBitCast(body, to: ((Self, Argument, Other) throws(Failure) -> Result).self)
    return try body(self, argument, other)
  }

  /// Returns a closure that calls another one with the actor and its argument.
  ///
  /// The closure holds the actor, and must be called on the thread of the actor's loop.
  nonisolated func loopHandler<Argument>(
    _ body: @escaping @Sendable (isolated Self, Argument) -> Void
  ) -> @Sendable (Argument) -> Void {
    // As in ``assumeOnLoop(_:)``. In the returned closure the cast would allocate at each call.
    let body = unsafeBitCast(body, to: (@Sendable (Self, Argument) -> Void).self)
    return { argument in
      self.checkLoop()
      body(self, argument)
    }
  }

  /// Returns a closure that calls another one with the actor.
  ///
  /// The closure holds the actor, and must be called on the thread of the actor's loop.
  nonisolated func loopHandler(
    _ body: @escaping @Sendable (isolated Self) -> Void
  ) -> @Sendable () -> Void {
    let body = unsafeBitCast(body, to: (@Sendable (Self) -> Void).self)
    return {
      self.checkLoop()
      body(self)
    }
  }

  /// Stops the program if the caller is not on the thread of the actor's loop.
  @inline(__always)
  private nonisolated func checkLoop() {
    loop.checkIsolated()
    // The executor is the loop. The tests check that: their builds define DEBUG.
    #if DEBUG
      preconditionIsolated()
    #endif
  }
}
