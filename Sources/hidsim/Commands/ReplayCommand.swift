// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDSimulator
import HIDSystem
import HIDText
import HIDTraces
import HIDWire
import IOLoop
import UnixSignals

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay a recording: its devices, its reports, its times.",
    discussion: """
      Plugs the devices of a hid-recorder recording, sends their reports once at the times they were \
      recorded at, in order, across devices too, and unplugs them. Nothing is skipped and no pause is \
      cut short. Requests of the host are answered meanwhile.

      Reports longer than declared are sent as they are. Shorter ones, which the kernel would drop, are \
      filled up with zeros; those that are not declared at all, or longer than declared and than the 4,096 \
      bytes that uhid takes, are listed and not sent. --strict refuses what cannot be sent as it is. The \
      last line says how many reports were sent, how late, and how many were not as declared.
      """)

  @Argument(help: "A recording of hid-recorder.") var recording: String
  @OptionGroup var busOptions: BusOptions
  @OptionGroup var fidelityOption: FidelityOption
  @Option(
    help: "Wait this long at most until somebody opens a device before the first report: 5s.")
  var waitOpen: TimeBound?
  @Flag(help: "Print one JSON object a line.") var json = false
  @Flag(name: .customLong("input"), help: "Print the input reports too.") var showsInput = false
  @Flag(help: "Let simulated input reach the desktop of whoever is logged in.") var live = false
  @Flag(
    help: ArgumentHelp(
      "Refuse reports that cannot be sent as they are; fail (1) where something went wrong in silence.",
      discussion: Strict.help))
  var strict = false

  func run() async throws {
    try await reporting {
      let file = try InputFiles.readRecording(recording)
      let recording = try InputFiles.recording(file)
      let definitions = try InputFiles.devices(of: recording.devices, in: file)
      let plan: ReplayPlan
      do throws(HIDTraceError) {
        plan = try ReplayPlan(recording, definitions, file: file.path, isStrict: strict)
      } catch {
        throw Failure(.wrongData, error.description)
      }
      for problem in plan.unsendable.prefix(20) { Output.shared.note("not sent: \(problem)") }
      let bus = try HIDBus(
        busOptions.selection(), isLive: live, fidelity: fidelityOption.fidelity.fidelity)
      let printer = EventPrinter(json: json, toStandardError: false, showsInput: showsInput)
      let session = RunSession(
        plan.definitions, on: bus, printer: printer, keepsInput: showsInput)
      let signals = await UnixSignalsSequence.ofAnEnd()
      let result = try await session.run {
        await untilEnded(nil, signals: signals) { await play(plan, session) }
      }
      let totals = session.log.totals
      var words = result?.words ?? "ended before the first report"
      if plan.padded > 0 { words += ", \(plan.padded.counting("short report")) filled up" }
      if plan.long > 0 { words += ", \(plan.long) longer than declared" }
      if !plan.unsendable.isEmpty { words += ", \(plan.unsendable.count) not sent" }
      let passes = !strict || Strict.passes(totals)
      if !passes { words += ", strict: failed" }
      printer.summary(
        totals, bus: bus.kind, at: MonotonicTime.now.microseconds(since: session.base),
        outcome: words)
      if let failure = result?.failure { throw Failure(.failed, failure) }
      if result?.isComplete != true { throw ExitCode(1) }
      if !passes { throw ExitCode(1) }
    }
  }

  private func play(_ plan: ReplayPlan, _ session: RunSession) async -> ReplayResult {
    if let waitOpen {
      let deadline = MonotonicTime.now.advanced(by: waitOpen.duration)
      guard await session.waitForOpen(until: deadline) else {
        return ReplayResult(total: plan.reports.count, failure: "nobody opened a device in time")
      }
    }
    return await plan.play(on: session.devices)
  }
}
