// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import Synchronization

/// The commands of a stream that are not done with, so that they can be stopped.
final class StreamProgress: Sendable {
  private struct Pending: Sendable {
    let token: JSONText?
    var isStopped = false
    var task: Task<Void, Never>?
  }

  private struct State: Sendable {
    var last = 0
    var pending: [Int: Pending] = [:]
  }

  private let state = Mutex(State())

  /// Adds a command that was read.
  ///
  /// - Returns: Its number.
  func add(token: JSONText?) -> Int {
    state.withLock { state in
      state.last += 1
      state.pending[state.last] = Pending(token: token)
      return state.last
    }
  }

  /// Whether a command is not to be begun, or gone on with.
  func isStopped(_ number: Int) -> Bool {
    state.withLock { $0.pending[number]?.isStopped == true }
  }

  /// Forgets a command that is done with.
  func remove(_ number: Int) { state.withLock { $0.pending[number] = nil } }

  /// Carries out a command, so that it is cancelled when it is stopped, or the task is.
  func run(_ number: Int, _ body: @escaping @Sendable () async -> Void) async {
    let task = Task { await body() }
    let isStopped = state.withLock { state in
      state.pending[number]?.task = task
      return state.pending[number]?.isStopped == true
    }
    if isStopped { task.cancel() }
    await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Stops the commands with a token, or all.
  ///
  /// - Returns: How many there were.
  func stop(token: JSONText?) -> Int {
    let stopped = state.withLock { state in
      let numbers = state.pending.filter { token == nil || $0.value.token == token }.keys
      for number in numbers { state.pending[number]?.isStopped = true }
      return numbers.map { state.pending[$0]?.task }
    }
    for task in stopped { task?.cancel() }
    return stopped.count
  }
}
