// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSimulator
import HIDSystem
import HIDWire
import IOLoop
import UnixSignals

struct ProxyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy", abstract: "Stand between a device and its hosts, and record both.",
    usage: "hidsim proxy <device> [<options>] [-- <command> ...]",
    discussion: """
      Plugs a twin of a device, all interfaces of it, with the same identity and report descriptors. Input reports of the \
      original go to hosts of the twin; their output reports and requests go to the original, and get what it answers. The \
      trace has all of it, with how long answers took: what hid-recorder cannot see.

        hidsim proxy /dev/hidraw3 -o wire.hid
        hidsim proxy "My gamepad" -o wire.hid -- ./game

      The original is kept from other hidsim clients, and from evdev readers, so that its input does not come twice; \
      --no-seize leaves it. Programs that read its hidraw node go on reading: have them use the twin's, which the first line \
      on standard error names.

      Ends when the original is unplugged, after --for, when COMMAND ends, and with Ctrl-C or SIGTERM; then the twin is gone. \
      COMMAND finds HIDSIM_HIDRAW, HIDSIM_EVDEV, HIDSIM_DEVICE and HIDSIM_BUS in its environment, as with hidsim run; it is \
      asked to end when the original is gone, and the exit status is its own.
      """)

  @OptionGroup var deviceArgument: DeviceArgument
  @OptionGroup var options: RecordingOptions
  @Option(name: .customLong("for"), help: "End after this long: 5s, 500ms.") var bound: TimeBound?
  @Flag(inversion: .prefixedNo, help: "Keep the original from other clients and evdev readers.")
  var seize = true
  @Flag(help: "Let the twin's input reach the desktop of whoever is logged in.") var live = false
  @OptionGroup var busOptions: BusOptions

  private var command: [String] { Passthrough.words ?? [] }

  func validate() throws {
    if Passthrough.words?.isEmpty == true {
      throw ValidationError("there is no command after --: name one, or leave -- out")
    }
    try OptionRule.check(
      .needs(
        "a command after --", !command.isEmpty, "-o FILE",
        options.output != nil && options.output != "-",
        because: "standard output is the command's, and the trace goes to a file"),
      busOptions.excludesLive(live))
  }

  func run() async throws {
    try await reporting {
      try await ChildProgram.check(command)
      try CommandFiles.shared.claim([.init("-o", options.output)], hasLines: !command.isEmpty)
      try RecordingFile.check(options.output, isForced: options.force)
      let all = try await busOptions.devices()
      let found = try DeviceArgument.find(
        deviceArgument.device, among: all, orFile: false, asWhole: true)
      let interfaces = found.record.interfaces(among: all.map(\.record))
      let bus = try busOptions.bus(isLive: live)
      let signals = await UnixSignalsSequence.ofAnEnd()
      let proxy = try await open(interfaces)
      let file: RecordingFile
      do { file = try RecordingFile(options.output, isForced: options.force) } catch {
        await proxy.close()
        throw error
      }
      let session = RunSession(
        [proxy.definition], on: bus, printer: nil, keepsInput: true, trace: file,
        isRedacted: options.redact)
      let twin = session.devices[0]
      proxy.serve(twin, log: session.log)
      let status: Int32?
      do {
        status = try await session.run {
          Output.shared.note(line(interfaces, twin))
          return try await forward(proxy, session, signals)
        }
      } catch {
        await proxy.close()
        throw error
      }
      await proxy.close()
      tell(proxy)
      let traceStatus = session.tellTrace()
      if session.isCutShort, traceStatus != 0 { throw ExitCode(traceStatus) }
      if let failure = proxy.failure { throw failure }
      if let status, status != 0 { throw ExitCode(status) }
      if traceStatus != 0 { throw ExitCode(traceStatus) }
    }
  }

  private func open(_ interfaces: [HIDDeviceRecord]) async throws -> HIDProxy {
    let hosts = try HIDBus.forClients(busOptions.selection())
    do throws(HIDWireError) {
      return try await HIDProxy.open(interfaces, on: hosts, seizes: seize)
    } catch {
      guard seize, error.kind == .busy || error.kind == .unavailable else { throw error }
      throw Failure(.failed, "\(error.message); --no-seize leaves it to others")
    }
  }

  private func line(_ interfaces: [HIDDeviceRecord], _ twin: SimulatedDevice) -> String {
    let nodes = twin.records.map { ([$0.address] + $0.eventNodes).joined(separator: " ") }
    return
      "proxy of \"\(twin.definition.name)\" (\(interfaces.map(\.address).joined(separator: " "))): "
      + "its twin is \(nodes.joined(separator: " ")); Ctrl-C ends"
  }

  /// Forwards until the original is gone, the command has ended, or something asks for the end.
  ///
  /// - Returns: The command's exit status.
  private func forward(
    _ proxy: HIDProxy, _ session: RunSession, _ signals: UnixSignalsSequence
  ) async throws -> Int32? {
    let twin = session.devices[0]
    guard !command.isEmpty else {
      _ = await untilEnded(bound, signals: signals) { await forwardInput(of: proxy, to: twin) }
      return nil
    }
    let child = ChildProgram(command, environment: session.environment)
    let result = await untilEnded(bound, signals: signals) {
      await withTaskGroup(of: Result<ChildEnd, ChildFailure>?.self) { group in
        group.addTask { await child.result() }
        group.addTask {
          await forwardInput(of: proxy, to: twin)
          return nil
        }
        var result: Result<ChildEnd, ChildFailure>?
        for await ended in group {
          result = ended ?? result
          group.cancelAll()
        }
        return result
      }
    }
    switch result {
    case .success(let end)??: return end.status
    case .failure(let failure)??:
      Output.shared.complain("\(failure.name): \(failure.reason)")
      return failure.status
    case nil, .some(nil): return nil
    }
  }

  /// Forwards input until the original is gone, and its twin goes with it.
  private func forwardInput(of proxy: HIDProxy, to twin: SimulatedDevice) async {
    await proxy.forwardInput(to: twin)
    if !Task.isCancelled { await twin.unplug() }
  }

  private func tell(_ proxy: HIDProxy) {
    let counts = [
      (proxy.lostReports.count, "lost"), (proxy.paddedReports, "shorter than declared, filled up"),
      (proxy.unsendableReports, "not declared, left out"),
    ]
    for (count, words) in counts where count > 0 {
      Output.shared.note("\(count.counting("input report")) of the original \(words)")
    }
    if !proxy.lostReports.isComplete {
      Output.shared.note("input reports of the original that were lost on their way here: unknown")
    }
    if proxy.refusedOutputs > 0 {
      Output.shared.note(
        "\(proxy.refusedOutputs.counting("output report")) not taken by the original")
    }
  }
}
