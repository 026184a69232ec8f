// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDText
package import HIDTraces
import HIDWire
import IOLoop

/// The reports of a recording, made ready to be sent.
package struct ReplayPlan: Sendable {
  /// A report with its time and its device.
  package struct Report: Sendable {
    let device: Int
    let time: Duration
    let bytes: [UInt8]
  }

  /// The devices, which may send what was recorded of them.
  package let definitions: [HIDDeviceDefinition]
  /// The reports, in order.
  package let reports: [Report]
  /// How many of them were shorter than declared, and filled up with zeros.
  package let padded: Int
  /// How many were longer than declared, and are sent as they are.
  package let long: Int
  /// The reports that no bus would carry, and so are not sent: what is wrong with each.
  package let unsendable: [HIDTextProblem]

  /// Makes a plan.
  ///
  /// - Throws: `HIDTraceError` where it is strict: for reports that cannot be sent as they are.
  package init(
    _ trace: HIDTrace, _ definitions: [HIDDeviceDefinition], file: String, isStrict: Bool
  ) throws(HIDTraceError) {
    var definitions = definitions
    var reports: [Report] = []
    var padded = 0
    var long = 0
    let longest = HIDReportDescriptor.uhidMaximumReportByteCount
    var problems: [HIDTextProblem] = []
    var clock = HIDTraceClock()
    let inputs = trace.events.compactMap { event -> (HIDTraceEvent, [UInt8], Int64)? in
      let time = clock.time(of: event)
      guard case .input(let report) = event.kind else { return nil }
      return (event, [UInt8](report), time)
    }
    let start = inputs.first?.2 ?? 0
    for (index, (event, recorded, time)) in inputs.enumerated() {
      let location = event.line > 0 ? HIDTextLocation(line: event.line, column: 1) : .start
      let descriptor = definitions[event.device].interfaces[0].descriptor
      let id =
        descriptor.numbersReports(.input)
        ? recorded.first.flatMap(HIDReportID.init(rawValue:)) : nil
      // Not "report 5": that would be its ID.
      let report = "report number \(index + 1) of the recording" + (id.map { " (ID \($0))" } ?? "")
      guard let layout = descriptor.report(.input, id: id) else {
        problems.append(
          HIDTextProblem(
            file: file, location: location,
            message: "\(report) is not in the report descriptor: \(recorded.hexText)")
        )
        continue
      }
      guard recorded.count <= max(layout.byteCount, longest) else {
        problems.append(
          HIDTextProblem(
            file: file, location: location,
            message: """
              \(report) has \(recorded.count.counting("byte")), and \(layout.byteCount) are \
              declared: of more than declared at most \(longest) can be sent
              """))
        continue
      }
      if recorded.count > layout.byteCount {
        definitions[event.device].interfaces[0].descriptor.allowsLongInput = true
        long += 1
      }
      var bytes = recorded
      if bytes.count < layout.byteCount {
        if isStrict {
          problems.append(
            HIDTextProblem(
              file: file, location: location,
              message: """
                \(report) has \(bytes.count.counting("byte")), and \(layout.byteCount) are declared: \
                the kernel would drop it; without --strict it is filled up
                """))
        }
        bytes += Array(repeating: 0, count: layout.byteCount - bytes.count)
        padded += 1
      }
      reports.append(Report(device: event.device, time: .microseconds(time - start), bytes: bytes))
    }
    if isStrict, !problems.isEmpty {
      throw HIDTraceError(problems: Array(problems.prefix(20)))
    }
    unsendable = problems
    self.definitions = definitions
    self.reports = reports
    self.padded = padded
    self.long = long
  }

  /// Sends the reports, each at its time, to plugged devices.
  package func play(on devices: [SimulatedDevice]) async -> ReplayResult {
    var result = ReplayResult(total: reports.count)
    guard let first = reports.first else { return result }
    let start = MonotonicTime.now
    var next = 0
    do {
      while next < reports.count {
        let due = start.advanced(by: reports[next].time - first.time)
        if MonotonicTime.now < due { try await Timeline.real.sleep(until: due) }
        let now = MonotonicTime.now
        // What is due by now and goes to the same device goes out together, in order.
        let device = reports[next].device
        var batch: [[UInt8]] = []
        while next < reports.count, reports[next].device == device, batch.count < 16 {
          let time = start.advanced(by: reports[next].time - first.time)
          guard time <= now else { break }
          result.lateness.append(now.duration(since: time))
          batch.append(reports[next].bytes)
          next += 1
        }
        try await devices[device].send(batch)
        result.sent += batch.count
      }
    } catch let error as HIDWireError {
      result.failure = error.message
    } catch {
      // Cancelled: the result says how far it came.
    }
    result.duration = MonotonicTime.now.duration(since: start)
    return result
  }
}

/// How a replay went.
package struct ReplayResult: Sendable {
  /// How many reports there were.
  package let total: Int
  /// How many were sent.
  package internal(set) var sent = 0
  /// How long it took.
  package internal(set) var duration = Duration.zero
  /// How late each report was.
  package internal(set) var lateness: [Duration] = []
  /// Why it stopped, if not at the end.
  package internal(set) var failure: String?

  package init(total: Int, failure: String? = nil) {
    self.total = total
    self.failure = failure
  }

  /// Whether every report was sent.
  package var isComplete: Bool { sent == total && failure == nil }

  /// The line of figures.
  package var words: String {
    let sorted = lateness.sorted()
    guard let last = sorted.last else { return "0 of \(total.counting("report")) replayed" }
    let median = sorted[sorted.count / 2]
    let high = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
    return """
      \(sent) of \(total.counting("report")) replayed in \(HIDEventText.milliseconds(duration)), late by \
      \(HIDEventText.milliseconds(median)) (median), \(HIDEventText.milliseconds(high)) (99 %), \
      \(HIDEventText.milliseconds(last)) (most)
      """
  }
}
