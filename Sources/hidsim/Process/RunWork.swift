// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDSessions
import HIDSimulator
import IOLoop
import SystemPackage
import UnixSignals

/// The work that a run does while its devices are plugged.
struct RunWork: Sendable {
  /// A script to play, resolved for the devices.
  var script: HIDScript?
  /// True if the script fails when a report or request of the host met no expectation.
  var expectsAll = false
  /// The program to run beside the devices, and its arguments; empty for no program.
  var command: [String] = []
  /// The file for the program's output; nil for the standard output of hidsim.
  ///
  /// With a file, the program has a session and process group of its own. When it ends, the
  /// processes that are left in the group are killed.
  var commandOutput: FileDescriptor?
  /// A host to simulate.
  var host: RunHost?
  /// True if input reports are read from standard input.
  var sendsStandardInput = false
  /// The duration of the run; with a command, the maximum duration; nil for no limit.
  var bound: TimeBound?
  /// True if `bound` is a maximum even without a command.
  ///
  /// In virtual time, the run then also ends after 60 s of real time.
  var endsBeforeBound = false
  /// True to wait for the program after the script has passed; false to end the program then.
  var waitsForCommand = false
  /// Called with the reason why a script failed.
  var complain: @Sendable (String) -> Void = { Output.shared.complain($0) }
  /// Called with a note about what the run waits for, or about a program that does not end.
  var note: @Sendable (String) -> Void = { Output.shared.note("hidsim: \($0)") }

  /// The results of the parts of a run.
  struct Outcome: Sendable {
    var script: ScriptEnd?
    var report: HIDScriptReport?
    /// True if the run had a program.
    var hasCommand = false
    /// The end of the program; nil without one, if it could not be started, or if hidsim ended it
    /// because the script passed.
    var child: ChildEnd?
    var childFailure: ChildFailure?
    var failure: Failure?
    /// True if the run ended because its time was over.
    var isOverTime = false
  }

  /// The end of a script.
  enum ScriptEnd: Sendable {
    case complete
    case failed
    /// The script was stopped before its end, at the given command.
    case stopped(HIDScriptStop)
  }

  private enum Ended: Sendable {
    case script(ScriptEnd, HIDScriptReport)
    case child(Result<ChildEnd, ChildFailure>)
    case sending(Failure?)
    case time
    case patience
    case signal
    /// A wait that was cancelled with the other tasks of the group.
    case woken
  }

  /// Does all parts of the run, until they are done, one fails, the time is over, or a signal ends
  /// them.
  ///
  /// - Parameter signals: The signals to handle; nil for none. While a program runs, it gets them.
  ///   Otherwise the first one ends the run.
  func serve(
    _ session: RunSession, _ signals: UnixSignalsSequence?
  ) async -> Outcome {
    // Make the runner before the program starts, so that the program's events count for the script.
    let runner = script.map {
      HIDScriptRunner(
        $0, devices: session.devices, bus: session.bus, log: session.log, base: session.base,
        expectsAll: expectsAll)
    }
    let child =
      command.isEmpty
      ? nil
      : ChildProgram(command, environment: session.environment, output: commandOutput)
    let locks: LockHosts?
    do throws(HIDBusError) {
      locks = host == .locks ? try await LockHosts(session.devices, on: session.bus) : nil
    } catch {
      return Outcome(failure: Failure(error))
    }
    // Schedule the end before the script begins: otherwise a virtual clock could pass the end.
    let end = bound.map { bound in
      session.log.timeline.scheduleEnd(at: session.log.timeline.now.advanced(by: bound.duration))
    }
    let outcome = await withTaskGroup(of: Ended.self) { group in
      var running = 0
      if let runner {
        running += 1
        group.addTask { await play(runner, session.log.timeline) }
      }
      if let child {
        running += 1
        group.addTask { await .child(child.result()) }
      }
      if sendsStandardInput {
        running += 1
        group.addTask { await .sending(sendStandardInput(session)) }
      }
      if let end {
        if child == nil, !endsBeforeBound { running += 1 }
        group.addTask {
          // If the run ends before its time, this task is cancelled, and the wait returns early.
          await end()
          return Task.isCancelled ? .woken : .time
        }
        if endsBeforeBound, session.log.timeline.isVirtual {
          group.addTask { await Self.sleep(.seconds(60)) ? .time : .woken }
        }
      }
      if let signals {
        group.addTask {
          await child.watch(signals)
          return .signal
        }
      }
      if running == 0 { running = 1 }
      return await supervise(&group, running, child)
    }
    await locks?.close()
    return outcome
  }

