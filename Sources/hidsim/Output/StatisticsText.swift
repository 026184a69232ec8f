// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDText
import HIDTraces
import HIDUsages

/// The statistics of a device in a trace, as text and as JSON.
enum StatisticsText {
  /// The maximum number of controls that the text lists.
  private static let controlCount = 40
  /// The length of the longest bar, in characters.
  private static let barCount = 40

  /// Returns the lines of a device: its name first, its statistics below.
  static func lines(_ device: HIDTraceStatistics.Device) -> [String] {
    let numbers = device.device.identity.map { " (\(ids($0)))" } ?? ""
    var lines = ["\(device.label)\(numbers)"]
    func add(_ line: String) { lines.append("  \(line)") }
    if let problem = device.problem {
      add("the report descriptor is not valid, and its reports are not decoded: \(problem)")
    }
    guard let first = device.first, let last = device.last else {
      add("no events")
      return lines
    }
    add("\(secondsText(first)) to \(secondsText(last)) s: \(counts(device))")
    for report in device.reports { add(words(report)) }
    if device.intervals.count > 0 || device.intervals.pauseCount > 0 {
      for line in self.lines(device.intervals) { add(line) }
    }
    if device.gets.count > 0 { add("get: \(words(device.gets))") }
    if device.sets.count > 0 { add("set: \(words(device.sets))") }
    if device.short + device.long + device.undeclared > 0 {
      add(
        "\(device.short.counting("report")) shorter than declared, \(device.long) longer, "
          + "\(device.undeclared) not declared")
    }
    if device.lost > 0 { add("\(device.lost.counting("input report")) lost by the recorder") }
    for control in device.moved.prefix(controlCount) {
      add(
        "\(control.name): \(control.minimum)...\(control.maximum), "
          + control.changes.counting("change"))
    }
    if device.moved.count > controlCount {
      add("\(device.moved.count - controlCount) more controls moved; --json lists them, too")
    }
    if device.furtherChanges > 0 {
      add(
        "\(device.furtherChanges.counting("change")) of further controls, which are not listed: "
          + "hidsim follows at most \(HIDTraceStatistics.maximumControlCount) controls")
    }
    if device.problem == nil { add("\(device.stillCount.counting("control")) never moved") }
    return lines
  }

  private static func ids(_ identity: HIDTraceDevice.Identity) -> String {
    [identity.busType, identity.vendorID, identity.productID].map { $0.hexDigits() }
      .joined(separator: ":")
  }

  private static func counts(_ device: HIDTraceStatistics.Device) -> String {
    HIDTraceEvent.names.compactMap { name in
      device.counts[name].map { "\($0) \(name.rawValue)" }
    }.joined(separator: ", ")
  }

  private static func words(_ report: HIDTraceStatistics.Report) -> String {
    let number = report.id.map { " \($0)" } ?? ""
    let length =
      report.shortest == report.longest
      ? report.longest.counting("byte")
      : "\(report.shortest) to \(report.longest.counting("byte"))"
    var words = "\(report.type)\(number): \(report.count.counting("report")) of \(length)"
    if let declared = report.declared {
      if declared != report.shortest || declared != report.longest {
        words += ", \(declared) declared"
      }
    } else {
      words += ", not declared"
    }
    return words
  }

  private static func words(_ requests: HIDTraceRequests) -> String {
    var words = requests.count.counting("request")
    if requests.refused > 0 { words += ", \(requests.refused) refused" }
    if requests.withoutAnswer > 0 { words += ", \(requests.withoutAnswer) without an answer" }
    if let median = requests.medianLatency, let longest = requests.longestLatency {
      words += "; answered in \(milliseconds(median)) (median), \(milliseconds(longest)) at most"
    }
    return words
  }

  private static func lines(_ intervals: HIDTraceIntervals) -> [String] {
    var lines: [String] = []
    if let median = intervals.percentile(50), let most = intervals.percentile(99),
      let minimum = intervals.minimum, let maximum = intervals.maximum, let mean = intervals.mean
    {
      let rate = intervals.rate.map { "; \(rounded($0)) a second" } ?? ""
      lines.append(
        "every \(milliseconds(median)) (median): \(milliseconds(minimum)) to "
          + "\(milliseconds(maximum)), mean \(milliseconds(Int64(mean.rounded()))), "
          + "99 % up to \(milliseconds(most))\(rate)")
      let jitter = intervals.jitter
      let greatest = jitter.map(\.count).max() ?? 1
      for bucket in jitter where bucket.count > 0 {
        let label = "\(span(bucket.from)) to \(span(bucket.to))"
        let length = (bucket.count * barCount + greatest - 1) / greatest
        lines.append(
          "  off by \(padded(label, 18)) \(padded(String(repeating: "#", count: length), barCount)) "
            + "\(bucket.count)")
      }
    }
    if intervals.pauseCount > 0 {
      lines.append(
        "\(intervals.pauseCount.counting("pause")) of more than 1 s, the longest "
          + "\(secondsText(intervals.longestPause)) s")
    }
    return lines
  }

