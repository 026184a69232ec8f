// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop

struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Request a report from a device.",
    usage: "hidsim get <device> <type> [<id>] [<options>]",
    discussion: """
      Prints the bytes of the report, with its ID first if it is numbered, and its values.

        hidsim get keyboard input
        hidsim get /dev/hidraw0 feature 3
      """)

  @OptionGroup var deviceArgument: DeviceArgument
  @Argument(help: "input, output or feature.", completion: Completion.reportTypes) var type: String
  @Argument(help: "The report ID, if the device numbers its reports.") var id: String?
  @OptionGroup var busOptions: BusOptions
  @Option(
    help: ArgumentHelp(
      "The longest wait for the answer: 500ms. The kernel waits 5 s.", valueName: "time"))
  var timeout = TimeBound.answer
  @Flag(help: "Print one JSON object.") var json = false

  func run() async throws {
    try await reporting {
      let type = try ReportArguments.type(type)
      let id = try id.map(ReportArguments.id)
      let found = try await deviceArgument.find(on: busOptions)
      let device = found.record
      let descriptor = try HIDReportDescriptor(parsing: device.descriptorBytes)
      try ReportArguments.check(id, type, HIDReportLengths(descriptor), descriptor)
      let client = try found.client()
      let begun = MonotonicTime.now
      let bytes = try await client.get(type, id, within: timeout.duration)
      let latency = MonotonicTime.now.duration(since: begun)
      let values = descriptor.namedValues(type, in: bytes)
      if json {
        var line = JSONLine()
        line.add("event", "get")
        line.add("device", .string(device.identity.name))
        line.add("time", .integer(latency.wholeMicroseconds))
        line.add("type", .string("\(type)"))
        line.add("report", .optional(id) { .integer($0.rawValue) })
        line.add("bytes", .bytes(bytes))
        line.add("raw", .bytes(bytes))
        line.add("values", EventJSON.values(values))
        Output.shared.print(line)
      } else {
        Output.shared.print(bytes.hexText)
        for value in values { Output.shared.print("  \(value)") }
      }
    }
  }
}

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Send an output or feature report to a device.",
    usage: "hidsim set <device> <type> [<id>] <byte> ... [<options>]",
    discussion: """
      BYTES are hex, without the report ID. They are sent unchanged; hidsim warns if the descriptor declares another length. \
      hidsim does not wait for an answer to an output report. It waits until the device accepts a feature report.

        hidsim set keyboard output 02
        hidsim set /dev/hidraw0 feature 3 00 10
      """)

  @OptionGroup var deviceArgument: DeviceArgument
  @Argument(help: "output or feature.", completion: .list(["output", "feature"])) var type: String
  @Argument(
    help: "The report ID, if the device numbers its reports, then the bytes in hex.")
  var words: [String]
  @Option(help: ArgumentHelp("The report ID; default: the first of the words.", valueName: "id"))
  var id: String?
  @OptionGroup var busOptions: BusOptions
  @Option(
    help: ArgumentHelp(
      "The longest wait for the answer: 500ms. The kernel waits 5 s.", valueName: "time"))
  var timeout = TimeBound.answer
  @Flag(help: "Print one JSON object.") var json = false

  func run() async throws {
    try await reporting {
      let type = try ReportArguments.type(type)
      guard type != .input else {
        throw ValidationError("an input report comes from the device: expected output or feature")
      }
      let found = try await deviceArgument.find(on: busOptions)
      let device = found.record
      let descriptor = try HIDReportDescriptor(parsing: device.descriptorBytes)
      let lengths = HIDReportLengths(descriptor)
      var words = words
      var id = try id.map(ReportArguments.id)
      if id == nil, lengths.isNumbered(type), !words.isEmpty {
        id = try ReportArguments.id(words.removeFirst())
      }
      try ReportArguments.check(id, type, lengths, descriptor)
      let payload = try ReportArguments.bytes(words)
      guard !payload.isEmpty else {
        throw Failure(
          .wrongArguments,
          "nothing to send: expected the bytes of "
            + (id.map { "\(type) report \($0), after its ID" } ?? "the \(type) report"))
      }
      if let warning = lengths.warning(type, id, payload: payload) {
        Output.shared.note("warning: \(warning)")
      }
      let report = (id.map { [$0.rawValue] } ?? []) + payload
      let client = try found.client()
      let begun = MonotonicTime.now
      try await client.set(type, report, within: timeout.duration)
      let latency = MonotonicTime.now.duration(since: begun)
      if json {
        var line = JSONLine()
        line.add("event", "set")
        line.add("device", .string(device.identity.name))
        line.add("time", .integer(latency.wholeMicroseconds))
        line.add("type", .string("\(type)"))
        line.add("report", .optional(id) { .integer($0.rawValue) })
        line.add("bytes", .bytes(report))
        line.add("raw", .bytes(report))
        line.add("values", EventJSON.values(descriptor.namedValues(type, in: report)))
        Output.shared.print(line)
      } else {
        for value in descriptor.namedValues(type, in: report) { Output.shared.print("  \(value)") }
      }
    }
  }
}
