// SPDX-License-Identifier: Apache-2.0

import HIDBus
import IOLoop
package import SystemPackage

/// Calls that block, each on a thread of its own.
///
/// The threads on which tasks run must stay free for other tasks.
package enum Blocking {
  /// Calls a body that may block, and returns when it is done.
  ///
  /// - Throws: `EAGAIN` if no thread can be started; see `Thread.startWhenPossible(name:_:)`. In
  ///   that case the body was not called.
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

  /// Calls a body that may block, and returns when it is done.
  ///
  /// - Parameter action: The action as the error message names it, such as "seize /dev/hidraw3".
  /// - Throws: `limitReached` if no thread can be started. In that case the body was not called.
  static func run<Value: Sendable>(
    to action: String, _ body: @escaping @Sendable () -> Value
  ) async throws(HIDBusError) -> Value {
    do throws(Errno) {
      return try await run(body)
    } catch {
      throw .lacking(error, action)
    }
  }
}
