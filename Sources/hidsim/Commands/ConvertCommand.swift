// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import HIDText
import HIDTimeline
import HIDTraces
import IOLoop
import Synchronization
import SystemPackage
import UnixSignals

struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Write a trace in another format.",
    usage: "hidsim convert <in> <out> [<options>]",
    discussion: """
      Reads every format of traces: hid-recorder's text, Android's hid commands, recordings of libinput and umockdev, and \
      captures of USB packets. Writes hid-recorder's text or Android's commands: by --to, else by the name of the output \
      (.hid or .json), else hid-recorder's text. With --to perfetto it writes JSON for ui.perfetto.dev, which hidsim \
      does not read.

        hidsim convert capture.pcapng mouse.hid
        hidsim convert capture.pcapng - --device 2 --descriptor mouse.hex
        hidsim convert mouse.hid mouse.json
        hidsim convert mouse.hid mouse.perfetto.json --to perfetto

      The output appears when it is complete. Standard error names what the format cannot hold.
      """)

  /// A format that hidsim can write.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case recorder
    case android
    case perfetto
  }

  @Argument(
    help: ArgumentHelp("A trace, or - for standard input.", valueName: "in"),
    completion: Completion.files)
  var input: String
  @Argument(
    help: ArgumentHelp("The file to write, or - for standard output.", valueName: "out"),
    completion: Completion.files)
  var output: String
  @Option(
    help: ArgumentHelp(
      "recorder (hid-recorder's text), android (hid commands) or perfetto.", valueName: "format"))
  var to: Format?
  @Option(
    help: ArgumentHelp(
      "Write only this device, by its number from 1; repeatable.", valueName: "number"))
  var device: [Int] = []
  @Flag(help: "Overwrite the output.") var force = false
  @Flag(
    help: ArgumentHelp(
      "Leave typed text and serial numbers out.",
      discussion: "hidsim help record lists what the trace keeps."))
  var redact = false
  @OptionGroup var traceOptions: TraceOptions

  func validate() throws {
    try OptionRule.check(
      traceOptions.standardInputRule(input),
      .excludes(
        "--force", force, ["- as the output": output == "-"],
        because: "--force overwrites a file, and - is standard output"))
  }

  func run() async throws {
    try await reporting {
      let format = try format()
      let position = ReadPosition()
      var reader = try await traceOptions.reader(input, observing: position.observing)
      let places = try places(reader)
      let devices = places.enumerated().map { number, place in
        var device = reader.devices[place]
        device.number = number
        return redact ? HIDTraceRedaction.redacted(device) : device
      }
      guard var writer = ConvertedTrace(format, devices: devices) else {
        throw Failure(.wrongArguments, "hidsim does not write \(format.rawValue)")
      }
      let numbers = Dictionary(
        uniqueKeysWithValues: places.enumerated().map { ($0.element, $0.offset) })
      let conversion = TraceConversion(numbers: numbers, redacts: redact)
      let count = try await ProgressLine.during({ position.words(of: input) }) {
        guard output != "-" else {
          return try conversion.write(&reader, &writer) { Output.shared.write($0) }
        }
        // The output may be the input's file: the new file replaces it only when it is complete.
        try CommandFiles.shared.claim(
          [.init("the output", output)], replacing: input, hasLines: false)
        var file = try OutputFile(output, replaces: force)
        let stop = StopSignal()
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let listening = Task {
          for await signal in signals { stop.note(signal) }
        }
        defer { listening.cancel() }
        let count = try conversion.write(&reader, &writer) { bytes throws in
          guard !stop.wasSent else {
            throw Failure(
              .failed,
              "\(output) is not written: \(stop.words) (\(position.words(of: input))); "
                + "the next run starts from the beginning")
          }
          try file.write(bytes)
        }
        try file.finish()
        return count
      }
      TraceFile.tell(reader.warnings)
      if !writer.leftOut.isEmpty {
        let words = writer.leftOut.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        Output.shared.note("left out: \(words.joined(separator: ", "))")
      }
      Output.shared.note(
        "\(output == "-" ? "standard output" : output): \(writer.title), "
          + "\(devices.count.counting("device")), from \(count.counting("event")) of "
          + "\(reader.format.title)")
    }
  }

  /// Returns the format to write: that of `--to`, else that of the output's file name, else
  /// `recorder`.
  ///
  /// - Throws: A failure if hidsim cannot write the format of the file name.
  private func format() throws -> Format {
    if let to { return to }
    let named: HIDTraceFormat
    switch URL(filePath: output).pathExtension.lowercased() {
    case "json": return .android
    case "pcap", "pcapng", "cap": named = .usb
    case "yml", "yaml": named = .libinput
    case "umockdev", "ioctl", "script": named = .umockdev
    default: return .recorder
    }
    throw Failure(
      .wrongArguments,
      """
      \(output): the name means \(named.title), which hidsim reads, but does not write; it writes \
      \(HIDTraceFormat.recorder.title) (.hid) and \(HIDTraceFormat.android.title) (.json): choose one with --to
      """)
  }

  /// Returns the indices of the devices to write.
  private func places(_ reader: HIDTraceReader) throws -> [Int] {
    guard !device.isEmpty else { return Array(reader.devices.indices) }
    for number in device where number < 1 || number > reader.devices.count {
      throw Failure(
        .noInput, "\(input): there is no device \(number); there are:\n\(reader.devices.listing)")
    }
    return Set(device).sorted().map { $0 - 1 }
  }
}

