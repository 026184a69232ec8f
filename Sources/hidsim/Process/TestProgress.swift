// SPDX-License-Identifier: Apache-2.0
import HIDText
import Synchronization

/// The progress of a run of tests, for a progress line.
final class TestProgress: Sendable {
  private struct State: Sendable {
    var running: [String] = []
    var ended = 0
    var failed = 0
  }

  private let total: Int
  private let progress: WorkProgress
  private let state = Mutex(State())

  /// Makes the progress of a run that has not begun.
  ///
  /// - Parameter total: The number of tests.
  init(total: Int) {
    self.total = total
    progress = WorkProgress(total: total)
  }

  /// Adds a test that runs now.
  func begin(_ name: String) { state.withLock { $0.running.append(name) } }

  /// Removes a test that has ended, and counts it.
  func end(_ name: String, hasPassed: Bool) {
    state.withLock { state in
      state.running.removeAll { $0 == name }
      state.ended += 1
      state.failed += hasPassed ? 0 : 1
    }
  }

  /// The numbers of tests that have ended and failed, the estimated time left, and the tests that
  /// run now.
  var words: String {
    let state = state.withLock(\.self)
    let failed = state.failed == 0 ? "" : ", \(state.failed) failed"
    let share = progress.words(done: state.ended)
    return "\(state.ended) of \(total.counting("test"))\(failed), \(share): "
      + state.running.map(InputFiles.name).joined(separator: ", ")
  }
}
