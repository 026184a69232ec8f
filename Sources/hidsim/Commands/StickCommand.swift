// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import HIDBus
import HIDSimulator
import HIDText
import IOLoop
import InputStick
import UnixSignals

struct StickCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stick", abstract: "Plug an InputStick, and serve a client on its command link.",
    usage: "hidsim stick [<file>] [<options>] [-- <command> ...]",
    discussion: """
      An InputStick types, points and clicks for a program that sends it packets over Bluetooth. hidsim plugs the \
      stick as a composite device, and takes the packets from a socket or a pseudo-terminal instead.

        hidsim stick                                      a socket in the bus folder
        hidsim stick --listen tcp:0 --password abc123     any free port; encrypted
        hidsim stick --listen pty --firmware 0.98         a terminal; older firmware
        hidsim stick --script pin.hidscript -- ./app      test a client

      FILE is a device file whose interfaces have the names keyboard, mouse, consumer and raw. Without it hidsim plugs \
      inputstick.json.

      Link: the first lines name the place. A stick serves one client at a time; the next one reads a line of text \
      that says so, and is disconnected. A TCP port is open to all users of this machine, but not to other machines.

      COMMAND finds the place in HIDSIM_STICK, and the devices in the variables of hidsim run.

      Script: the commands of hidsim run; "expect event packet" waits for a packet, and "link" makes the link fail: \
      link drop 2, link cut, link suspend. The same commands work with hidsim script --to InputStick.

      End: Ctrl-C or SIGTERM, --for, or the end of --script or COMMAND. hidsim then unplugs the stick.
      """)

  @Argument(
    help: ArgumentHelp("A device file.", valueName: "file"), completion: Completion.deviceFiles)
  var file = "inputstick.json"
  @OptionGroup(title: "Stick options") var stickOptions: StickOptions
  @OptionGroup(title: "Script options") var scriptOptions: RunScriptOptions
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
    try OptionRule.check(scriptOptions.reports.excludesCommand(command))
  }

  func run() async throws {
    try await reporting {
      let definition = try stickDefinition()
      let model = try stickOptions.model()
      let script = try scriptOptions.script.map { name in
        try InputFiles.script(name, variables: ScriptVariable.values(scriptOptions.settings))
          .lookedUp(on: [definition])
      }
      let command = try scriptOptions.programWords(of: script, or: command)
      try await ChildProgram.check(command)
      try recording.check(beside: scriptOptions.reports.outputs)
      let reports = try scriptOptions.reports.files()
      let bus = try busOptions.bus()
      let printer = EventPrinter(
        json: json,
        toStandardError: !command.isEmpty || scriptOptions.reports.writesToStandardOutput,
        showsInput: showsInput)
      let session = RunSession(
        [definition], on: bus, printer: printer, keepsInput: showsInput || script != nil,
        timeline: .real(on: StickChannel.loop), trace: try recording.file(on: bus.kind),
        isRedacted: recording.redact, page: bench ? BenchPage(files: [file]) : nil,
        bound: ending.bound)
      let link = try await StickLinkServer(session, stickOptions, model)
      let signals = await UnixSignalsSequence.catchEndSignals()
      if script != nil || !command.isEmpty { Output.shared.ignoreWriteErrors() }
      let work = RunWork(
        script: script, expectsAll: scriptOptions.expectAll, command: command, bound: ending.bound,
        waitsForCommand: scriptOptions.waitCommand)
      let outcome: RunWork.Outcome
      do {
        outcome = try await ProgressLine.during(session.progressWords, beside: command) {
          try await session.run { await link.serve { await work.serve(session, signals) } }
        }
      } catch {
        await link.end()
        throw error
      }
      try session.conclude(
        outcome, of: script, reports: reports, printer: printer, isStrict: ending.strict)
    }
  }

  /// Reads the device file; refuses one with several devices.
  private func stickDefinition() throws -> HIDDeviceDefinition {
    let definitions = try InputFiles.devices(in: InputFiles.read(file))
    guard definitions.count == 1 else {
      throw Failure(
        .wrongArguments,
        "\(file) has \(definitions.count.counting("device")), and a stick is one; "
          + "name a device file with the interfaces keyboard, mouse, consumer and raw")
    }
    return definitions[0]
  }
}

