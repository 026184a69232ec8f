// SPDX-License-Identifier: Apache-2.0

import HIDWire
import IOLoop
package import SystemPackage

/// Calls that block, on threads of their own: others need the ones that tasks run on.
package enum Blocking {
  /// Does something that may block, and returns when it is done.
  ///
  /// - Throws: `EAGAIN` where there has been no thread for it for five seconds; it is not done then.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async throws(Errno) -> Value {
    let result: Result<Value, Errno> = await withCheckedContinuation { continuation in
      Thread.startWhenPossible(name: "hidsim-blocking") { error in
        continuation.resume(returning: error.map { .failure($0) } ?? .success(body()))
      }
    }
    return try result.get()
  }

  /// Does something that may block, and returns when it is done.
  ///
  /// - Parameter action: What is to be done, for the message: "ask who has it".
  /// - Throws: `limitReached` where there has been no thread for it for five seconds.
  static func run<Value: Sendable>(
    to action: String, _ body: @escaping @Sendable () -> Value
  ) async throws(HIDWireError) -> Value {
    do throws(Errno) {
      return try await run(body)
    } catch {
      throw .lacking(error, action)
    }
  }
}
