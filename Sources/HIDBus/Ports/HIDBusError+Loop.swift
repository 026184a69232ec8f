// SPDX-License-Identifier: Apache-2.0

package import IOLoop
package import SystemPackage

extension HIDBusError {
  /// Checks that a loop runs.
  ///
  /// A call that waits for a loop which does not run never returns.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - action: The action as the message names it.
  /// - Throws: `limitReached` if the process lacked something for the loop: see `IOLoop.failure`.
  package static func check(
    _ loop: IOLoop, _ action: @autoclosure () -> String
  ) throws(HIDBusError) {
    if let failure = loop.failure { throw lacking(failure, action()) }
  }

  /// Checks that a timeline can enforce deadlines.
  ///
  /// - Throws: `limitReached` if the process lacked something for the timeline's loop: see
  ///   `IOLoop.failure`.
  package static func check(
    _ timeline: Timeline, _ action: @autoclosure () -> String
  ) throws(HIDBusError) {
    if let failure = timeline.failure { throw lacking(failure, action()) }
  }

  /// Returns the error of an action for which the process lacked descriptors, epoll watches
  /// (`ENOSPC`), memory (`ENOMEM`) or threads (`EAGAIN`).
  package static func lacking(_ failure: Errno, _ action: String) -> HIDBusError {
    HIDBusError(
      .limitReached, "\(action): \(failure); \(remedy(for: failure))",
      errorNumber: failure.rawValue)
  }

  /// Returns the end of a message: what the process needs more of, and the remedy.
  ///
  /// - Parameter failure: The error of a call for which the process lacked descriptors, epoll
  ///   watches, memory or threads.
  package static func remedy(for failure: Errno) -> String {
    let limit =
      switch failure {
      case .resourceTemporarilyUnavailable:
        "threads: raise the limit (ulimit -u, or pids.max of the container)"
      case .noSpace: "epoll watches: raise the limit (sysctl fs.epoll.max_user_watches)"
      case .noMemory: "memory: end other programs, or raise memory.max of the container"
      case .tooManyOpenFilesInSystem:
        "open files: raise the limit of the system (sysctl fs.file-max)"
      default: "open files: raise the limit (ulimit -n)"
      }
    return "this process needs more \(limit)"
  }
}

extension Thread {
  /// Calls a body that may block on a thread of its own, and returns its result.
  ///
  /// - Parameters:
  ///   - action: The action as the error message names it, such as "seize /dev/hidraw3".
  ///   - body: The body, which is not called if this method throws.
  /// - Throws: `limitReached` if no thread can be started.
  package static func call<Value: Sendable>(
    to action: String, _ body: @escaping @Sendable () -> Value
  ) async throws(HIDBusError) -> Value {
    do throws(Errno) {
      return try await call(body)
    } catch {
      throw .lacking(error, action)
    }
  }
}
