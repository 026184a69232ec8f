// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop
import UnixSignals

struct DriveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drive", abstract: "Plug and drive devices by JSON commands.",
    usage: "hidsim drive [<file> ...] [<options>]",
    discussion: """
      For programs in any language. hidsim reads commands from standard input, and prints results and events to \
      standard output, one JSON object a line. The program can plug and unplug devices, send reports, play scripts, \
      and answer the requests of hosts.

        echo '{"command": "plug", "file": "mouse.json"}' | hidsim drive

      FILE is plugged at the start. The page "Drive devices by a stream" of HIDSessions' documentation lists every \
      command.

      End: the end of standard input, the command "end", --for, Ctrl-C or SIGTERM. hidsim then unplugs the devices.

      Exit status: 1 if a command fails, or with --strict.
      """)

  @Argument(
    help: ArgumentHelp("Device files or traces.", valueName: "file"),
    completion: Completion.deviceFiles)
  var files: [String] = []
  @Flag(name: .customLong("input"), help: "Print input reports, too.") var showsInput = false
  @OptionGroup(title: "Bus options") var busOptions: PlugBusOptions
  @OptionGroup(title: "Recording options") var recording: RunRecordingOptions
  @OptionGroup(title: "When to end, and when to fail") var ending: EndingOptions

  func validate() throws {
    try OptionRule.check(
      .excludesCommand(
        "hidsim drive",
        because: "the program that drives the devices uses standard input and output"))
  }

  func run() async throws {
    try await reporting {
      let definitions = try files.flatMap { try InputFiles.devices(in: InputFiles.read($0)) }
      try recording.check()
      try await drive(definitions, on: busOptions.bus())
    }
  }

  /// Plugs the devices, and executes the commands that arrive on standard input.
  private func drive(_ definitions: [HIDDeviceDefinition], on bus: HIDBus) async throws {
    let session = RunSession(
      definitions, on: bus, printer: nil, keepsInput: showsInput,
      trace: try recording.file(on: bus.kind), isRedacted: recording.redact)
    let signals = await UnixSignalsSequence.catchEndSignals()
    let output = StreamOutput(
      session.log, base: session.base,
      events: StreamEvents(isOn: true, showsInput: showsInput))
    let connection = StreamConnection(
      session.hub, output: output, file: "standard input", readFile: InputFiles.devices(named:))
    connection.greet()
    let writing = Task {
      while let lines = await output.take() {
        Output.shared.write(lines)
        await Output.shared.settle()
      }
    }
    let following = Task { await output.follow() }
    func end() async {
      await following.value
      output.end()
      await writing.value
    }
    do {
      _ = try await session.run {
        let input = try StandardInput.chunks()
        await untilEnded(ending.bound, signals: signals) { await connection.run(input) }
      }
    } catch {
      await end()
      throw error
    }
    await end()
    let totals = session.log.totals
    let failures = connection.failureCount
    let passes = !ending.strict || Strict.passes(totals)
    let outcome =
      session.isCutShort
      ? RunSession.cutShortWords
      : failures > 0 ? "\(failures.counting("command")) failed" : passes ? nil : "strict: failed"
    EventPrinter(json: true, toStandardError: false, showsInput: showsInput).summary(
      totals, bus: bus.kind, at: MonotonicTime.now.microseconds(since: session.base),
      outcome: outcome)
    let traceStatus = session.tellTrace()
    if traceStatus != 0 { throw ExitCode(traceStatus) }
    if failures > 0 || !passes { throw ExitCode(1) }
  }
}
