// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import UnixSignals

struct ProxyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy", abstract: "Plug a twin of a device, and record both directions.",
    usage: "hidsim proxy <device> [<options>] [-- <command> ...]",
    discussion: """
      The twin has the identity and the report descriptors of the original, with all interfaces. hidsim passes input reports \
      of the original to the twin, and output reports and requests of hosts from the twin to the original. The trace has \
      both directions and the latency of each answer.

        hidsim proxy /dev/hidraw3 -o session.hid
        hidsim proxy "My gamepad" -o session.hid -- ./game

      hidsim seizes the original, so that its input does not arrive twice: evdev readers and other hidsim clients get none. \
      With --no-seize it does not. A reader of the original's hidraw node still gets input: let it open the twin, which the \
      first line on standard error names.

      COMMAND has HIDSIM_HIDRAW, HIDSIM_EVDEV, HIDSIM_DEVICE and HIDSIM_BUS in its environment. When the original is \
      unplugged hidsim asks COMMAND to end.

      End: the original is unplugged; --for; the end of COMMAND; Ctrl-C or SIGTERM. hidsim then unplugs the twin.

      Exit status: that of COMMAND.
      """)

  @OptionGroup var deviceArgument: DeviceArgument
  @OptionGroup var options: RecordingOptions
  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after a time: 5s, 500ms.", valueName: "time"))
  var bound: TimeBound?
  @Flag(inversion: .prefixedNo, help: "Seize the original, so that only hidsim gets its input.")
  var seize = true
  @Flag(help: "Let the twin's input reach the desktop.") var live = false
  @OptionGroup var busOptions: BusOptions

  private var command: [String] { Passthrough.words ?? [] }

  func validate() throws {
    try Passthrough.checkCommand()
    try OptionRule.check(
      .needs(
        "a command after --", !command.isEmpty, "-o FILE",
        options.output != nil && options.output != "-",
        because: "the command uses standard output, so the trace needs a file"),
      busOptions.excludesLive(live))
  }

  func run() async throws {
    try await reporting {
      try await ChildProgram.check(command)
      try CommandFiles.shared.claim([.init("-o", options.output)], hasLines: !command.isEmpty)
      try RecordingFile.checkNoCapture(options.output)
      try RecordingFile.check(options.output, isForced: options.force)
      let all = try await busOptions.devices()
      let found = try DeviceArgument.find(
        deviceArgument.device, among: all, orFile: false, asWhole: true)
      let interfaces = found.record.interfaces(among: all.map(\.record))
      let bus = try busOptions.bus(isLive: live)
      let signals = await UnixSignalsSequence.catchEndSignals()
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
    let catalog = try HIDBus.forClients(busOptions.selection())
    do throws(HIDBusError) {
      return try await HIDProxy.open(interfaces, on: catalog, seizes: seize)
    } catch {
      guard seize, error.kind == .busy || error.kind == .unavailable else { throw error }
      throw Failure(.failed, "\(error.message); add --no-seize to open it without seizing it")
    }
  }

  private func line(_ interfaces: [HIDDeviceRecord], _ twin: SimulatedDevice) -> String {
    let nodes = twin.records.map(\.nodeWords)
    return
      "proxy of \"\(twin.definition.name)\" (\(interfaces.map(\.address).joined(separator: " "))): "
      + "its twin is \(nodes.joined(separator: " ")); Ctrl-C ends"
  }

  /// Forwards input of the original device to its twin, the simulated copy.
  ///
  /// Returns when the original is unplugged, the command has ended, the time is over, or a signal
  /// has arrived.
  ///
  /// - Returns: The exit status of the command, or that of a failure to start it; nil without a
  ///   command.
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

  /// Forwards input until it ends, and then unplugs the twin.
  ///
  /// Input ends when the original is unplugged, or when the twin takes no more input. If the task
  /// is cancelled, the method returns early, and the twin stays plugged.
  private func forwardInput(of proxy: HIDProxy, to twin: SimulatedDevice) async {
    await proxy.forwardInput(to: twin)
    if !Task.isCancelled { await twin.unplug() }
  }

  private func tell(_ proxy: HIDProxy) {
    let counts = [
      (proxy.lostReports.count, "lost"),
      (proxy.paddedReports, "shorter than declared, filled up with zeros"),
      (proxy.unsendableReports, "not declared, not sent"),
    ]
    for (count, words) in counts where count > 0 {
      Output.shared.note("\(count.counting("input report")) of the original: \(words)")
    }
    if !proxy.lostReports.isComplete {
      Output.shared.note(
        "more input reports of the original device may be lost: the kernel does not count those that "
          + "hidsim read too late")
    }
    if proxy.refusedOutputs > 0 {
      Output.shared.note(
        "\(proxy.refusedOutputs.counting("output report")) refused by the original")
    }
  }
}
