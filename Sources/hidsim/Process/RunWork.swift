// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSimulator
import HIDSystem
import HIDWire
import IOLoop
import SystemPackage
import UnixSignals

/// What goes on while the devices of a run are plugged.
struct RunWork: Sendable {
  /// A script to play, resolved for the devices.
  var script: HIDScript?
  /// Whether the script fails if a report or request of the host met no expectation.
  var expectsAll = false
  /// The words of a program to run beside them; none for no program.
  var command: [String] = []
  /// Where the program's output goes, which has a session of its own then, all of which ends with it; nil for our own.
  var commandOutput: FileDescriptor?
  /// A host to play.
  var host: RunCommand.Host?
  /// Whether input reports come from standard input.
  var sendsStandardInput = false
  /// How long it goes on; with a command, how long at most.
  var bound: TimeBound?
  /// Whether the bound is how long at most without a command, too; in a virtual time, as well as a minute of the real one.
  var endsBeforeBound = false
  /// Whether to wait for the program after the script has passed; else the program is ended.
  var waitsForCommand = false
  /// Who is told why a script failed.
  var complain: @Sendable (String) -> Void = { Output.shared.complain($0) }
  /// Prints a note about what the run waits for.
  var note: @Sendable (String) -> Void = { Output.shared.note("hidsim: \($0)") }

  /// How the parts of a run ended.
  struct Outcome: Sendable {
    var script: ScriptEnd?
    var report: HIDScriptReport?
    /// Whether a program ran.
    var hasCommand = false
    /// How the program ended; nil if it was ended with the script.
    var child: ChildEnd?
    var childFailure: ChildFailure?
    var failure: Failure?
    /// Whether it was ended because its time was over.
    var isOverTime = false
  }

  /// How a script ended.
  enum ScriptEnd: Sendable {
    case complete
    case failed
    /// Before it was done, with the command that it was at.
    case stopped(HIDScriptStop)
  }

  private enum Ended: Sendable {
    case script(ScriptEnd, HIDScriptReport)
    case child(Result<ChildEnd, ChildFailure>)
    case sending(Failure?)
    case time
    case patience
    case signal
    /// A wait that was ended with all others.
    case woken
  }

  /// Does what was asked for, until it is done, or a signal ends it.
  ///
  /// - Parameter signals: Those that end it; nil for none.
  func serve(
    _ session: RunSession, _ signals: UnixSignalsSequence?
  ) async -> Outcome {
    // Made before the program starts, so that events caused by the program count for the script.
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
    do throws(HIDWireError) {
      locks = host == .locks ? try await LockHosts(session.devices, on: session.bus) : nil
    } catch {
      return Outcome(failure: Failure(error))
    }
    // Before the script begins: a virtual time may be over before this is scheduled else.
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
          // A run that is ended before its time has nothing to wait for.
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

  /// Waits for the parts of a run to end, and ends the others where one decides for all.
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
        // A program that waits for what will not come any more would wait for ever.
        if case .failed = end { group.cancelAll() }
        guard case .complete = end, let child else { break }
        await child.begun()
        guard child.isRunning else { break }
        if waitsForCommand {
          waiting = tellLater("the script passed; waiting until \(child) ends by itself")
        } else {
          // What the program does from here on is no part of the test.
          endsChild = true
          running = 0
        }
      case .child(.success(let end)):
        running -= 1
        outcome.child = end
        // The script may still wait for what the program did last; but not for one that failed, nor when
        // the time is over.
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
        if !endsBeforeBound { Output.shared.hurry() }
        guard let child, outcome.child == nil else {
          running = 0
          break
        }
        child.send(SIGTERM)
        // Where all is over before that, ending the program is up to who waits for it.
        group.addTask { await Self.sleep(.seconds(5)) ? .patience : .woken }
      case .patience: child?.send(SIGKILL)
      case .signal: running = 0
      }
    }
    waiting?.cancel()
    let grace = "\(ChildProgram.grace.components.seconds) s"
    let ending = child.map { tellLater("\($0) was sent SIGTERM; it is killed after \(grace)") }
    group.cancelAll()
    // A script that is cancelled lets go of its keys first.
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

  /// Prints a note after a second, unless the task is cancelled before.
  private func tellLater(_ text: String) -> Task<Void, any Error> {
    Task { [note] in
      try await Timeline.real.sleep(for: .seconds(1))
      note(text)
    }
  }

  /// Waits in the real time, and says whether it was not woken before.
  private static func sleep(_ duration: Duration) async -> Bool {
    (try? await Timeline.real.sleep(for: duration)) != nil
  }

  /// Plays a script, and tells why it failed.
  private func play(_ runner: HIDScriptRunner, _ timeline: Timeline) async -> Ended {
    let (error, report) = await runner.play()
    guard let error else {
      // A virtual time stops with the script. Started again it runs to the bound, as the real time
      // does.
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
    } catch let error as HIDWireError {
      return Failure(error)
    } catch {
      return nil
    }
  }
}
