// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import HIDTimeline
import HIDTraces
import IOLoop
import UnixSignals

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay a trace: its devices, its reports, its times.",
    usage: "hidsim replay <trace> [<options>] [-- <command> ...]",
    discussion: """
      Plugs the devices of a trace, sends their reports in order at the recorded times, and unplugs the devices. Nothing is \
      skipped or sent early. A request of a host gets the answer of the trace. If the trace has none, the device answers as \
      its descriptor says.

        hidsim replay mouse.hid                             once, as recorded
        hidsim replay capture.pcapng --instant              as fast as possible
        hidsim replay pad.hid --device gamepad.json         from a device file
        hidsim replay session.hid --assert -- ./my-program  compare with the trace

      With --bus usb the device of a capture is plugged as a whole USB device, with the descriptors and strings of the \
      capture.

      A report that is shorter than declared is filled up with zeros. A report that is not declared, or longer than 4,096 \
      bytes, is listed and not sent. With --strict hidsim refuses every report that it cannot send unchanged. The last line \
      counts the reports, how late they were, and how many differ from their declaration.

      COMMAND and the trace both run to their ends. With --loop 0 the end of COMMAND ends the replay.

      Exit status: that of COMMAND if it failed; 1 if a report that can be sent was not, if no report can be sent, or if \
      hosts did not do what --assert expects.
      """)

  @Argument(
    help: ArgumentHelp("A trace in any format, or - for standard input.", valueName: "trace"),
    completion: Completion.files)
  var trace: String
  @OptionGroup var traceOptions: TraceOptions
  @Option(
    name: .customLong("device"),
    help: ArgumentHelp(
      "Plug this device file instead of the trace's devices; repeatable.",
      discussion:
        "The files need as many interfaces as the trace has devices. They answer the requests of hosts.",
      valueName: "file"), completion: Completion.deviceFiles)
  var devices: [String] = []
  @Option(
    name: .customLong("onto"),
    help: ArgumentHelp(
      "Send from a device that another hidsim has plugged; repeatable.",
      discussion: """
        Give the option once for each device of the trace. hidsim plugs and unplugs nothing. A report that is longer \
        than declared can be sent only from a device that a replay of the trace has plugged. --strict refuses reports that cannot be sent unchanged.
        """, valueName: "device"), completion: Completion.devices)
  var running: [String] = []
  @OptionGroup var paceOptions: PaceOptions
  @OptionGroup var assertOptions: AssertOptions
  @Option(
    help: ArgumentHelp(
      "Wait this long at most for a reader, before the first report: 5s.",
      discussion: "A reader is a program that has the device open.", valueName: "time"))
  var waitReader: TimeBound?
  @Flag(help: "Print one JSON object a line.") var json = false
  @Flag(name: .customLong("input"), help: "Print input reports, too.") var showsInput = false
  @Flag(help: "Serve a page that shows the devices: hidsim help bench.") var bench = false
  @OptionGroup var page: HTMLFile
  @OptionGroup(title: "Bus options") var busOptions: PlugBusOptions
  @OptionGroup(title: "Recording options") var recording: RunRecordingOptions
  @OptionGroup(title: "When to end, and when to fail") var ending: EndingOptions

  private var command: [String] { Passthrough.words ?? [] }

  func validate() throws {
    try Passthrough.checkCommand()
    try OptionRule.check(
      .excludes(
        "--onto", !running.isEmpty,
        [
          "--device": !devices.isEmpty, "--assert": assertOptions.isAsserting,
          "--wait-reader": waitReader != nil, "--record": recording.record != nil,
          "a command after --": !command.isEmpty, "--realtime": paceOptions.realtime,
          "--spin": paceOptions.spin, "--input": showsInput, "--bench": bench,
          "--html": page.isWanted,
          "--live": busOptions.live, "--fidelity": busOptions.fidelityOption.isGiven,
        ], because: "another hidsim has plugged the device and sends the reports"),
      .excludes(
        "--assert", assertOptions.isAsserting, ["--loop": paceOptions.loop != 1],
        because: "--assert compares one play of the trace with it"),
      .excludes(
        "--within", assertOptions.within != nil,
        ["--instant": paceOptions.instant, "--interval": paceOptions.interval != nil],
        because: "--within compares with the recorded times"),
      traceOptions.standardInputRule(trace))
  }

  func run() async throws {
    try await reporting {
      try RecordingFile.check(recording.record, isForced: recording.force)
      let source = try TraceFile.source(trace)
      let options = try await traceOptions.reading(trace)
      let reader = try HIDTraceReader(source, options: options)
      try traceOptions.check(options, of: reader.devices, in: source.name)
      if !running.isEmpty {
        return try await replayOnto(reader, source.name)
      }
      let whole =
        try devices.isEmpty && busOptions.choice.selection() == .usb
        ? InputFiles.wholeDevices(of: reader, in: source.name) : nil
      let definitions =
        try whole?.definitions
        ?? (devices.isEmpty
          ? InputFiles.devices(of: reader.devices, in: source.name)
          : devices.flatMap { try InputFiles.devices(named: $0) })
      TraceFile.tell(whole?.warnings ?? [])
      try CommandFiles.shared.claim([
        .init("--record", recording.record), .init("--html", page.html),
      ])
      try page.check()
      let plan = try ReplayPlan(
        reader, definitions, targets: whole?.targets, file: source.name, isStrict: ending.strict,
        pace: paceOptions.pace,
        asserting: assertOptions.assertion(of: reader.devices, isTimed: !paceOptions.isUntimed))
      try tell(plan)
      if let assertion = plan.assertion, assertion.expectedCount == 0 {
        throw Failure(
          .wrongData,
          "\(source.name): --assert: the trace has no output report and no request of a host to compare"
        )
      }
      try await replay(plan, labels: reader.devices)
    }
  }

  /// Prints the warnings about the trace, and the first problems of reports that cannot be sent.
  ///
  /// - Throws: A failure if the trace has input reports, but none of them can be sent.
  private func tell(_ plan: ReplayPlan) throws(Failure) {
    TraceFile.tell(plan.warnings)
    for problem in plan.unsendable { Output.shared.note("not sent: \(problem)") }
    guard plan.total == 0, plan.unsendableCount > 0 else { return }
    let count = plan.unsendableCount.counting("report")
    throw Failure(
      .failed, "\(trace): nothing can be sent: none of its \(count) is as the descriptor declares")
  }

  // MARK: On devices that the command plugs

  private func replay(_ plan: ReplayPlan, labels: [HIDTraceDevice]) async throws {
    try await ChildProgram.check(command)
    let bus = try busOptions.bus()
    let printer = EventPrinter(
      json: json, toStandardError: !command.isEmpty, showsInput: showsInput)
    let session = RunSession(
      plan.definitions, on: bus, printer: printer, keepsInput: showsInput || page.isWanted,
      trace: try recording.file(on: bus.kind), isRedacted: recording.redact,
      // A replay that checks an assertion goes on if its trace cannot be written.
      needsTrace: plan.assertion == nil, page: bench ? BenchPage(files: devices) : nil,
      bound: ending.bound)
    if devices.isEmpty { plan.prepare(session.devices) }
    let signals = await UnixSignalsSequence.catchEndSignals()
    let run = ReplayRun(
      plan: plan, session: session, command: command, waitReader: waitReader, bound: ending.bound,
      spin: paceOptions.spin ? .microseconds(100) : nil, isRealtime: paceOptions.realtime)
    let progress = ReplayProgress(plan, name: trace, log: session.log)
    let outcome = try await explained {
      try await ProgressLine.during(progress.words, beside: command) {
        try await session.run { await run.run(signals) }
      }
    }
    let totals = session.log.totals
    let result = outcome.result
    var words = result?.words ?? "ended before the first report"
    words += plan.words(result)
    if let verdict = outcome.verdict {
      words += ", \(verdict.matched) of \(verdict.expected.counting("report")) of hosts as asserted"
      tell(verdict, labels, json ? printer : nil, base: session.base)
    }
    let passes = !ending.strict || Strict.passes(totals)
    if !passes { words += ", strict: failed" }
    if let how = outcome.childWords { words += ", \(how)" }
    if session.isCutShort { words += ", \(RunSession.cutShortWords)" }
    if let limitation = result?.playback.limitation {
      Output.shared.note("hidsim: \(limitation)")
    }
    let time = MonotonicTime.now.microseconds(since: session.base)
    if let result, json { printer.figures(result, at: time) }
    printer.summary(totals, bus: bus.kind, at: time, outcome: words)
    let isGood = result?.isComplete == true && outcome.verdict?.isAsRecorded != false && passes
    let failure = outcome.childFailure?.description ?? result?.failure
    let hasChildFailed = outcome.childStatus.map { $0 != 0 } ?? false
    let written = Result {
      try page.write {
        var report = HTMLReport(title: "hidsim replay \(trace)", summary: words)
        let mismatches = Self.mismatches(outcome.verdict, labels)
        report.add(
          trace,
          outcome: isGood && failure == nil && !hasChildFailed ? "passed" : "failed",
          message: ([failure].compactMap(\.self) + mismatches).joined(separator: "\n"),
          timeline: TimelineJSON.timeline(
            of: session.log, base: session.base, devices: session.devices))
        return report
      }
    }
    let traceStatus = session.tellTrace()
    // An error of the page must not hide how the replay ended.
    if case .failure(let error) = written, !isGood || failure != nil || hasChildFailed {
      Output.shared.complain("\(error)")
    }
    if session.isCutShort { throw ExitCode(traceStatus) }
    if let failure = outcome.childFailure { Output.shared.complain(failure) }
    if let failure = result?.failure { throw Failure(.failed, failure) }
    if let status = outcome.childStatus, status != 0 { throw ExitCode(status) }
    if !isGood { throw ExitCode(1) }
    try written.get()
    if traceStatus != 0 { throw ExitCode(traceStatus) }
  }

  /// Adds a remedy to the error about a device of the trace that did not start.
  private func explained<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as HIDBusError where error.kind == .notStarted && devices.isEmpty {
      throw HIDBusError(
        .notStarted,
        "\(error.message); add --device FILE, with a device file that answers drivers")
    }
  }

  /// Returns the differences between the actions of the hosts and the trace, a line each.
  private static func mismatches(
    _ verdict: ReplayWatch.Verdict?, _ devices: [HIDTraceDevice]
  ) -> [String] {
    let labels = devices.labels
    return (verdict?.mismatches ?? []).map { mismatch in
      AssertionText(mismatch, label: labels[mismatch.event.device], of: devices).description
    }
  }

  /// Prints the differences between the actions of the hosts and the trace.
  ///
  /// - Parameter printer: The printer of the differences and the verdict as JSON; nil for no JSON.
  private func tell(
    _ verdict: ReplayWatch.Verdict, _ devices: [HIDTraceDevice], _ printer: EventPrinter?,
    base: MonotonicTime
  ) {
    let labels = devices.labels
    for mismatch in verdict.mismatches {
      let text = AssertionText(mismatch, label: labels[mismatch.event.device], of: devices)
      Output.shared.complain(text.description)
      printer?.put(text.line)
    }
    printer?.verdict(verdict, at: MonotonicTime.now.microseconds(since: base))
    if verdict.count > verdict.mismatches.count {
      let count = verdict.count - verdict.mismatches.count
      Output.shared.complain("\(count.counting("more difference")) not listed")
    }
    if verdict.missed > 0 {
      Output.shared.complain(
        "\(verdict.missed.counting("event")) came faster than hidsim could compare them, "
          + "so the comparison fails")
    }
  }

  // MARK: From devices that another hidsim has plugged

  private func replayOnto(_ reader: HIDTraceReader, _ name: String) async throws {
    let sink = try await RunningDevices.find(running, on: busOptions.choice)
    let plan = try ReplayPlan(
      reader, sink.definitions, file: name, isStrict: ending.strict, pace: paceOptions.pace)
    if let label = sink.refusing(plan) {
      throw Failure(
        .wrongData,
        """
        \(name): the trace has reports longer than declared, and \(label) does not send such reports: replay the \
        trace without --onto, or onto a device that a replay of this trace has plugged
        """)
    }
    try tell(plan)
    if plan.changeCount > 0 {
      Output.shared.note(
        "the trace plugs or unplugs devices \(plan.changeCount.counting("time")): with --onto they stay plugged"
      )
    }
    let result = await untilEnded(ending.bound) { await plan.play(to: sink) }
    let words = result.map { $0.words + plan.words($0) } ?? "ended before the first report"
    if json, let result {
      Output.shared.print(result.json)
    } else {
      Output.shared.print(words)
    }
    if let failure = result?.failure { throw Failure(.failed, failure) }
    if let label = sink.notResponding {
      throw Failure(
        .failed, PluggedDeviceOptions.notResponding(label))
    }
    if result?.isComplete != true { throw ExitCode(1) }
  }
}

