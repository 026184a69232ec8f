// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSessions
import HIDSimulator
import IOLoop
import UnixSignals

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Plug devices, and print what hosts do to them.",
    usage: "hidsim run <file> ... [<options>] [-- <command> ...]",
    discussion: """
      FILE is a device file, or a trace whose devices are plugged. A name without a slash can also be a device file \
      that comes with hidsim; hidsim devices lists them.

        hidsim run keyboard.json                            until Ctrl-C
        hidsim run keyboard.json --script caps.hidscript    play a script on it
        hidsim run keyboard.json --script caps.hidscript -- ./app
        hidsim run keyboard.json -- ./app                   until app ends

      Output: one line per device that is ready, one line per event, and a summary. A line shows the first 128 bytes of a \
      longer report; --json shows all.

      End: Ctrl-C, Ctrl-\\ or SIGTERM; --for; the end of --script, of --send - or of COMMAND. hidsim then unplugs \
      the devices.

      COMMAND: a program that runs beside the devices. Its environment has HIDSIM_HIDRAW, HIDSIM_EVDEV, \
      HIDSIM_DEVICE and HIDSIM_BUS; several devices are separated by spaces. Standard output belongs to COMMAND, \
      and hidsim prints to standard error. When the script passes, hidsim ends COMMAND: SIGTERM, then SIGKILL \
      after 5 s. Without a terminal that includes the processes that COMMAND started.

      Script: lines such as "tap leftCtrl+c" or "expect led.capsLock on within 2s". Documentation/hidsim.docc/Scripts.md \
      lists every command.

      Short reports: hidsim fills up a report of --send or of a script that is shorter than declared, with zeros, \
      and counts it in the summary. A longer one is an error.

      Exit status: 1 if the script fails, or ends early because of --for, Ctrl-C or SIGTERM. If COMMAND ends by \
      itself, its own. Else 0.
      """)

  @Argument(
    help: ArgumentHelp(
      "Device files or traces.",
      discussion: "A script that names its devices by \"needs keyboard.json\" needs none.",
      valueName: "file"), completion: Completion.deviceFiles)
  var files: [String] = []
  @OptionGroup(title: "Script options") var scriptOptions: RunScriptOptions
  @Option(
    name: .customLong("timeline"),
    help: ArgumentHelp(
      "The clock of the run: real, or virtual, which never waits.",
      discussion: """
        virtual is for a script on the loopback bus that plays device and host. The clock jumps to the next event as \
        soon as no work is left, so that hours take a moment and every run is the same. --for counts in that time.
        """))
  var time = RunClock.real
  @Option(
    help: ArgumentHelp(
      "Send input reports from standard input: --send -.", discussion: "One report a line, in hex.",
      valueName: "-"))
  var send: String?
  @Option(
    help: ArgumentHelp(
      "Play a host; \"locks\" lights the lamps of the Lock keys.",
      discussion: "It answers each Lock key with an output report, as a text console does."))
  var host: RunHost?
  @Flag(help: "Print one JSON object a line.") var json = false
  @Flag(name: .customLong("input"), help: "Print input reports, too.") var showsInput = false
  @Flag(help: "Serve a page that shows the devices: hidsim help bench.") var bench = false
  @OptionGroup(title: "Bus options") var busOptions: PlugBusOptions
  @OptionGroup(title: "Recording options") var recording: RunRecordingOptions
  @OptionGroup(title: "When to end, and when to fail") var ending: EndingOptions

  /// The words after `--`.
  private var command: [String] { Passthrough.words ?? [] }

  func validate() throws {
    try Passthrough.checkCommand()
    if files.isEmpty, scriptOptions.script == nil {
      throw ValidationError("there is no device file: name one, such as keyboard.json")
    }
    if let send, send != "-" {
      throw ValidationError("--send takes - for standard input, not \(send)")
    }
    try OptionRule.check(
      .needs(
        "--timeline virtual", time == .virtual, "--script", scriptOptions.script != nil,
        because: "a script moves that clock"),
      .excludes(
        "--send -", send != nil, ["a command after --": !command.isEmpty],
        because: "both read standard input"),
      .excludes(
        "--timeline virtual", time == .virtual,
        [
          "a command after --": !command.isEmpty, "--send -": send != nil,
          "--fidelity kernel": busOptions.fidelityOption.choice == .kernel,
          "--bus kernel": busOptions.choice.bus == .kernel,
          "--bus usb": busOptions.choice.bus == .usb, "--bench": bench,
        ],
        because: """
          commands, standard input, --fidelity kernel, the kernel bus, the USB bus and --bench use the real \
          clock
          """
      ),
      scriptOptions.reports.excludesCommand(command))
  }

  func run() async throws {
    try await reporting {
      let isVirtual = time == .virtual
      let (definitions, script) = try InputFiles.devices(
        in: files, playedBy: scriptOptions.script, scriptOptions.settings)
      if send != nil, definitions.count != 1 || definitions[0].interfaces.count != 1 {
        throw Failure(.wrongArguments, "--send - needs one device with one interface")
      }
      let command = try programWords(of: script)
      try await ChildProgram.check(command)
      try recording.check(beside: scriptOptions.reports.outputs)
      let reports = try scriptOptions.reports.files()
      let bus = try busOptions.bus()
      try time.check(on: bus.kind)
      let printer = EventPrinter(
        json: json,
        toStandardError: !command.isEmpty || scriptOptions.reports.writesToStandardOutput,
        showsInput: showsInput)
      let session = RunSession(
        definitions, on: bus, printer: printer, keepsInput: showsInput || script != nil,
        timeline: isVirtual ? .virtual() : .real(on: .devices),
        trace: try recording.file(on: bus.kind),
        isRedacted: recording.redact,
        page: bench
          ? BenchPage(files: BenchPage.names(of: files, for: definitions)) : nil,
        bound: ending.bound)
      // Catch signals before a device is plugged: a signal during the plugging then ends the run
      // as a later signal does.
      let signals = await UnixSignalsSequence.catchEndSignals()
      if script != nil || !command.isEmpty { Output.shared.ignoreWriteErrors() }
      let work = RunWork(
        script: script, expectsAll: scriptOptions.expectAll, command: command, host: host,
        sendsStandardInput: send != nil, bound: ending.bound,
        waitsForCommand: scriptOptions.waitCommand)
      let outcome = try await ProgressLine.during(session.progressWords, beside: command) {
        try await session.run { await work.serve(session, signals) }
      }
      try session.conclude(
        outcome, of: script, reports: reports, printer: printer, isStrict: ending.strict)
    }
  }

  /// Returns the program to run beside the devices, and its arguments: the words after `--`, or
  /// those of the script.
  private func programWords(of script: HIDScript?) throws -> [String] {
    if let script, let program = script.program, time == .virtual || send != nil {
      let option = send == nil ? "--timeline virtual" : "--send -"
      throw Failure(
        .wrongArguments,
        "\(program.file):\(program.location): a script with the line \"program …\" cannot be "
          + "played with \(option); leave one of them out")
    }
    return try scriptOptions.programWords(of: script, or: command)
  }
}

