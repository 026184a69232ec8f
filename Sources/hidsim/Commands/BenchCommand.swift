// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSimulator
import IOLoop
import UnixSignals

struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Show the devices in a browser, and drive them by hand.",
    usage: "hidsim bench [<file> ...] [<options>]",
    discussion: """
      hidsim plugs the devices, prints a link, and serves a page until it ends. The page lists the simulated devices \
      and those of this machine, shows their elements and values, and presses, moves and types on the simulated ones. \
      It writes down what you do as a script.

        hidsim bench keyboard.json mouse.json
        hidsim bench --read-only gamepad.json

      Access: only programs on this machine that know the link. It has a new secret at each start.

      Programs: the page has no command that others do not have. Events: GET LINK/events (Server-Sent Events). \
      Commands: POST LINK/commands, with the JSON of hidsim drive.

        curl LINK/commands -d '{"command": "script", "text": "tap a"}'

      End: Ctrl-C or SIGTERM, or --for. hidsim then unplugs the devices.
      """)

  @Argument(
    help: ArgumentHelp("Device files or traces.", valueName: "file"),
    completion: Completion.deviceFiles)
  var files: [String] = []
  @Option(help: ArgumentHelp("The port of 127.0.0.1; default: any free port.", valueName: "number"))
  var port: UInt16 = 0
  @Flag(help: "Take no commands from the page.") var readOnly = false
  @Flag(help: "Open the page in your browser, by xdg-open.") var open = false
  @OptionGroup(title: "Bus options") var busOptions: PlugBusOptions
  @OptionGroup(title: "Recording options") var recording: RunRecordingOptions
  @OptionGroup(title: "When to end, and when to fail") var ending: EndingOptions

  func validate() throws {
    try OptionRule.check(
      .excludesCommand("hidsim bench", because: "hidsim run runs a command beside the devices"))
  }

  func run() async throws {
    try await reporting {
      var definitions: [HIDDeviceDefinition] = []
      var page = BenchPage(port: port, isReadOnly: readOnly, isOpened: open)
      page.announce = { Output.shared.print($0) }
      for file in files {
        let found = try InputFiles.devices(in: InputFiles.read(file))
        definitions += found
        page.files += found.map { _ in file }
      }
      try recording.check()
      let bus = try busOptions.bus()
      let session = RunSession(
        definitions, on: bus, printer: nil, keepsInput: true,
        trace: try recording.file(on: bus.kind),
        isRedacted: recording.redact, page: page, bound: ending.bound)
      let signals = await UnixSignalsSequence.catchEndSignals()
      _ = try await session.run {
        await untilEnded(ending.bound, signals: signals) {
          // This event never comes: the wait ends when the task is cancelled.
          _ = await session.log.wait(for: .max)
        }
      }
      let traceStatus = session.tellTrace()
      if traceStatus != 0 { throw ExitCode(traceStatus) }
      if ending.strict, !Strict.passes(session.log.totals) { throw ExitCode(1) }
    }
  }
}