/// The progress of a replay.
private struct ReplayProgress: Sendable {
  private let name: String
  private let log: HIDEventLog
  /// The progress through the reports of all rounds; nil for a replay without end.
  private let progress: WorkProgress?

  init(_ plan: ReplayPlan, name: String, log: HIDEventLog) {
    self.name = InputFiles.name(of: name)
    self.log = log
    progress = plan.pace.loops.map {
      WorkProgress(total: plan.total.multipliedReportingOverflow(by: $0).partialValue)
    }
  }

  func words() -> String {
    let sent = log.totals.inputs
    guard let progress else {
      return "\(name): \(sent.counting("report")) sent; Ctrl-C ends"
    }
    return "\(name): \(sent) of \(progress.total.counting("report")), \(progress.words(done: sent))"
  }
}

extension ReplayPlan {
  /// Returns how many reports were filled up, longer than declared, or not sent, in all rounds.
  ///
  /// The reports that cannot be sent count once for each round that has begun, and at least once.
  /// The text begins with a comma; it is empty if there were no such reports.
  fileprivate func words(_ result: ReplayResult?) -> String {
    let playback = result?.playback ?? HIDTracePlayback()
    var words = ""
    if playback.padded > 0 { words += ", \(playback.padded.counting("short report")) filled up" }
    if playback.long > 0 { words += ", \(playback.long) longer than declared" }
    if unsendableCount > 0 { words += ", \(unsendableCount * max(1, playback.rounds)) not sent" }
    return words
  }
}
