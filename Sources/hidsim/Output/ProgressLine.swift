// SPDX-License-Identifier: Apache-2.0

import HIDSessions
import HIDSimulator
import HIDText
import IOLoop

/// A line at the end of a terminal that shows the progress of the work.
///
/// It is written to standard error, and only to a terminal. Each line of output replaces it, and it
/// is written again below.
struct ProgressLine {
  /// The time between two updates.
  private static let beat = Duration.milliseconds(250)

  /// True if standard error is a terminal that can show the line.
  static var isShown: Bool { Terminal.standardError.isCapable }

  /// Runs a body, and shows what `words` returns until the body has ended.
  ///
  /// - Parameter command: The program that runs beside the body. With a program, nothing is shown,
  ///   so that the progress line does not mix with the output of the program.
  static func during<Value: Sendable>(
    _ words: @escaping @Sendable () -> String, beside command: [String] = [],
    _ body: () async throws -> Value
  ) async rethrows -> Value {
    guard isShown, command.isEmpty else { return try await body() }
    let line = Task { await run(words) }
    do {
      let value = try await body()
      line.cancel()
      await line.value
      return value
    } catch {
      line.cancel()
      await line.value
      throw error
    }
  }

  /// Shows what `words` returns, until the task is cancelled; then removes the line.
  static func run(_ words: @Sendable () -> String) async {
    while !Task.isCancelled {
      Output.shared.showStatus(words())
      _ = try? await Timeline.real.sleep(for: beat)
    }
    Output.shared.removeStatus()
  }
}

/// The size of a task, and the time when it began.
struct WorkProgress: Sendable {
  let total: Int
  let start: MonotonicTime

  init(total: Int, start: MonotonicTime = .now) {
    self.total = total
    self.start = start
  }

  /// Returns the percentage that is done, and the estimated time for the rest.
  ///
  /// The time is left out until a twentieth of the task is done and a second has passed, and again
  /// once the task is done.
  func words(done: Int) -> String {
    guard total > 0 else { return "0 %" }
    let done = min(done, total)
    let part = "\(done * 100 / total) %"
    let seconds = MonotonicTime.now.duration(since: start).wholeMicroseconds / 1_000_000
    guard done < total, done * 20 >= total, seconds >= 1 else { return part }
    let left = Double(seconds) * Double(total - done) / Double(done)
    return "\(part), about \(Self.text(seconds: Int(left.rounded(.up)))) left"
  }

  /// Returns a number of seconds as "7 s" or "1 min 05 s".
  static func text(seconds: Int) -> String {
    guard seconds >= 60 else { return "\(seconds) s" }
    let rest = seconds % 60
    return "\(seconds / 60) min \(rest < 10 ? "0" : "")\(rest) s"
  }
}
