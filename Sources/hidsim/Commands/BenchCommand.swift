// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBench
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
  @OptionGroup var plug: PlugOptions

  func validate() throws {
    try OptionRule.check(
      .excludesCommand("hidsim bench", because: "hidsim run runs a command beside the devices"))
  }

  func run() async throws {
    try await reporting {
      let definitions = try files.flatMap { try InputFiles.devices(in: InputFiles.read($0)) }
      try plug.recording.check()
      let bus = try plug.bus()
      let session = RunSession(
        definitions, on: bus, printer: nil, keepsInput: true, trace: try plug.recording.file(),
        isRedacted: plug.recording.redact)
      let signals = await UnixSignalsSequence.catchEndSignals()
      let server = try server(of: session.hub)
      _ = try await session.run {
        Output.shared.print("the bench is at \(server.link)")
        await untilEnded(plug.bound, signals: signals) { await server.run() }
      }
      let totals = session.log.totals
      let traceStatus = session.tellTrace()
      if traceStatus != 0 { throw ExitCode(traceStatus) }
      if plug.strict, !Strict.passes(totals) { throw ExitCode(1) }
    }
  }

  private func server(of hub: DeviceHub) throws -> BenchServer {
    var options = BenchServer.Options(
      readFile: InputFiles.devices(named:), library: { InputFiles.library().map(\.name) })
    options.port = port
    options.isReadOnly = readOnly
    do throws(HIDBusError) {
      return try BenchServer(hub, options)
    } catch {
      throw Failure(.wrongArguments, "--port \(port): \(error.message)")
    }
  }
}
