// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
package import SystemPackage

/// A thread that reads a value for each request, by a function that blocks.
///
/// The thread is started once, and not for each value. When the object is released, the thread ends
/// after the read that it is in.
package final class BlockingReader<Value: Sendable>: Sendable {
  /// The values that were asked for, until they are read.
  private final class Requests: Sendable {
    private let promises = Mutex<[Promise<Value?>]>([])
    private let count = DispatchSemaphore(value: 0)

    func add(_ promise: Promise<Value?>) {
      promises.withLock { $0.append(promise) }
      count.signal()
    }

    /// Ends the thread after it has read the values that were asked for before.
    func end() { count.signal() }

    /// Reads a value for each request, until ``end()`` was called.
    func serve(_ read: () -> Value?) {
      while true {
        count.wait()
        guard let promise = promises.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
          return
        }
        promise.fulfill(read())
      }
    }
  }

  private let requests = Requests()

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: The thread's name, cut at 15 bytes.
  ///   - read: Reads a value; nil at the end, and if reading fails.
  /// - Throws: `EAGAIN` if no thread can be started.
  package init(name: String, _ read: @escaping @Sendable () -> Value?) throws(Errno) {
    try Thread.start(name: name) { [requests] in requests.serve(read) }
  }

  deinit { requests.end() }

  /// Waits for the next value; nil at the end, if reading fails, and if the task is cancelled.
  ///
  /// After a cancellation, the thread stays in its read, and the value of that read is lost.
  ///
  /// - Parameter isCancellable: False to wait on in a cancelled task.
  package func next(isCancellable: Bool = true) async -> Value? {
    let promise = Promise<Value?>()
    requests.add(promise)
    guard isCancellable else { return await promise.get() }
    return await promise.get(onCancel: { promise.fulfill(nil) })
  }
}
