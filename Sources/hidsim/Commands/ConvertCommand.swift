// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import HIDTraces
import HIDWire

struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Write a trace in another format.",
    usage: "hidsim convert <in> <out> [<options>]",
    discussion: """
      Reads every format of traces: hid-recorder's text, Android's hid commands, recordings of libinput and umockdev, and \
      captures of USB packets. Writes hid-recorder's text or Android's commands: by --to, else by the name of the output \
      (.hid or .json), else hid-recorder's text.

        hidsim convert capture.pcapng mouse.hid
        hidsim convert capture.pcapng - --device 2 --descriptor mouse.hex
        hidsim convert mouse.hid mouse.json

      The output appears when it is complete. Standard error names what the format cannot hold.
      """)

  /// A format that is written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case recorder
    case android

    var format: HIDTraceFormat { self == .recorder ? .recorder : .android }
  }

  @Argument(help: ArgumentHelp("A trace, or - for standard input.", valueName: "in"))
  var input: String
  @Argument(help: ArgumentHelp("The file to write, or - for standard output.", valueName: "out"))
  var output: String
  @Option(
    help: ArgumentHelp(
      "recorder (hid-recorder's text) or android (hid commands).", valueName: "format"))
  var to: Format?
  @Option(
    help: ArgumentHelp(
      "Write only this device, by its number from 1; repeatable.", valueName: "number"))
  var device: [Int] = []
  @Flag(help: "Overwrite the output.") var force = false
  @Flag(
    help: ArgumentHelp(
      "Leave typed text and serial numbers out.",
      discussion: "hidsim help record says what stays."))
  var redact = false
  @OptionGroup var traceOptions: TraceOptions

  func validate() throws {
    try OptionRule.check(
      traceOptions.standardInputRule(input),
      .excludes(
        "--force", force, ["- as the output": output == "-"],
        because: "it overwrites a file, and - is standard output"))
  }

  func run() async throws {
    try await reporting {
      let format = try format()
      var reader = try await traceOptions.reader(input)
      let places = try places(reader)
      let devices = places.enumerated().map { number, place in
        var device = reader.devices[place]
        device.number = number
        return redact ? HIDTraceRedaction.redacted(device) : device
      }
      guard var writer = HIDTraceWriter(format, devices: devices) else {
        throw Failure(.wrongArguments, "\(format.title) is not written")
      }
      let numbers = Dictionary(
        uniqueKeysWithValues: places.enumerated().map { ($0.element, $0.offset) })
      let count: Int
      if output == "-" {
        count = try write(&reader, &writer, numbers) { Output.shared.write($0) }
      } else {
        // The output may replace the input, since it takes its place only once it is complete.
        try CommandFiles.shared.claim(
          [.init("the output", output)], replacing: input, hasLines: false)
        var file = try OutputFile(output, replaces: force)
        count = try write(&reader, &writer, numbers) { try file.write($0) }
        try file.finish()
      }
      TraceFile.tell(reader.warnings)
      if !writer.leftOut.isEmpty {
        let words = writer.leftOut.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        Output.shared.note("left out: \(words.joined(separator: ", "))")
      }
      Output.shared.note(
        "\(output == "-" ? "standard output" : output): \(format.title), "
          + "\(devices.count.counting("device")), from \(count.counting("event")) of "
          + "\(reader.format.title)")
    }
  }

  /// The format to write: the one that was asked for, else that which the file's name stands for.
  private func format() throws -> HIDTraceFormat {
    if let to { return to.format }
    let named: HIDTraceFormat =
      switch URL(filePath: output).pathExtension.lowercased() {
      case "json": .android
      case "pcap", "pcapng", "cap": .usb
      case "yml", "yaml": .libinput
      case "umockdev", "ioctl", "script": .umockdev
      default: .recorder
      }
    guard !HIDTraceWriter.formats.contains(named) else { return named }
    throw Failure(
      .wrongArguments,
      """
      \(output): the name of \(named.title), which is read and not written; written are \
      \(HIDTraceFormat.recorder.title) (.hid) and \(HIDTraceFormat.android.title) (.json); --to says which
      """)
  }

  /// Writes a trace in pieces; returns how many events it has.
  private func write(
    _ reader: inout HIDTraceReader, _ writer: inout HIDTraceWriter, _ numbers: [Int: Int],
    _ put: ([UInt8]) throws -> Void
  ) throws -> Int {
    var count = 0
    var bytes: [UInt8] = []
    var redaction = redact ? HIDTraceRedaction(devices: reader.devices) : nil
    if redact, writer.format == .recorder {
      bytes += Array("\(HIDTraceRedaction.comment)\n".utf8)
    }
    writer.begin(into: &bytes)
    while var event = try reader.next() {
      guard let number = numbers[event.device] else { continue }
      if redact {
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
    try put(bytes)
    return count
  }

  /// The places of the devices that are written.
  private func places(_ reader: HIDTraceReader) throws -> [Int] {
    guard !device.isEmpty else { return Array(reader.devices.indices) }
    for number in device where number < 1 || number > reader.devices.count {
      throw Failure(
        .noInput, "\(input): there is no device \(number); there are:\n\(reader.devices.listing)")
    }
    return Set(device).sorted().map { $0 - 1 }
  }
}
