// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import HIDBus
import HIDSessions
import HIDSimulator
import HIDText
import HIDTraces
import IOLoop
import Synchronization
import UnixSignals

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record devices as a trace while they are used.",
    usage: "hidsim record <device> ... [<options>]",
    discussion: """
      The trace is hid-recorder's text, with one order for all devices. hidsim replay and the readers of hid-recorder's \
      files take it.

        hidsim record /dev/hidraw3 -o mine.hid
        hidsim record "My keyboard" "My mouse" -o both.hid --for 10s
        hidsim record keyboard --redact > typing.hid

      Of a device that another hidsim of yours has plugged, hidsim also records what hosts do: output reports, requests with \
      their answers and latencies, and when clients open and close the device. hidsim does not open such a device itself, \
      unless you give --open.

      The trace is complete at any time, also if hidsim is killed. If a device is unplugged, the trace notes it and the \
      recording goes on with the others. The last line counts the reports, and those that were lost because hidsim read \
      too slowly.

      End: all devices are unplugged; --for; Ctrl-C or SIGTERM.
      """)

  @Argument(
    help: ArgumentHelp(
      "Nodes, numbers of hidsim list, names or words of them, or vendor:product.",
      valueName: "device"), completion: Completion.devices)
  var devices: [String]
  @OptionGroup var options: RecordingOptions
  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after a time: 5s, 500ms.", valueName: "time"))
  var bound: TimeBound?
  @Flag(
    name: .customLong("open"),
    help: "Open simulated devices, too, for scripts that wait for it.")
  var opensAll = false
  @OptionGroup var busOptions: BusOptions

  func validate() throws {
    if devices.isEmpty {
      throw ValidationError("name the devices to record; hidsim list lists them")
    }
  }

  func run() async throws {
    try await reporting {
      try CommandFiles.shared.claim([.init("-o", options.output)], hasLines: false)
      try RecordingFile.checkNoCapture(options.output)
      try RecordingFile.check(options.output, isForced: options.force)
      let records = try DeviceArgument.records(devices, among: try await busOptions.devices())
      let catalog = try HIDBus.forClients(busOptions.selection())
      // Catch signals before a device is opened: a signal during the opening then ends the
      // recording as a later signal does.
      let signals = await UnixSignalsSequence.catchEndSignals()
      let recorder = try await DeviceRecorder.open(
        records, on: catalog, directory: try? BusDirectory.shared(), isRedacted: options.redact,
        opensAll: opensAll)
      let file = try RecordingFile(options.output, isForced: options.force)
      let line = "recording \(records.count.counting("device")) to \(file.name); Ctrl-C ends"
      let ending = await TraceWriting.run(
        recorder.recording, to: file, bound, signals, unknownLossesOn: { recorder.unknownLosses }
      ) {
        // On a terminal, the progress line has this information.
        if !file.hasProgress { Output.shared.note(line) }
      } body: {
        await recorder.run()
      }
      file.tell(ending)
      switch ending {
      case .failed(let failure): throw ExitCode(failure.status.rawValue)
      case .unread: break
      case .whole:
        Output.shared.note(
          "\(file.name): \(TraceTotals(recorder.recording, unknownLossesOn: recorder.unknownLosses).words)"
        )
      }
      if let failure = recorder.failure { throw failure }
    }
  }
}

/// The options of commands that write a trace.
struct RecordingOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write; default: standard output.", valueName: "file"),
    completion: Completion.files)
  var output: String?
  @Flag(help: "Overwrite the file of -o.") var force = false
  @Flag(
    help: ArgumentHelp(
      "Leave typed text and serial numbers out.",
      discussion: """
        Each key that types a character becomes another key; the times of keys stay. Modifiers, function keys and \
        arrows stay. Reports of a vendor's own page stay, too: hidsim cannot know whether they repeat the keys.
        """))
  var redact = false

  func validate() throws {
    try OptionRule.check(
      .needs(
        "--force", force, "-o FILE", output != nil && output != "-",
        because: "--force overwrites the file of -o"))
  }
}

/// The writing of a trace while it is recorded.
enum TraceWriting {
  /// The time to wait at the end for a reader of the trace that reads nothing.
  private static let patience = Duration.seconds(2)

  /// Records and writes, until the devices are unplugged, a signal arrives, the time is over, or a
  /// write fails.
  ///
  /// The call then waits until the rest is written. If nothing can be written for 2 s, the program
  /// ends with the exit status 74.
  ///
  /// - Parameters:
  ///   - whenBegun: Called once, when the beginning of the trace is written.
  ///   - body: Records the devices. It must end soon after its task is cancelled.
  static func run(
    _ recording: TraceRecording, to file: RecordingFile, _ bound: TimeBound?,
    _ signals: UnixSignalsSequence,
    unknownLossesOn buses: @escaping @Sendable () -> Set<HIDBusKind> = { [] },
    whenBegun: @escaping @Sendable () -> Void,
    body: @escaping @Sendable () async -> Void
  ) async -> RecordingFile.Ending {
    let working = Task { await body() }
    let writing = Task {
      await file.write(recording, whenBegun: whenBegun, whenOver: { _ in working.cancel() })
    }
    let rate = Mutex((time: MonotonicTime.now, inputs: 0))
    let progress = Task {
      guard file.hasProgress else { return }
      await ProgressLine.run {
        let totals = TraceTotals(recording, unknownLossesOn: buses())
        let perSecond = rate.withLock { rate in
          let now = MonotonicTime.now
          let passed = max(1, now.duration(since: rate.time).wholeMicroseconds)
          defer { rate = (now, totals.inputs) }
          return Int64(totals.inputs - rate.inputs) * 1_000_000 / passed
        }
        return
          "\(InputFiles.name(of: file.name)): \(totals.words), \(perSecond) a second; Ctrl-C ends"
      }
    }
    _ = await untilEnded(bound, signals: signals) {
      await withTaskCancellationHandler {
        await working.value
      } onCancel: {
        working.cancel()
      }
    }
    recording.finish()
    progress.cancel()
    await progress.value
    let waiting = Task {
      var before: Int
      repeat {
        before = file.writtenByteCount
        try await Timeline.real.sleep(for: patience)
      } while file.writtenByteCount != before
      Output.shared.complain(
        "\(file.name): the reader read nothing for \(patience.components.seconds) s; "
          + "the rest of the trace is lost")
      Glibc.exit(Failure.Status.outputFailed.rawValue)
    }
    defer { waiting.cancel() }
    return await writing.value
  }
}
