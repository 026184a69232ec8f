// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop
import Synchronization
import UnixSignals

/// One script of a suite, with its devices.
///
/// On the loopback bus, each test has a bus of its own. On the kernel bus, tests whose devices have
/// the same vendor and product ID take turns; the others wait only if too few nodes are left.
struct ScriptTest: Sendable {
  /// The result of a test.
  struct Result: Sendable {
    var report: HIDScriptReport
    /// The events of the test; nil if no report shows them or has room for them, or if the script
    /// did not run.
    var timeline: JSONLine?
    /// The details of a failure: the errors, the last events, and the output of the program.
    var details = ""
    /// The duration of the test in milliseconds.
    var milliseconds = 0

    var passed: Bool { report.passed }
  }

  /// The path of the script.
  let path: String
  let variables: [String: String]
  /// The program to run, and its arguments, if the script itself names none.
  let command: [String]
  let bus: HIDBusKind
  let timeline: RunClock
  let bound: TimeBound
  let isLive: Bool
  let isStrict: Bool
  let expectsAll: Bool
  let waitsForCommand: Bool
  /// The room for timelines; nil if no report shows them.
  let timelines: TimelineRoom?
  let stop: StopSignal

  /// Runs the test until it is done, its time is over, or the task is cancelled.
  func run() async -> Result {
    let start = MonotonicTime.now
    var result: Result
    do {
      let script = try InputFiles.script(path, variables: variables)
      if let program = script.program, timeline == .virtual {
        throw Failure(
          .wrongArguments,
          "\(program.file):\(program.location): --timeline virtual excludes the script's program: "
            + "programs use the real clock; leave one of them out")
      }
      let definitions = try TestScripts.devices(of: script)
      let resolved = try script.lookedUp(on: definitions)
      result = try await run(resolved, definitions)
    } catch {
      let words =
        error is CancellationError
        ? "\(stop.words) before the devices were plugged"
        : Failure(any: error)?.description ?? "\(error)"
      result = Result(report: HIDScriptReport(of: path, broken: words), details: words)
    }
    result.milliseconds = Int(MonotonicTime.now.microseconds(since: start)) / 1000
    return result
  }

  private func run(
    _ script: HIDScript, _ definitions: [HIDDeviceDefinition]
  ) async throws -> Result {
    switch bus {
    case .loopback:
      return try await HIDBus.isolated {
        guard let bus = HIDBus.current else { throw Failure(.unavailable, "there is no bus") }
        return try await run(script, definitions, on: bus)
      }
    case .kernel, .usb:
      let bus = try HIDBus(bus == .usb ? .usb : .kernel, isLive: isLive)
      let turn = try await turn(for: definitions)
      defer { turn.end() }
      return try await run(script, definitions, on: bus)
    }
  }

  /// Waits until the test may use the kernel bus; prints a note if that takes two seconds.
  private func turn(for definitions: [HIDDeviceDefinition]) async throws -> KernelTurn {
    let notice = Task {
      try await Timeline.real.sleep(for: .seconds(2))
      Output.shared.note("\(path) waits until other tests have unplugged their devices")
    }
    defer { notice.cancel() }
    return try await KernelTurn.take(for: definitions)
  }

  private func run(
    _ script: HIDScript, _ definitions: [HIDDeviceDefinition], on bus: HIDBus
  ) async throws -> Result {
    let own = script.programWords
    let command = own.isEmpty ? command : own
    if waitsForCommand, command.isEmpty {
      throw Failure(
        .wrongArguments,
        "--wait-command needs a program: name one in \(path), or add a command after --")
    }
    let output = command.isEmpty ? nil : try CommandOutput()
    let session = RunSession(
      definitions, on: bus, printer: nil, keepsInput: true,
      timeline: timeline == .virtual ? .virtual() : .real(on: .devices))
    let complaints = Complaints()
    var work = RunWork(
      script: script, expectsAll: expectsAll, command: command, commandOutput: output?.input,
      bound: bound)
    work.endsBeforeBound = true
    work.waitsForCommand = waitsForCommand
    work.complain = { complaints.add($0) }
    work.note = { [path] in Output.shared.note("\(path): \($0)") }
    let outcome: RunWork.Outcome
    do {
      outcome = try await session.run { [work] in await work.serve(session, nil) }
    } catch {
      await output?.end()
      throw error
    }
    // Read the output that has been written. A process that the program left behind may write
    // more, which is not read.
    await output?.end()
    let verdict = outcome.judged(by: session.log.totals, isStrict: isStrict, isCutShort: false)
    var result = Result(report: outcome.report ?? HIDScriptReport(of: script))
    if let complaint = verdict.complaint { complaints.add(complaint) }
    let hasPassed = verdict.status == 0 && !outcome.isOverTime
    result.timeline = timelines?.timeline(of: session, hasPassed: hasPassed)
    guard !hasPassed else { return result }
    let words =
      Task.isCancelled
      ? stop.words
      : outcome.isOverTime ? overTime(outcome) : verdict.words ?? "the test failed"
    if complaints.isEmpty { complaints.add(words) }
    if case .stopped(let place) = outcome.script {
      complaints.add("the script was stopped at \(place)")
    }
    result.report.fail(words)
    let happened = [
      HIDEventText.lastLines(of: session.log, base: session.base, title: "what happened"),
      output?.text ?? "",
    ].filter { !$0.isEmpty }.joined(separator: "\n")
    result.report.details = happened
    result.details = "\(complaints.text)\n\(happened)"
    return result
  }
}

extension ScriptTest {
  /// Returns the message about a test that did not end in time.
  private func overTime(_ outcome: RunWork.Outcome) -> String {
    let time =
      timeline == .virtual
      ? "\(bound) of the virtual clock or a minute of the real clock" : "\(bound)"
    if case .complete = outcome.script, let child = outcome.child {
      return "the script passed, and \(child) did not end within \(time)"
    }
    return "the script did not end within \(time)"
  }
}

/// The signal that stopped a command, once it has arrived.
final class StopSignal: Sendable {
  private let name = Mutex<String?>(nil)

  func note(_ signal: UnixSignal) {
    name.withLock { $0 = Signal.name(signal.rawValue) ?? "signal \(signal.rawValue)" }
  }

  /// True if a signal has arrived.
  var wasSent: Bool { name.withLock { $0 != nil } }

  /// The message that the signal has stopped hidsim.
  var words: String { "hidsim was stopped by \(name.withLock { $0 } ?? "a signal")" }
}

/// The error lines of a test, which are printed when the test is over.
private final class Complaints: Sendable {
  private let lines = Mutex<[String]>([])

  var isEmpty: Bool { lines.withLock { $0.isEmpty } }
  var text: String { lines.withLock { $0.joined(separator: "\n") } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

extension ScriptResult {
  /// Makes the result of a test of a suite.
  ///
  /// - Parameter again: The command that runs the script again.
  init(_ result: ScriptTest.Result, again: String) {
    self.init(report: result.report)
    self.again = again
    timeline = result.timeline
    milliseconds = result.milliseconds
  }
}