/// The options of commands that play a script while their devices are plugged.
struct RunScriptOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Play a script.", valueName: "file"), completion: Completion.scripts)
  var script: String?
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Set the script's variable $NAME.", valueName: "name=value"))
  var settings: [ScriptVariable] = []
  @OptionGroup var reports: ReportOptions
  @Flag(help: ScriptHelp.expectAll) var expectAll = false
  @Flag(help: ScriptHelp.waitCommand) var waitCommand = false

  /// Returns the program to run beside the devices, and its arguments: the words after `--`, or
  /// those of the script.
  ///
  /// - Parameter command: The words after `--`.
  func programWords(of script: HIDScript?, or command: [String]) throws -> [String] {
    guard let script, let program = script.program else {
      guard !waitCommand || !command.isEmpty else {
        throw Failure(
          .wrongArguments,
          "--wait-command needs a command after --: it waits until that command ends; "
            + "add a command after --, or leave --wait-command out")
      }
      return command
    }
    let place = "\(program.file):\(program.location)"
    guard command.isEmpty else {
      throw Failure(
        .wrongArguments,
        "\(place): the script names a program, and there is a command after --; "
          + "leave one of them out")
    }
    guard !reports.writesToStandardOutput else {
      throw Failure(
        .wrongArguments,
        "\(place): the script's program uses standard output; write the report to a file")
    }
    return script.programWords
  }

  func validate() throws {
    let hasScript = script != nil
    let reason = "a test report lists the tests of a script"
    try OptionRule.check(
      .needs("--junit", reports.jUnit != nil, "--script", hasScript, because: reason),
      .needs("--tap", reports.tap != nil, "--script", hasScript, because: reason),
      .needs("--html", reports.html != nil, "--script", hasScript, because: reason),
      .needs(
        "--wait-command", waitCommand, "--script", hasScript,
        because: "--wait-command is about the end of a script"),
      .needs(
        "--expect-all", expectAll, "--script", hasScript,
        because: "--expect-all changes what a script expects"),
      .needs(
        "--set \(settings.first?.name ?? "")", !settings.isEmpty, "--script", hasScript,
        because: "--set sets a variable of a script"))
  }
}
