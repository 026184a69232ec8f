// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSessions
import HIDSimulator
import HIDTraces
import IOLoop
import UnixSignals

/// A replay on plugged devices, and the program beside it.
struct ReplayRun: Sendable {
  let plan: ReplayPlan
  let session: RunSession
  /// The program and its arguments; empty for none.
  let command: [String]
  let waitReader: TimeBound?
  let bound: TimeBound?
  /// The time before a report is due from which the thread polls the clock; nil for the default.
  let spin: Duration?
  let isRealtime: Bool

  /// The results of a replay and of its program.
  struct Outcome: Sendable {
    var result: ReplayResult?
    var verdict: ReplayWatch.Verdict?
    var childStatus: Int32?
    /// The end of the program, as text.
    var childWords: String?
    var childFailure: String?
    fileprivate var isAsAsserted = true

    fileprivate var hasFailed: Bool {
      if let childStatus, childStatus != 0 { return true }
      if let result, !result.isComplete { return true }
      return !isAsAsserted
    }
  }

  fileprivate enum Ended: Sendable {
    /// The replay has ended; the result is nil if the replay was cancelled before it began.
    case played(ReplayResult?, isAsAsserted: Bool)
    case child(Result<ChildEnd, ChildFailure>)
    /// A signal arrived, and the program may have received it, too.
    ///
    /// The signal is SIGTERM if the task was cancelled, and nil if the time is over.
    case asked(by: Int32?)
    /// The grace period of the program after the signal has passed.
    case patience(after: Int32)
  }

  /// The time to wait for the remaining actions of the hosts if the assertion has no times.
  private static let patience = Duration.seconds(1)

  /// Plays the trace with the program beside it, and waits for both.
  ///
  /// After a failure, a signal or the end of the time, the part that still runs is ended. A replay
  /// that repeats without end is ended with its program.
  func run(_ signals: UnixSignalsSequence) async -> Outcome {
    let child = command.isEmpty ? nil : ChildProgram(command, environment: session.environment)
    var outcome = Outcome()
    let watch = plan.assertion.map {
      ReplayWatch($0, of: plan.labels(of: session.devices), log: session.log)
    }
    // Begin before the program starts: hidsim notices only after some time that a client has opened
    // a node, and the client may already have sent a request.
    plan.begin(on: session.devices)
    // A desktop may have opened a device already: its reports are not those of the program.
    let isOpen = waitReader != nil && watch != nil ? await session.hasReader : false
    let begin = isOpen ? nil : MonotonicTime.now
    await withTaskGroup(of: Ended.self) { group in
      var running = 1
      group.addTask { await play(watch, since: begin) }
      if let child {
        running += 1
        group.addTask { await .child(child.result()) }
      }
      group.addTask {
        for await signal in signals {
          child?.pass(signal)
          return .asked(by: signal.rawValue)
        }
        // The task was cancelled. The program gets SIGTERM from its own teardown.
        return .asked(by: SIGTERM)
      }
      if let bound {
        group.addTask {
          _ = try? await Timeline.real.sleep(for: bound.duration)
          return .asked(by: nil)
        }
      }
      var isAsked = false
      while running > 0, let ended = await group.next() {
        switch ended {
        case .played, .child: running -= 1
        case .asked(let signal):
          isAsked = true
          Output.shared.giveUpIdleReaders()
          guard let child, outcome.childStatus == nil else { break }
          if signal == nil { child.send(SIGTERM) }
          group.addTask { await Self.waitForGrace(after: signal ?? SIGTERM) }
        case .patience(let signal):
          // If the task of this run is cancelled, the program gets SIGTERM from its own teardown,
          // and has its grace period. This SIGKILL would come too early.
          guard let child, !Task.isCancelled else { break }
          if signal == SIGTERM {
            child.send(SIGKILL)
          } else {
            // The program may ignore SIGINT, or not have received it.
            child.send(SIGTERM)
            group.addTask { await Self.waitForGrace(after: SIGTERM) }
          }
        }
        outcome.note(ended)
        // After a failure the remaining work is not awaited: a program may wait for events that no
        // longer come.
        if outcome.hasFailed || isAsked && (child == nil || outcome.childStatus != nil) { break }
        // A replay that repeats for ever has no end of its own: it ends with its program.
        if plan.pace.loops == nil, outcome.childStatus != nil { break }
      }
      // After a failure, the program is ended below. Its status must not hide the first failure.
      let isEnded = outcome.hasFailed && outcome.childStatus == nil
      group.cancelAll()
      for await ended in group { outcome.note(ended) }
      if isEnded {
        outcome.childStatus = nil
        outcome.childWords = nil
      }
    }
    // Compare after the end of the program, so that everything that the program did counts.
    if outcome.result?.isComplete == true { outcome.verdict = watch?.verdict() }
    return outcome
  }

  /// Waits for the time that the program has to end after the signal.
  private static func waitForGrace(after signal: Int32) async -> Ended {
    _ = try? await Timeline.real.sleep(for: ChildProgram.grace)
    return .patience(after: signal)
  }

  /// Plays the trace, once a program has opened a device if the replay waits for that.
  ///
  /// - Parameters:
  ///   - watch: The comparison with the trace, if there is one.
  ///   - begin: A time before the program of the replay was started; nil if another program had a
  ///     device open by then.
  private func play(_ watch: ReplayWatch?, since begin: MonotonicTime?) async -> Ended {
    let watching = Task { await watch?.watch() }
    defer { watching.cancel() }
    var hostStart: MonotonicTime?
    if let waitReader {
      let deadline = MonotonicTime.now.advanced(by: waitReader.duration)
      hostStart = await session.waitForOpen(since: begin, until: deadline)
      guard hostStart != nil else {
        if Task.isCancelled { return .played(nil, isAsAsserted: true) }
        return .played(
          ReplayResult(
            total: plan.total,
            failure: "--wait-reader: no program opened a device within \(waitReader)"),
          isAsAsserted: true)
      }
    }
    let result = await plan.play(on: session.devices, spin: spin, isRealtime: isRealtime)
    guard let watch, result.isComplete else { return .played(result, isAsAsserted: true) }
    watching.cancel()
    await watching.value
    let start = result.playback.start ?? .now
    let isAsAsserted = await watch.settle(
      start: start, hostStart: hostStart ?? start, patience: Self.patience)
    return .played(result, isAsAsserted: isAsAsserted)
  }
}

extension ReplayRun.Outcome {
  fileprivate mutating func note(_ ended: ReplayRun.Ended) {
    switch ended {
    case .played(let result, let isAsAsserted):
      self.result = result
      self.isAsAsserted = isAsAsserted
    case .child(.success(let end)):
      childStatus = end.status
      childWords = end.words
    case .child(.failure(let failure)):
      childStatus = failure.status
      childWords = "\(failure.name) could not be run"
      childFailure = "\(failure.name): \(failure.reason)"
    case .asked, .patience: break
    }
  }
}
