// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// Calls that block, on threads of their own: others need the ones that tasks run on.
package enum Blocking {
  /// Does something that may block, and returns when it is done.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.runWhenPossible(name: "hidsim-blocking") { continuation.resume(returning: body()) }
    }
  }
}
