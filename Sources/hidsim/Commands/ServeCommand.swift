// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSimulator
import IOLoop
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve whole USB devices to other machines, by USB/IP.",
    usage: "hidsim serve <file> ... [<options>]",
    discussion: """
      hidsim listens, and hosts import the devices: Linux by usbip, Windows by usbip-win2. A host sees a USB device \
      that was plugged. hidsim prints what the host does, as run does, until it ends.

        hidsim serve keyboard.json gamepad.json
        usbip list --remote 127.0.0.1            # on the host, as root
        usbip attach --remote 127.0.0.1 --busid 1-1

      Access: the protocol has no authentication, and nothing is encrypted. Without --listen only programs on this \
      machine reach the devices. For another machine use SSH:

        ssh -L 3240:127.0.0.1:3240 THIS-MACHINE  # on the host, which then uses 127.0.0.1

      One host at a time has a device. When it detaches, or does not answer for 11 s, another can import the device. \
      On Linux the host needs the driver vhci_hcd: sudo modprobe vhci-hcd.

      End: Ctrl-C or SIGTERM, the end of a script, or --for. The hosts then see the devices unplugged.
      """)

  @Argument(
    help: ArgumentHelp(
      "Device files or traces.",
      discussion: "A script that names its devices by \"needs keyboard.json\" needs none.",
      valueName: "file"), completion: Completion.deviceFiles)
  var files: [String] = []
  @Option(
    help: ArgumentHelp(
      "Where to listen; default: 127.0.0.1:3240.",
      discussion: """
        An IPv4 address, and a port: 0.0.0.0:3240 is every address of this machine, port 0 any free port.
        """, valueName: "address:port"))
  var listen = ServeAddress(address: .standard)
  @OptionGroup(title: "Script options") var scriptOptions: RunScriptOptions
  @Flag(help: "Print one JSON object a line.") var json = false
  @Flag(name: .customLong("input"), help: "Print input reports, too.") var showsInput = false
  @Flag(help: "Serve a page that shows the devices: hidsim help bench.") var bench = false
  @OptionGroup(title: "Recording options") var recording: RunRecordingOptions
  @OptionGroup(title: "When to end, and when to fail") var ending: EndingOptions

  func validate() throws {
    if files.isEmpty, scriptOptions.script == nil {
      throw ValidationError("there is no device file: name one, such as keyboard.json")
    }
    try OptionRule.check(
      .excludesCommand("hidsim serve", because: "hidsim run runs a command beside the devices"))
  }

  func run() async throws {
    try await reporting {
      let (definitions, script) = try InputFiles.devices(
        in: files, playedBy: scriptOptions.script, scriptOptions.settings)
      try recording.check(beside: scriptOptions.reports.outputs)
      let reports = try scriptOptions.reports.files()
      try Threads.checkForDevices()
      // A signal after the line about the address ends the command as a later signal does.
      let signals = await UnixSignalsSequence.catchEndSignals()
      let server = try await USBServer(listen.address) { Output.shared.note("hidsim: \($0)") }
      let bus = HIDBus(serving: server)
      Output.shared.note("hidsim: \(words(for: server.address))")
      let printer = EventPrinter(
        json: json, toStandardError: scriptOptions.reports.writesToStandardOutput,
        showsInput: showsInput)
      let session = RunSession(
        definitions, on: bus, printer: printer, keepsInput: showsInput || script != nil,
        trace: try recording.file(on: bus.kind), isRedacted: recording.redact,
        page: bench ? BenchPage(files: BenchPage.names(of: files, for: definitions)) : nil)
      if script != nil { Output.shared.ignoreWriteErrors() }
      let work = RunWork(
        script: script, expectsAll: scriptOptions.expectAll, command: [], host: nil,
        sendsStandardInput: false, bound: ending.bound, waitsForCommand: false)
      let outcome = try await ProgressLine.during(session.progressWords, beside: []) {
        try await session.run { await work.serve(session, signals) }
      }
      await server.close()
      try session.conclude(
        outcome, of: script, reports: reports, printer: printer, isStrict: ending.strict)
    }
  }

  /// Returns the line about the address, with a warning if other machines reach it.
  private func words(for address: USBServerAddress) -> String {
    let port = address.port == USBServerAddress.defaultPort ? "" : " --tcp-port \(address.port)"
    guard address.isLoopback else {
      return """
        serving at \(address): every program that reaches this address can import the devices, and the connection \
        is not encrypted; safer: listen at 127.0.0.1, and on the host \
        ssh -L 3240:127.0.0.1:\(address.port) THIS-MACHINE
        """
    }
    // Another address of 127.0.0.0/8 is not 127.0.0.1.
    let host = address.description.prefix { $0 != ":" }
    return "serving at \(address); on this machine: usbip\(port) attach -r \(host) -b 1-1"
  }
}

/// The address of `--listen`.
struct ServeAddress: ExpressibleByArgument {
  let address: USBServerAddress

  init(address: USBServerAddress) { self.address = address }

  init?(argument: String) {
    guard let address = USBServerAddress(argument) else { return nil }
    self.address = address
  }

  var defaultValueDescription: String { address.description }
}
