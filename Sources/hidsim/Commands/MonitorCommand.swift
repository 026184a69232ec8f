// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDBus
import HIDReportDescriptor
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop
import UnixSignals

struct MonitorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Print the input reports of a device as they arrive.",
    discussion: """
      Each line shows the bytes of a report and the values that changed. The last line, on standard error, counts the \
      reports, and those that were lost because hidsim read too slowly. While another program has seized the device no \
      report arrives, and a line on standard error says so.

        hidsim monitor keyboard
        hidsim monitor /dev/hidraw0 --raw --for 10s
      """)

  @OptionGroup var deviceArgument: DeviceArgument
  @OptionGroup var busOptions: BusOptions
  @Flag(help: "Print only the bytes, in hex.") var raw = false
  @Flag(help: "Print one JSON object a line.") var json = false
  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after a time: 5s, 500ms.", valueName: "time"))
  var bound: TimeBound?

  func validate() throws {
    try OptionRule.check(
      .excludes("--raw", raw, ["--json": json], because: "--raw prints the bytes alone"))
  }

  func run() async throws {
    try await reporting {
      let found = try await deviceArgument.find(on: busOptions)
      let device = found.record
      let descriptor = try HIDReportDescriptor(parsing: device.descriptorBytes)
      let client = try found.client()
      let (seizures, seized) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(2))
      let stream = try await client.reports(capacity: 4096) { seized.yield($0) }
      let seizeNotes = Task { for await isSeized in seizures { Self.tell(isSeized) } }
      defer { seizeNotes.cancel() }
      // Catch signals before the line that names Ctrl-C: a signal then ends the command with 0.
      let signals = await UnixSignalsSequence.catchEndSignals()
      if !json, !raw {
        Output.shared.note("monitoring \(device.address) \"\(device.identity.name)\"; Ctrl-C ends")
      }
      let count = await untilEnded(bound, signals: signals) {
        await read(stream, device, descriptor)
      }
      Output.shared.note("\((count ?? 0).counting("report")), \(stream.lost.words(on: device.bus))")
      if let failure = stream.failure { throw failure }
    }
  }

  private static func tell(_ isSeized: Bool) {
    Output.shared.note(
      isSeized
        ? "another program has seized the device: no reports arrive until it releases the device"
        : "the other program has released the device: reports arrive again")
  }

  private func read(
    _ stream: HIDReportStream, _ device: HIDDeviceRecord, _ descriptor: HIDReportDescriptor
  ) async -> Int {
    var last: [HIDReportID?: [UInt8]] = [:]
    var count = 0
    var base: MonotonicTime?
    var output = OutputBuffer()
    defer { output.flush() }
    var reports = stream.makeAsyncIterator()
    while true {
      if !reports.hasNext { output.flush() }
      await Output.shared.settle()
      guard let report = await reports.next(isolation: #isolation) else { break }
      count += 1
      if raw {
        output.add(report.bytes)
        continue
      }
      let start = base ?? report.time
      base = start
      let bytes = [UInt8](report.bytes)
      let id =
        descriptor.numbersReports(.input) ? bytes.first.flatMap(HIDReportID.init(rawValue:)) : nil
      let changes = descriptor.namedChanges(.input, from: last[id], to: bytes)
      if let layout = descriptor.report(.input, id: id) {
        HIDReportDecoder(layout).remember(bytes.span, in: &last[id, default: []])
      }
      if json {
        var line = JSONLine()
        line.add("event", "input")
        line.add("device", .string(device.identity.name))
        line.add("time", .integer(report.time.microseconds(since: start)))
        EventJSON.addInput(bytes, id, changes, to: &line)
        output.add(line)
      } else {
        let number = id.map { " \($0)" } ?? ""
        let words = changes.map(\.description).joined(separator: ", ")
        output.add(
          "\(HIDEventText.time(report.time, base: start))  input\(number) \(bytes.hexText)"
            + (words.isEmpty ? "" : "  \(words)"))
      }
    }
    return count
  }
}
