// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDText
import HIDTraces

struct StatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat", abstract: "Summarise a trace.",
    discussion: """
      Per device: events by kind, reports, intervals and their jitter, the controls that moved and how far, answers to \
      requests, and deviations from the descriptor. A second without a report is a pause, and not an interval.

        hidsim stat mouse.hid
        hidsim stat capture.pcapng --json
      """)

  @Argument(
    help: ArgumentHelp("A trace, or - for standard input.", valueName: "trace"),
    completion: Completion.files)
  var trace: String
  @Flag(help: "Print one JSON object a line: devices, then the trace.") var json = false
  @OptionGroup var traceOptions: TraceOptions

  func validate() throws { try OptionRule.check(traceOptions.standardInputRule(trace)) }

  func run() async throws {
    try await reporting {
      var reader = try await traceOptions.reader(trace)
      let statistics = try HIDTraceStatistics(reading: &reader)
      for device in statistics.devices {
        if json {
          Output.shared.print(StatisticsText.line(device))
        } else {
          for line in StatisticsText.lines(device) { Output.shared.print(line) }
        }
      }
      if json {
        var line = JSONLine()
        line.add("event", "stat")
        line.add("file", .string(trace))
        line.add("format", .string(reader.format.rawValue))
        line.add("devices", .integer(statistics.devices.count))
        line.add("events", .integer(statistics.eventCount))
        line.add("duration", .integer(statistics.duration))
        Output.shared.print(line)
      } else {
        Output.shared.print(
          "\(reader.format.title): \(statistics.devices.count.counting("device")), "
            + "\(statistics.eventCount.counting("event")) in \(secondsText(statistics.duration)) s")
      }
      TraceFile.tell(reader.warnings)
    }
  }
}