  private static func padded(_ text: String, _ count: Int) -> String {
    text + String(repeating: " ", count: max(0, count - text.count))
  }

  /// Returns microseconds as milliseconds, with three decimal places.
  private static func milliseconds(_ microseconds: Int64) -> String {
    "\(microseconds.decimalText(places: 3)) ms"
  }

  private static func span(_ microseconds: Int64) -> String {
    microseconds < 1000
      ? "\(microseconds) us"
      : microseconds < 1_000_000 ? "\(microseconds / 1000) ms" : "\(microseconds / 1_000_000) s"
  }

  /// Rounds a number to one decimal place.
  private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }

  // MARK: JSON

  /// Makes the JSON object of a device.
  static func line(_ device: HIDTraceStatistics.Device) -> JSONLine {
    var line = JSONLine()
    line.add("event", "device")
    line.add("device", .string(device.label))
    line.add("ids", .optional(device.device.identity) { .string(ids($0)) })
    line.add("message", .optional(device.problem) { .string("\($0)") })
    line.add("first", .optional(device.first) { .integer($0) })
    line.add("last", .optional(device.last) { .integer($0) })
    line.add(
      "counts",
      .object { object in
        for name in HIDTraceEvent.names {
          object.add(name.rawValue, .integer(device.counts[name] ?? 0))
        }
      })
    line.add(
      "reports",
      .array(
        device.reports.map { report in
          .object { object in
            object.add("type", .string("\(report.type)"))
            object.add("report", .optional(report.id) { .integer($0.rawValue) })
            object.add("count", .integer(report.count))
            object.add("shortest", .integer(report.shortest))
            object.add("longest", .integer(report.longest))
            object.add("byteCount", .optional(report.declared) { .integer($0) })
          }
        }))
    line.add("intervals", .object(object(device.intervals)))
    line.add("gets", .object(object(device.gets)))
    line.add("sets", .object(object(device.sets)))
    line.add("short", .integer(device.short))
    line.add("long", .integer(device.long))
    line.add("undeclared", .integer(device.undeclared))
    line.add("lost", .integer(device.lost))
    line.add(
      "moved",
      .object { object in
        for control in device.moved {
          object.add(
            control.name,
            .object {
              $0.add("minimum", .integer(control.minimum))
              $0.add("maximum", .integer(control.maximum))
              $0.add("changes", .integer(control.changes))
            })
        }
      })
    line.add("still", .integer(device.stillCount))
    line.add("furtherChanges", .integer(device.furtherChanges))
    return line
  }

  private static func object(_ intervals: HIDTraceIntervals) -> JSONLine {
    func number(_ value: Int64?) -> JSONText { .optional(value) { .integer($0) } }
    var object = JSONLine()
    object.add("count", .integer(intervals.count))
    object.add("minimum", number(intervals.minimum))
    object.add("median", number(intervals.percentile(50)))
    object.add("mean", .optional(intervals.mean) { .number($0) })
    object.add("percentile99", number(intervals.percentile(99)))
    object.add("maximum", number(intervals.maximum))
    object.add("rate", .optional(intervals.rate) { .number($0) })
    object.add(
      "jitter",
      .array(
        intervals.jitter.map {
          .array([.integer($0.from), .integer($0.to), .integer($0.count)])
        }))
    object.add("pauses", .integer(intervals.pauseCount))
    object.add("longestPause", .integer(intervals.longestPause))
    return object
  }

  private static func object(_ requests: HIDTraceRequests) -> JSONLine {
    var object = JSONLine()
    object.add("count", .integer(requests.count))
    object.add("refused", .integer(requests.refused))
    object.add("none", .integer(requests.withoutAnswer))
    object.add("medianLatency", .optional(requests.medianLatency) { .integer($0) })
    object.add("longestLatency", .optional(requests.longestLatency) { .integer($0) })
    return object
  }
}
