// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDText
import HIDTimeline
import HIDTraces

struct StatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stat", abstract: "Summarise a trace.", usage: "hidsim stat <trace> [<options>]",
    discussion: """
      Per device: events by kind, reports, intervals and their jitter, the controls that moved and how far, answers to \
      requests, and deviations from the descriptor. A second without a report is a pause, and not an interval.

        hidsim stat mouse.hid
        hidsim stat capture.pcapng --json
        hidsim stat mouse.hid --html mouse.html
      """)

  @Argument(
    help: ArgumentHelp("A trace, or - for standard input.", valueName: "trace"),
    completion: Completion.files)
  var trace: String
  @Flag(help: "Print one JSON object a line: devices, then the trace.") var json = false
  @OptionGroup var page: HTMLFile
  @OptionGroup var traceOptions: TraceOptions

  func validate() throws { try OptionRule.check(traceOptions.standardInputRule(trace)) }

  func run() async throws {
    try await reporting {
      var reader = try await traceOptions.reader(trace)
      try page.claim()
      var statistics: HIDTraceStatistics
      var timeline: JSONLine?
      if page.isWanted {
        statistics = HIDTraceStatistics(reader.devices)
        timeline = try TraceTimeline.timeline(reading: &reader) { statistics.add($0) }
      } else {
        statistics = try HIDTraceStatistics(reading: &reader)
      }
      for device in statistics.devices {
        if json {
          Output.shared.print(StatisticsText.line(device))
        } else {
          for line in StatisticsText.lines(device) { Output.shared.print(line) }
        }
      }
      let summary =
        "\(reader.format.title): \(statistics.devices.count.counting("device")), "
        + "\(statistics.eventCount.counting("event")) in \(secondsText(statistics.duration)) s"
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
        Output.shared.print(summary)
      }
      TraceFile.tell(reader.warnings)
      try page.write {
        var report = HTMLReport(title: "hidsim stat \(trace)", summary: summary)
        report.add(
          trace, message: statistics.devices.flatMap(StatisticsText.lines).joined(separator: "\n"),
          timeline: timeline)
        return report
      }
    }
  }
}