/// A writer of one of the formats.
private enum ConvertedTrace {
  case trace(HIDTraceWriter)
  case perfetto(PerfettoWriter)

  /// Makes a writer; nil if hidsim does not write the format.
  init?(_ format: ConvertCommand.Format, devices: [HIDTraceDevice]) {
    switch format {
    case .perfetto: self = .perfetto(PerfettoWriter(devices: devices))
    case .recorder, .android:
      let format = format == .recorder ? HIDTraceFormat.recorder : .android
      guard let writer = HIDTraceWriter(format, devices: devices) else { return nil }
      self = .trace(writer)
    }
  }

  /// The name of the format for people.
  var title: String {
    switch self {
    case .trace(let writer): writer.format.title
    case .perfetto: "Perfetto's JSON"
    }
  }

  /// The counts of data that the format cannot hold, by kind; empty for Perfetto's JSON.
  var leftOut: [String: Int] {
    if case .trace(let writer) = self { writer.leftOut } else { [:] }
  }

  /// True if lines with comments can be written.
  var hasComments: Bool {
    if case .trace(let writer) = self { writer.format == .recorder } else { false }
  }

  mutating func begin(into bytes: inout [UInt8]) {
    switch self {
    case .trace(var writer):
      writer.begin(into: &bytes)
      self = .trace(writer)
    case .perfetto(var writer):
      writer.begin(into: &bytes)
      self = .perfetto(writer)
    }
  }

  mutating func write(_ event: HIDTraceEvent, into bytes: inout [UInt8]) {
    switch self {
    case .trace(var writer):
      writer.write(event, into: &bytes)
      self = .trace(writer)
    case .perfetto(var writer):
      writer.write(event, into: &bytes)
      self = .perfetto(writer)
    }
  }

  func end(into bytes: inout [UInt8]) {
    if case .perfetto(let writer) = self { writer.end(into: &bytes) }
  }
}

/// A conversion of the events of a trace: it selects devices, redacts, and writes.
private struct TraceConversion {
  /// The index of each selected device in the output, by its index in the trace.
  let numbers: [Int: Int]
  let redacts: Bool

  /// Writes the trace in pieces of 64 KiB or more; the last piece may be shorter.
  ///
  /// - Returns: The number of events that the writer got, including those that its format cannot
  ///   hold.
  func write(
    _ reader: inout HIDTraceReader, _ writer: inout ConvertedTrace,
    _ put: ([UInt8]) throws -> Void
  ) throws -> Int {
    var count = 0
    var bytes: [UInt8] = []
    var redaction = redacts ? HIDTraceRedaction(devices: reader.devices) : nil
    if redacts, writer.hasComments {
      bytes += Array("\(HIDTraceRedaction.comment)\n".utf8)
    }
    writer.begin(into: &bytes)
    while var event = try reader.next() {
      guard let number = numbers[event.device] else { continue }
      if redacts {
        guard let redacted = redaction?.redacted(event) else { continue }
        event = redacted
      }
      event.device = number
      count += 1
      writer.write(event, into: &bytes)
      if bytes.count >= 64 * 1024 {
        try put(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    writer.end(into: &bytes)
    try put(bytes)
    return count
  }
}

/// The position of the reader in a file, for a progress line.
private final class ReadPosition: Sendable {
  private let end = Atomic(0)
  private let start = MonotonicTime.now

  /// Makes a source of the same bytes that records the position of each read.
  func observing(_ source: HIDTraceSource) -> HIDTraceSource {
    HIDTraceSource(name: source.name) { offset, count throws(Errno) in
      let bytes = try source.read(at: offset, count: count)
      self.end.store(offset + bytes.count, ordering: .relaxed)
      return bytes
    }
  }

  /// Returns the name of the file, with the percentage that was read and the estimated time for the
  /// rest.
  ///
  /// If the size of the file is not known, the number of kilobytes that were read follows the name.
  func words(of path: String) -> String {
    let done = end.load(ordering: .relaxed)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      return "\(InputFiles.name(of: path)): \(done / 1000) kB read"
    }
    return "\(InputFiles.name(of: path)): "
      + WorkProgress(total: Int(status.st_size), start: start).words(done: done)
  }
}