/// The options of a simulated InputStick, a device that clients drive by packets on a link.
struct StickOptions: ParsableArguments {
  @Option(
    name: .customLong("listen"),
    help: ArgumentHelp(
      "Where clients connect: unix:PATH, tcp:PORT or pty.",
      discussion: "Default: a socket in the bus folder. tcp:0 is any free port.",
      valueName: "place"), transform: StickEndpoint.listening)
  var place: StickEndpoint?
  @Option(
    help: ArgumentHelp(
      "The firmware to simulate: 0.91 to 1.12.", discussion: "Default: \(StickFirmware.latest).",
      valueName: "version"), transform: StickFirmware.version)
  var firmware: StickFirmware = .latest
  @Option(
    help: ArgumentHelp(
      "The password that clients need.", discussion: "Needs OpenSSL's libcrypto.", valueName: "text"
    ))
  var password: String?
  @Option(help: ArgumentHelp("The Bluetooth name.", valueName: "text"))
  var name = StickModel.defaultName
  @Flag(
    help: ArgumentHelp(
      "Send in pieces of 20 bytes, 2 ms apart.", discussion: "A Bluetooth LE link does so."))
  var blePieces = false
  @Option(
    help: ArgumentHelp(
      "The time between two polls of the host: 1ms to 1s.",
      discussion: "Default: 4ms. A slow host polls less often.", valueName: "time"))
  var pollInterval: TimeBound?

  func validate() throws {
    if password == "" {
      throw ValidationError("--password needs a text; leave it out for a stick without a password")
    }
    if let pollInterval, !(Duration.milliseconds(1)...(.seconds(1))).contains(pollInterval.duration)
    {
      throw ValidationError("--poll-interval \(pollInterval): expected 1ms to 1s")
    }
  }

  /// Makes the model of the stick's side of the link.
  ///
  /// - Throws: A failure with status 69 if the stick has a password, and OpenSSL is missing or
  ///   refuses MD5.
  func model() throws -> StickModel {
    do throws(MissingOpenSSL) {
      var key: StickKey?
      if let password { key = try StickKey(password: password) }
      return StickModel(firmware, key: key, name: name, hmacKey: .random(count: 32))
    } catch {
      throw Failure(.unavailable, "--password: \(error); \(error.help)")
    }
  }
}

/// The server of a stick's command link during a run.
struct StickLinkServer: Sendable {
  private let stick: SimulatedStick
  private let server: StickServer
  private let device: SimulatedDevice

  /// Opens the endpoint for clients, and starts the simulated InputStick.
  ///
  /// - Throws: A failure with status 65 if the device is not a stick, 64 if the endpoint cannot be
  ///   opened.
  init(_ session: RunSession, _ options: StickOptions, _ model: StickModel) async throws {
    device = session.devices[0]
    do throws(HIDBusError) {
      stick = try SimulatedStick(
        model, device: device, log: session.log, bus: session.bus,
        pollInterval: options.pollInterval?.duration ?? SimulatedStick.defaultPollInterval,
        sendsPieces: options.blePieces)
    } catch {
      throw Failure(error)
    }
    do throws(HIDBusError) {
      server = try Self.server(stick, options.place, in: session.bus)
    } catch {
      throw Failure(.wrongArguments, error.message)
    }
    device.link = HIDDeviceLink(
      place: server.endpoint.description, name: options.name,
      perform: { [stick] in await stick.perform($0) }, state: { [stick] in await stick.linkState })
    await stick.start()
  }

  /// Opens the given endpoint, or the first free one of the bus folder: `stick`, `stick-2` and so
  /// on, up to `stick-64`.
  ///
  /// If the bus has no folder, the endpoint is in the working directory.
  private static func server(
    _ stick: SimulatedStick, _ place: StickEndpoint?, in bus: HIDBus
  ) throws(HIDBusError) -> StickServer {
    if let place { return try StickServer(stick, at: place) }
    let folder = bus.directoryPath ?? "."
    var number = 1
    while true {
      do throws(HIDBusError) {
        let name = number == 1 ? "stick" : "stick-\(number)"
        return try StickServer(stick, at: .unix("\(folder)/\(name)"))
      } catch {
        guard error.errorNumber == EADDRINUSE, number < 64 else { throw error }
        number += 1
      }
    }
  }

  /// Serves clients while `body` runs, and then calls ``end()``.
  func serve<Value: Sendable>(_ body: @Sendable () async -> Value) async -> Value {
    device.tell(.link(.listening(server.endpoint.description)))
    let serving = Task { await server.run() }
    let value = await body()
    serving.cancel()
    await serving.value
    await end()
    return value
  }

  /// Ends the session of the client, and closes the endpoint.
  func end() async {
    await stick.stop()
    server.close()
  }
}

extension StickEndpoint {
  /// Reads the endpoint on which a stick listens.
  static func listening(_ text: String) throws -> StickEndpoint {
    let place = try StickEndpoint(text)
    if case .terminal(_?) = place {
      throw ValidationError("the stick makes a terminal of its own; write pty")
    }
    return place
  }
}

extension StickFirmware {
  /// Reads a version such as `1.10`.
  static func version(_ text: String) throws -> StickFirmware {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [1, 2], let major = NumberText.integer(parts[0], as: Int.self),
      let minor = NumberText.integer(parts[1], as: Int.self), minor >= 0,
      let firmware = StickFirmware(major * 100 + minor)
    else { throw ValidationError("expected a version from 0.91 to 1.12, such as 1.10") }
    return firmware
  }
}
