// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreHID
import HIDReportDescriptor
import HIDSimulator
import HIDSystem
import HIDText
import HIDWire
import IOLoop

struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Ask a device for a report.",
    discussion: "Prints the report's bytes, its ID first if it is numbered, and the values in it.")

  @OptionGroup var deviceArgument: DeviceArgument
  @Argument(help: "input, output or feature.") var type: String
  @Argument(help: "The report's ID, where the device numbers its reports.") var id: String?
  @OptionGroup var busOptions: BusOptions
  @Option(help: "How long to wait for the answer: 500ms, 2s. The kernel waits 5 s at most.")
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
      let bytes = try await client.telling {
        [UInt8](
          try await $0.dispatchGetReportRequest(type: type, id: id, timeout: timeout.duration))
      }
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
    commandName: "set", abstract: "Send a device an output or feature report.",
    discussion: """
      An output report is sent without waiting for an answer, a feature report until the device accepts \
      it. BYTES are hex: the report, without its ID. They are sent as they are; a length that the \
      descriptor does not declare is warned of.

        hidsim set 1 output 02
        hidsim set 1 feature --id 3 00 10
      """)

  @OptionGroup var deviceArgument: DeviceArgument
  @Argument(help: "output or feature.") var type: String
  @Argument(
    help: "The report's ID, where the device numbers its reports; then the report's bytes in hex.")
  var words: [String]
  @Option(help: "The report's ID; else it is the first word, where reports are numbered.")
  var id: String?
  @OptionGroup var busOptions: BusOptions
  @Option(help: "How long to wait for the answer: 500ms, 2s. The kernel waits 5 s at most.")
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
          "nothing to send: expected the bytes of \(type) report\(id.map { " \($0), after its ID" } ?? "")"
        )
      }
      if let warning = lengths.warning(type, id, payload: payload) {
        Output.shared.note("warning: \(warning)")
      }
      let report = (id.map { [$0.rawValue] } ?? []) + payload
      let client = try found.client()
      let begun = MonotonicTime.now
      try await client.telling {
        try await $0.dispatchSetReportRequest(
          type: type, id: id, data: Data(report), timeout: timeout.duration)
      }
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