  /// Waits for the parts of a run, and cancels the others when one part decides the result.
  private func supervise(
    _ group: inout TaskGroup<Ended>, _ running: Int, _ child: ChildProgram?
  ) async -> Outcome {
    var outcome = Outcome(hasCommand: child != nil)
    var running = running
    var waiting: Task<Void, any Error>?
    var endsChild = false
    while running > 0, let ended = await group.next() {
      switch ended {
      case .script(let end, let report):
        running -= 1
        outcome.script = end
        outcome.report = report
        // After a failure, a program could wait for ever for events that no longer come.
        if case .failed = end { group.cancelAll() }
        guard case .complete = end, let child else { break }
        await child.begun()
        guard child.isRunning else { break }
        if waitsForCommand {
          waiting = tellLater(
            "the script passed; waiting until \(child) ends by itself", whileRunning: child)
        } else {
          // The program's actions after this point are not part of the test.
          endsChild = true
          running = 0
        }
      case .child(.success(let end)):
        running -= 1
        outcome.child = end
        // The script may still wait for the effect of the program's last action. It does not do so
        // after a program that failed, or after the end of the time.
        if end.status != 0 || outcome.isOverTime { group.cancelAll() }
      case .child(.failure(let failure)):
        running -= 1
        outcome.childFailure = failure
        group.cancelAll()
      case .sending(let failure):
        running -= 1
        outcome.failure = failure
        if failure != nil { group.cancelAll() }
      case .woken: break
      case .time:
        outcome.isOverTime = true
        if !endsBeforeBound { Output.shared.giveUpIdleReaders() }
        guard let child, outcome.child == nil else {
          running = 0
          break
        }
        child.send(SIGTERM)
        // If the group is cancelled earlier, the program's own teardown sends SIGKILL.
        group.addTask { await Self.sleep(.seconds(5)) ? .patience : .woken }
      case .patience: child?.send(SIGKILL)
      case .signal: running = 0
      }
    }
    waiting?.cancel()
    let grace = "\(ChildProgram.grace.components.seconds) s"
    let ending = child.map {
      tellLater("\($0) was sent SIGTERM; it is killed after \(grace)", whileRunning: $0)
    }
    group.cancelAll()
    // A script that is cancelled releases its keys before it ends.
    for await ended in group {
      switch ended {
      case .child(.success(let end)) where endsChild:
        guard end.how == .signaled(SIGKILL) else { break }
        note("\(end) did not end within \(grace) after SIGTERM, and was killed")
      case .child(.success(let end)): outcome.child = end
      case .script(let end, let report):
        outcome.script = end
        outcome.report = report
      default: break
      }
    }
    ending?.cancel()
    return outcome
  }

  /// Prints a note about a program after a second, if the program runs then and the task is not
  /// cancelled before.
  private func tellLater(
    _ text: String, whileRunning child: ChildProgram
  ) -> Task<Void, any Error> {
    Task { [note] in
      try await Timeline.real.sleep(for: .seconds(1))
      if child.isRunning { note(text) }
    }
  }

  /// Waits in real time.
  ///
  /// - Returns: True if the time has passed; false if the task was cancelled.
  private static func sleep(_ duration: Duration) async -> Bool {
    (try? await Timeline.real.sleep(for: duration)) != nil
  }

  /// Plays a script, and reports the reason if it failed.
  private func play(_ runner: HIDScriptRunner, _ timeline: Timeline) async -> Ended {
    let (error, report) = await runner.play()
    guard let error else {
      // A virtual clock stops with the script. Start it again, so that it reaches the bound, as the
      // real clock does.
      if bound != nil, !endsBeforeBound { timeline.start() }
      return .script(.complete, report)
    }
    if let stop = error as? HIDScriptStop { return .script(.stopped(stop), report) }
    complain("\(error)")
    return .script(.failed, report)
  }

  private func sendStandardInput(_ session: RunSession) async -> Failure? {
    do {
      try await StandardInputReports.send(to: session.devices[0])
      return nil
    } catch let failure as Failure {
      return failure
    } catch let error as HIDBusError {
      return Failure(error)
    } catch {
      return nil
    }
  }
}
