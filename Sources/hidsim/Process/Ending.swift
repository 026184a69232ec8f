// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDText
import IOLoop
import Synchronization
import UnixSignals

extension UnixSignalsSequence {
  private static let endSignals: [UnixSignal] = [.sigint, .sigterm, .sighup, .sigquit]

  /// Begins to catch the signals that end a command: SIGINT, SIGTERM, SIGHUP and SIGQUIT.
  ///
  /// From this call on, no write waits for its reader, so that the signals are handled in time.
  /// After one of these signals, a reader that reads nothing is given up.
  static func catchEndSignals() async -> UnixSignalsSequence {
    Output.shared.keep()
    let signals = await UnixSignalsSequence(trapping: endSignals)
    // This task has a sequence of its own: a signal must also count while the rest of the output is
    // written, when the caller no longer reads its sequence.
    Task { for await _ in signals { Output.shared.giveUpIdleReaders() } }
    return await UnixSignalsSequence(trapping: endSignals)
  }
}

/// Runs `body` until it returns, a signal arrives, or a time is over; then cancels it.
///
/// At the end of the time, output readers that take nothing are given up, as after a signal.
///
/// - Parameters:
///   - bound: The maximum time; nil for no limit.
///   - signals: The signals, if the caller already catches them; nil to catch them from this call
///     on.
///   - body: The work.
/// - Returns: The value that `body` returned, even if it was cancelled.
func untilEnded<Value: Sendable>(
  _ bound: TimeBound?, signals: UnixSignalsSequence? = nil,
  _ body: @escaping @Sendable () async -> Value
) async -> Value? {
  // Catch signals before the body runs: once its output shows that it runs, a signal must not end
  // the process.
  let signals = if let signals { signals } else { await UnixSignalsSequence.catchEndSignals() }
  return await withTaskGroup(of: Value?.self) { group in
    group.addTask { await body() }
    group.addTask {
      for await _ in signals { break }
      return nil
    }
    if let bound {
      group.addTask {
        let isOver: Void? = try? await Timeline.real.sleep(for: bound.duration)
        if isOver != nil { Output.shared.giveUpIdleReaders() }
        return nil
      }
    }
    var result: Value?
    var isFirst = true
    for await value in group {
      if isFirst { group.cancelAll() }
      isFirst = false
      if let value { result = value }
    }
    return result
  }
}
