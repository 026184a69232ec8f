// SPDX-License-Identifier: Apache-2.0
import HIDText
import Synchronization

/// The registry of a stream's pending commands, through which they can be stopped.
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
  /// - Returns: The number of the command.
  func add(token: JSONText?) -> Int {
    state.withLock { state in
      state.last += 1
      state.pending[state.last] = Pending(token: token)
      return state.last
    }
  }

  /// Returns whether a pending command was stopped; false for a command that was removed.
  func isStopped(_ number: Int) -> Bool {
    state.withLock { $0.pending[number]?.isStopped == true }
  }

  /// Removes a command that is done.
  func remove(_ number: Int) { state.withLock { $0.pending[number] = nil } }

  /// Carries out a command; cancels it when it is stopped or the calling task is cancelled.
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

  /// Stops the pending commands with a token; all pending commands if the token is `nil`.
  ///
  /// - Returns: The number of stopped commands.
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
