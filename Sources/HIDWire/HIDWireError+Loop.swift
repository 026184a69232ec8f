// SPDX-License-Identifier: Apache-2.0

package import IOLoop
package import SystemPackage

extension HIDWireError {
  /// Checks that a loop runs, since a call that waits for one that does not would wait for ever.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - action: What is to be done with it, for the message.
  /// - Throws: `limitReached` where the process had no descriptors or no thread for it.
  package static func check(
    _ loop: IOLoop, _ action: @autoclosure () -> String
  ) throws(HIDWireError) {
    if let failure = loop.failure { throw lacking(failure, action()) }
  }

  /// Checks that deadlines are met.
  ///
  /// - Throws: `limitReached` where the process had no descriptors or no thread for it.
  package static func check(
    _ timeline: Timeline, _ action: @autoclosure () -> String
  ) throws(HIDWireError) {
    if let failure = timeline.failure { throw lacking(failure, action()) }
  }

  /// The error of an action for which the process had no descriptor, no memory (`ENOMEM`), or no thread (`EAGAIN`).
  package static func lacking(_ failure: Errno, _ action: String) -> HIDWireError {
    let limit =
      switch failure {
      case .resourceTemporarilyUnavailable:
        "threads: raise the limit (ulimit -u, or pids.max of the container)"
      case .noMemory: "memory"
      default: "open files: raise the limit (ulimit -n)"
      }
    return HIDWireError(
      .limitReached, "\(action): \(failure); this process needs more \(limit)",
      errorNumber: failure.rawValue)
  }
}
