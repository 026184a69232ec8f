// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSimulator
import HIDSystem
import HIDWire
import IOLoop
import UnixSignals

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Plug devices, and print what their host does.",
    usage: "hidsim run <files> ... [<options>] [-- <command> ...]",
    discussion: """
      FILE is a device file, or a trace, whose devices are plugged. A name without a \
      slash is looked up among the shipped devices too (hidsim devices).

      Prints a line a device when it can be used, then a line an event. Ends with Ctrl-C, Ctrl-\\ or SIGTERM, \
      after --for, at the end of --script or --send -, or when COMMAND ends; the devices are gone then.

      The end of a script is that of COMMAND, too: it gets SIGTERM, and SIGKILL after 5 s, with what it has \
      started where there is no terminal. With --wait-command it ends by itself.

      COMMAND finds HIDSIM_HIDRAW, HIDSIM_EVDEV and HIDSIM_DEVICE in its environment (with several \
      devices or interfaces, separated by spaces), and HIDSIM_BUS. Its standard output is its own: the \
      lines of hidsim go to standard error.

      A script is lines such as "tap leftCtrl+c" or "expect led.capsLock on within 2s"; \
      Descriptors/scripts/README.md has every command.

      Reports of --send and of a script's "report" that are shorter than declared are filled up with zeros; \
      the last line counts them. Longer ones are an error.

      The exit status is COMMAND's where that ends by itself, or 1 if the script failed, or was stopped before \
      its end: by --for, Ctrl-C or SIGTERM. The last line says where. It is 0 where the script passed before \
      COMMAND ended.
      """)

  /// What `--host` knows.
  enum Host: String, ExpressibleByArgument, CaseIterable { case locks }

  /// The times that a run can go by.
  enum Time: String, ExpressibleByArgument, CaseIterable { case real, virtual }

  @Argument(
    help:
      "Device files or traces; with --stdio, or a script that says what it needs, there need not be any."
  )
  var files: [String] = []
  @OptionGroup var busOptions: BusOptions
  @OptionGroup var fidelityOption: FidelityOption
  @Option(help: "A script to play (.hidscript).") var script: String?
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("What $NAME stands for in the script.", valueName: "name=value"))
  var settings: [ScriptVariable] = []
  @Option(
    name: .customLong("junit"),
    help: "Write how the script's tests went as JUnit's XML; - for standard output.")
  var jUnit: String?
  @Option(help: "Write how the script's tests went as TAP 13; - for standard output.")
  var tap: String?
  @Option(help: "Read input reports from standard input, a line of hex each: --send -.")
  var send: String?
  @Flag(
    help: ArgumentHelp(
      "Let a program drive: commands on standard input, results and events on standard output.",
      discussion:
        "JSON both ways; Sources/HIDSimulator/HIDSimulator.docc/Stream.md has every command."))
  var stdio = false
  @Flag(
    help: ArgumentHelp(
      "The files are streams of Android's hid program; - is standard input.",
      discussion: """
        Devices are registered, and their reports sent, as Android does it: once somebody has the device open. What \
        hosts send is printed as Android prints it, an object a line.
        """))
  var android = false
  @Option(
    help: "Play a host: \"locks\" answers the Lock keys with LED reports, as a console does.")
  var host: Host?
  @Option(
    name: .customLong("timeline"),
    help: ArgumentHelp(
      "Which time the run goes by: real, or virtual, which does not wait.",
      discussion: """
        virtual is for a script on the loopback bus that plays both ends: the time moves to what comes next as soon \
        as nothing is going on, so that hours take seconds, and every run is the same. --for is in that time, too: \
        behind the script it goes on to there.
        """))
  var time = Time.real
  @Option(name: .customLong("for"), help: "End after this long: 5s, 500ms.") var bound: TimeBound?
  @Option(
    help: ArgumentHelp(
      "Record what happens to the devices into this file, as hidsim record does.",
      valueName: "file"))
  var record: String?
  @Flag(help: "Write over the file of --record, if it is there.") var force = false
  @Flag(help: "Leave out what is typed, and serial numbers, in the file of --record.")
  var redact = false
  @Flag(help: "Print one JSON object a line.") var json = false
  @Flag(name: .customLong("input"), help: "Print the input reports too.") var showsInput = false
  @Flag(help: "Let simulated input reach the desktop of whoever is logged in.") var live = false
  @Flag(
    help: ArgumentHelp(
      "Fail (1) where something went wrong in silence.", discussion: Strict.help))
  var strict = false
  @Flag(help: ScriptHelp.expectAll) var expectAll = false
  @Flag(help: ScriptHelp.waitCommand) var waitCommand = false

  private var reportsOnStandardOutput: Bool { jUnit == "-" || tap == "-" }

  /// The command to run beside the devices.
  var command: [String] { Passthrough.words ?? [] }

  func validate() throws {
    if Passthrough.words?.isEmpty == true {
      throw ValidationError("there is no command after --: name one, or leave -- out")
    }
    if files.isEmpty, !stdio, script == nil || android {
      throw ValidationError("there is no device file: name one, such as keyboard.json")
    }
    if record == "-" {
      throw ValidationError("--record - : standard output is taken; write the trace to a file")
    }
    if let send, send != "-" {
      throw ValidationError("--send takes - for standard input, not \(send)")
    }
    try checkModes()
    try checkScriptOptions()
    try OptionRule.check(
      .needs("--force", force, "--record", record != nil, because: "it writes over that file"),
      .needs("--redact", redact, "--record", record != nil, because: "it is about that file"),
      busOptions.excludesLive(live), fidelityOption.isExcluded(by: busOptions))
  }

  /// Refuses what contradicts `--android`, `--stdio`, `--send` and a virtual time.
  private func checkModes() throws {
    try OptionRule.check(
      .excludes(
        "--android", android,
        [
          "--stdio": stdio, "a command after --": !command.isEmpty, "--send": send != nil,
          "--script": script != nil, "--host": host != nil, "--input": showsInput,
        ], because: "it plays its files alone, and prints what Android prints"),
      .excludes(
        "--stdio", stdio,
        [
          "a command after --": !command.isEmpty, "--send": send != nil, "--script": script != nil,
          "--host": host != nil,
        ], because: "reports, scripts and a host are commands of the stream"),
      .excludes(
        "--send -", send != nil, ["a command after --": !command.isEmpty],
        because: "both want standard input"),
      .excludes(
        "--timeline virtual", time == .virtual,
        [
          "a command after --": !command.isEmpty, "--send -": send != nil,
          "--fidelity kernel": fidelityOption.choice == .kernel,
          "--bus kernel": busOptions.bus == .kernel,
        ],
        because:
          "commands, standard input, hosts that lose reports and the kernel go by the real time"
      ),
      .needs(
        "--timeline virtual", time == .virtual, "--script", script != nil,
        because: "only a script moves it"))
  }

  /// Refuses options about a script if no script is given.
  private func checkScriptOptions() throws {
    let hasScript = script != nil
    let reports = "it writes how the tests of a script went"
    try OptionRule.check(
      .needs("--junit", jUnit != nil, "--script", hasScript, because: reports),
      .needs("--tap", tap != nil, "--script", hasScript, because: reports),
      ReportFile.rule(jUnit: jUnit, tap: tap),
      .excludes(
        "a command after --", !command.isEmpty, ["--junit -": jUnit == "-", "--tap -": tap == "-"],
        because: "standard output is the command's", remedy: "write the report to a file"),
      .needs(
        "--wait-command", waitCommand, "--script", hasScript,
        because: "it says how long the command goes on after the script"),
      .needs(
        "--wait-command", waitCommand, "a command after --", !command.isEmpty,
        because: "it waits for that to end"),
      .needs(
        "--expect-all", expectAll, "--script", hasScript,
        because: "it is about what a script expects"),
      .needs(
        "--set \(settings.first?.name ?? "")", !settings.isEmpty, "--script", hasScript,
        because: "it sets a variable of a script"))
  }

  func run() async throws {
    try await reporting {
      if android { return try await playAndroid() }
      var definitions: [HIDDeviceDefinition] = []
      for file in files { definitions += try InputFiles.devices(in: InputFiles.read(file)) }
      let read = try script.map {
        try InputFiles.script($0, variables: ScriptVariable.values(settings))
      }
      if files.isEmpty, let read {
        definitions = try InputFiles.devices(neededBy: read)
        if definitions.isEmpty {
          throw Failure(
            .wrongArguments,
            "\(read.name) names no device by \"needs\": name a device file, such as keyboard.json")
        }
      }
      if send != nil, definitions.count != 1 || definitions[0].interfaces.count != 1 {
        throw Failure(.wrongArguments, "--send - needs one device with one interface")
      }
      let script = try read?.lookedUp(on: definitions)
      try await ChildProgram.check(command)
      try checkOutputs()
      let reports = try ReportFile.files(jUnit: jUnit, tap: tap)
      let bus = try busOptions.bus(isLive: live, fidelity: fidelityOption.choice.fidelity)
      if stdio { return try await stream(definitions, on: bus) }
      guard time == .real || bus.kind == .loopback else {
        throw Failure(
          .wrongArguments,
          "--timeline virtual: the kernel goes by the real time; --bus loopback is the bus for it")
      }
      let printer = EventPrinter(
        json: json, toStandardError: !command.isEmpty || reportsOnStandardOutput,
        showsInput: showsInput)
      let session = RunSession(
        definitions, on: bus, printer: printer, keepsInput: showsInput || script != nil,
        timeline: time == .virtual ? .virtual() : .real, trace: try traceFile(),
        isRedacted: redact)
      // Before anything is plugged: a signal that comes meanwhile ends the run as one that comes later.
      let signals = await UnixSignalsSequence.ofAnEnd()
      if script != nil || !command.isEmpty { Output.shared.goOnUnread() }
      let work = RunWork(
        script: script, expectsAll: expectAll, command: command, host: host,
        sendsStandardInput: send != nil, bound: bound, waitsForCommand: waitCommand)
      let outcome = try await session.run { await work.serve(session, signals) }
      if let script {
        let report = outcome.report ?? HIDScriptReport(of: script)
        for file in reports { try file.write(report) }
      }
      let totals = session.log.totals
      let verdict = outcome.judged(by: totals, isStrict: strict, isCutShort: session.isCutShort)
      if let complaint = verdict.complaint { Output.shared.complain(complaint) }
      let padded = session.devices.reduce(0) { $0 + $1.padded }
      let filledUp = padded > 0 ? "\(padded.counting("short report")) filled up" : nil
      let words = [filledUp, verdict.words].compactMap(\.self).joined(separator: ", ")
      printer.summary(
        totals, bus: bus.kind, at: session.log.timeline.now.microseconds(since: session.base),
        outcome: words.isEmpty ? nil : words)
      let traceStatus = session.tellTrace()
      // That it could not be written does not hide what the run has come to.
      let status = verdict.status != 0 ? verdict.status : traceStatus
      if status != 0 { throw ExitCode(status) }
    }
  }

  /// Refuses two outputs to one file, an output that is an input, and a recording that exists
  /// without `--force`, before any file is changed.
  func checkOutputs() throws {
    try CommandFiles.shared.claim([
      .init("--junit", jUnit), .init("--tap", tap), .init("--record", record),
    ])
    try RecordingFile.check(record, isForced: force)
  }

  /// The file of `--record`.
  func traceFile() throws -> RecordingFile? {
    try record.map { try RecordingFile($0, isForced: force) }
  }
}
