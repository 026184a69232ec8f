// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDText
import HIDTimeline
import HIDTraces

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two traces.",
    usage: "hidsim diff <trace> <other trace> [<options>]",
    discussion: """
      hidsim pairs the devices of the traces by identity, else in order, and compares their events: reports, requests and \
      answers, by their values. Each difference is a line: - is only in the first trace, + only in the second, ~ in both \
      with different values.

        hidsim diff recorded.hid replayed.hid
        hidsim diff recorded.hid replayed.hid --times 5ms
        hidsim diff a.hid b.hid --ignore 'input 1 bytes 7-9'
        hidsim diff a.hid b.hid --html differences.html

      Not compared: times without --times; latencies of requests; opening and closing without --opens; packets of a \
      command link without --packets; the order of events of different devices; physical paths. Times are seconds since the first event of a trace.

      Exit status: 0 if the traces are equal; 1 if they differ; 64 to 77 if they cannot be compared.
      """)

  /// The maximum number of differences that are printed without `--all`.
  private static let printedCount = 100

  @Argument(
    help: ArgumentHelp("A trace, or - for standard input.", valueName: "trace"),
    completion: Completion.files)
  var first: String
  @Argument(
    help: ArgumentHelp("Another trace.", valueName: "other trace"), completion: Completion.files)
  var second: String
  @Option(
    help: ArgumentHelp(
      "Compare times, too, and accept differences up to this time: 5ms.",
      discussion: "Times count from the first event that both traces have.", valueName: "time"))
  var times: TimeBound?
  @Flag(help: "Compare only input reports.") var inputOnly = false
  @Flag(help: "Compare opening and closing, too.") var opens = false
  @Flag(help: "Compare packets of a command link, too.") var packets = false
  @Option(
    help: ArgumentHelp(
      "Leave out a control, a report, or bytes of one; repeatable.",
      discussion: """
        A control by its name, such as genericDesktop.x. A report by its type and ID, with the range of bytes: \
        input 1 bytes 7-9. Byte 0 is the report ID if reports are numbered.
        """, valueName: "what"))
  var ignore: [String] = []
  @Flag(help: "Print all differences; default: the first 100.") var all = false
  @Flag(help: "Print one JSON object a line: differences, then counts.") var json = false
  @OptionGroup var page: HTMLFile
  @OptionGroup var traceOptions: TraceOptions

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "- as the first trace", first == "-", ["- as the second": second == "-"],
        because: OptionRule.oneStandardInput, remedy: "name a file instead of one - of the two"),
      traceOptions.standardInputRule(first, second),
      .excludes(
        "--input-only", inputOnly, ["--opens": opens, "--packets": packets],
        because: "--input-only leaves out all other events"))
  }

  func run() async throws {
    try await reporting {
      let limit = all ? Int.max : Self.printedCount
      var names = HIDTraceComparison.Options.names
      if inputOnly { names = [.input] }
      if opens { names.formUnion([.opened, .closed]) }
      if packets { names.insert(.packet) }
      let options = HIDTraceComparison.Options(
        names: names, tolerance: times?.duration,
        exclusions: try ignore.map { try HIDTraceExclusion($0) }, detailedCount: limit)
      let (one, other) = try await traceOptions.readers(first, second)
      try page.claim()
      var comparison = try HIDTraceComparison(one, other, options: options)
      var output = OutputBuffer()
      var count = 0
      var listed: [JSONText] = []
      do {
        while let difference = try comparison.next() {
          count += 1
          guard count <= limit else { continue }
          if page.isWanted { listed.append(.object(TraceTimeline.line(difference))) }
          if json { output.add(Self.line(difference)) } else { output.add("\(difference)") }
        }
      } catch {
        output.flush()
        throw error
      }
      if json { output.add(Self.line(comparison.totals)) }
      output.flush()
      TraceFile.tell(comparison.warnings)
      let words = Self.words(comparison.totals, isCut: count > limit)
      if !json { Output.shared.note(words) }
      if page.isWanted {
        var (one, other) = (one, other)
        let timeline = try TraceTimeline.timeline(reading: &one, and: &other)
        try page.write {
          let words = Self.words(comparison.totals, isCut: false)
          var report = HTMLReport(title: "hidsim diff \(first) \(second)", summary: words)
          report.add(
            "first: \(first), second: \(second)", outcome: count == 0 ? "passed" : "failed",
            message: count > limit ? "The first \(limit) differences are listed." : "",
            differences: listed, timeline: timeline)
          return report
        }
      }
      if count > 0 { throw ExitCode(Failure.Status.failed.rawValue) }
    }
  }

  private static func words(_ totals: HIDTraceComparison.Totals, isCut: Bool) -> String {
    var words =
      totals.differences == 0
      ? "no difference in \(totals.same.counting("event"))"
      : "\(totals.differences.counting("difference")): \(totals.missing) missing, "
        + "\(totals.added) added, \(totals.changed) changed, \(totals.devices) about devices; "
        + "\(totals.same.counting("event")) the same"
    if totals.passedOver > 0 { words += ", \(totals.passedOver) not compared" }
    if isCut { words += "; the first \(printedCount) are printed, --all prints them all" }
    return words
  }

  // MARK: JSON

  private static func line(_ difference: HIDTraceDifference) -> JSONLine {
    var line = JSONLine()
    line.add("event", "difference")
    line.add("change", .string(difference.change.rawValue))
    line.add("device", .string(difference.device))
    switch difference.subject {
    case .device: line.add("subject", "device")
    case .descriptor(let descriptor):
      line.add("subject", "descriptor")
      line.add("message", .string(descriptor.description))
      return line
    case .event: line.add("subject", "event")
    }
    if case .event = difference.subject {
      let before = difference.before
      let after = difference.after
      let kind = (before ?? after)?.event
      line.add("kind", .optional(kind?.kind.name) { .string($0.rawValue) })
      for (prefix, moment) in [("first", before), ("second", after)] {
        line.add(prefix, .optional(moment) { .object(object($0)) })
      }
    }
    line.add(
      "differs",
      .object { object in
        for aspect in difference.aspects {
          object.add(aspect.name, .array([text(aspect.before), text(aspect.after)]))
        }
      })
    line.add(
      "changes",
      .object { object in
        for value in difference.values {
          object.add(value.name, .array([number(value.before), number(value.after)]))
        }
      })
    line.add("more", .integer(difference.furtherValueCount))
    return line
  }

  private static func object(_ moment: HIDTraceDifference.Moment) -> JSONLine {
    var object = JSONLine()
    object.add("time", .integer(moment.time))
    object.add("line", moment.event.line > 0 ? .integer(moment.event.line) : .null)
    let kind = moment.event.kind
    object.add("type", .optional(kind.reportType) { .string("\($0)") })
    object.add("bytes", .optional(kind.reportBytes) { .bytes([UInt8]($0)) })
    switch kind {
    case .getReport(let request):
      object.add("answer", .string(request.answer.name))
    case .setReport(let request):
      object.add("answer", .string(request.answer.name))
    case .lost(let count): object.add("count", .integer(count))
    default: break
    }
    return object
  }

  private static func text(_ text: String?) -> JSONText { .optional(text) { .string($0) } }
  private static func number(_ number: Int64?) -> JSONText { .optional(number) { .integer($0) } }

  private static func line(_ totals: HIDTraceComparison.Totals) -> JSONLine {
    var line = JSONLine()
    line.add("event", "diff")
    line.add("differences", .integer(totals.differences))
    line.add("missing", .integer(totals.missing))
    line.add("added", .integer(totals.added))
    line.add("changed", .integer(totals.changed))
    line.add("devices", .integer(totals.devices))
    line.add("same", .integer(totals.same))
    line.add("notCompared", .integer(totals.passedOver))
    return line
  }
}
