// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import HIDBusDirectory
import HIDSimulator
import HIDSystem
import HIDTraces
import HIDWire
import IOLoop
import Synchronization
import UnixSignals

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Record devices into a trace, while they are used.",
    discussion: """
      Writes hid-recorder's text, with one order for all devices: hidsim replay plays it, and every reader of \
      hid-recorder's files reads it.

        hidsim record /dev/hidraw3 -o mine.hid
        hidsim record "My keyboard" "My mouse" -o both.hid --for 10s
        hidsim record keyboard --redact > typing.hid

      Of a device that another hidsim of yours has plugged, what its hosts do is recorded as well: output reports, requests \
      with their answers and how long those took, and when the device was opened and closed. hidsim record does not open \
      such a device; with --open it does, for a script or a replay that waits until somebody has.

      The file is a trace at any time, also when hidsim is killed. A device that is unplugged is noted, and the others are \
      recorded on; when all are gone, the recording ends. So it does after --for, and with Ctrl-C or SIGTERM. The last line \
      says how many reports there were, and how many were lost because this program was too slow.
      """)

  @Argument(
    help: ArgumentHelp(
      "Devices: each its node, its number in the list, its name, words of it, or vendor:product; of several interfaces all.",
      valueName: "device"))
  var devices: [String]
  @OptionGroup var options: RecordingOptions
  @Option(name: .customLong("for"), help: "End after this long: 5s, 500ms.") var bound: TimeBound?
  @Flag(
    name: .customLong("open"),
    help: "Open devices that another hidsim has plugged, too, for who waits for that.")
  var opensAll = false
  @OptionGroup var busOptions: BusOptions

  func validate() throws {
    if devices.isEmpty { throw ValidationError("there is no device: name one (hidsim list)") }
  }

  func run() async throws {
    try await reporting {
      try CommandFiles.shared.claim([.init("-o", options.output)], hasLines: false)
      try RecordingFile.check(options.output, isForced: options.force)
      let records = try DeviceArgument.records(devices, among: try await busOptions.devices())
      let hosts = try HIDBus.forClients(busOptions.selection())
      // Before anything is opened: a signal that comes meanwhile ends the recording as one that comes later.
      let signals = await UnixSignalsSequence.ofAnEnd()
      let recorder = try await DeviceRecorder.open(
        records, on: hosts, directory: try? BusDirectory.shared(), isRedacted: options.redact,
        opensAll: opensAll)
      let file = try RecordingFile(options.output, isForced: options.force)
      let line = "recording \(records.count.counting("device")) to \(file.name); Ctrl-C ends"
      let ending = await TraceWriting.run(
        recorder.recording, to: file, bound, signals, unknownLossesOn: { recorder.unknownLosses }
      ) {
        // A terminal has the line that goes on.
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
    help: ArgumentHelp("Where to write the trace; standard output by default.", valueName: "file"))
  var output: String?
  @Flag(help: "Write over a file that is there.") var force = false
  @Flag(
    help: ArgumentHelp(
      "Leave out what is typed, and serial numbers.",
      discussion: """
        In place of each key that carries text stands another, so that when keys went down and up is all that is left. \
        Modifiers, function keys and arrows stay, and so does what the descriptor does not call a key: a report of the \
        vendor's own that repeats the keys cannot be known.
        """))
  var redact = false

  func validate() throws {
    try OptionRule.check(
      .needs(
        "--force", force, "-o FILE", output != nil && output != "-",
        because: "it writes over a file that is there"))
  }
}

/// A recording that is written while it goes on.
enum TraceWriting {
  /// How long is waited at the end for who reads the trace, and reads nothing.
  private static let patience = Duration.seconds(2)

  /// Records and writes, until the devices are gone, a signal asks for the end, or a time is over.
  ///
  /// - Parameters:
  ///   - whenBegun: Is called once, when the trace has begun.
  ///   - body: Records; ends soon where its task is cancelled.
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
        return "\(file.name): \(totals.words), \(perSecond) a second; Ctrl-C ends"
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
      Output.shared.complain("\(file.name): nobody reads the rest of the trace")
      Glibc.exit(Failure.Status.outputFailed.rawValue)
    }
    defer { waiting.cancel() }
    return await writing.value
  }
}
