// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSimulator
package import HIDText
package import HIDTraces

/// The result of a replay.
package struct ReplayResult: Sendable {
  /// The number of reports in the replay; nil if it has no end.
  package let total: Int?
  /// The figures of the playback.
  package let playback: HIDTracePlayback
  /// The reason why the replay did not begin, or stopped; nil if there is none, and if the task was
  /// cancelled.
  package let failure: String?

  init(_ playback: HIDTracePlayback, total: Int?) {
    self.total = total
    self.playback = playback
    failure = playback.failure.map { ($0 as? HIDBusError)?.message ?? "\($0)" }
  }

  /// Creates the result of a replay that did not begin.
  package init(total: Int, failure: String) {
    self.total = total
    playback = HIDTracePlayback()
    self.failure = failure
  }

  /// True if the replay did not fail, and every report was sent unless the replay has no end.
  package var isComplete: Bool {
    failure == nil && (total.map { $0 == playback.sent } ?? true)
  }

  /// The figures as a line of text.
  package var words: String {
    let sent = playback.sent
    let all = total.map { "\(sent) of \($0.counting("report"))" } ?? sent.counting("report")
    guard sent > 0 else { return "\(all) replayed" }
    let words = "\(all) replayed in \(HIDEventText.milliseconds(playback.duration))"
    guard let median = playback.lateness(percentile: 50),
      let high = playback.lateness(percentile: 99), let most = playback.lateness(percentile: 100)
    else { return words + ", \(reportsPerSecond) a second" }
    return """
      \(words), late by \(HIDEventText.milliseconds(median)) (median), \
      \(HIDEventText.milliseconds(high)) (99 %), \(HIDEventText.milliseconds(most)) (most)
      """
  }

  private var reportsPerSecond: Int {
    let seconds = playback.duration / .seconds(1)
    return seconds > 0 ? Int((Double(playback.sent) / seconds).rounded()) : 0
  }

  /// The figures as JSON: times in nanoseconds; the lateness is null if no report has its own time.
  package var json: JSONLine {
    func nanoseconds(_ duration: Duration) -> JSONText {
      .integer(Int64(duration / .nanoseconds(1)))
    }
    var line = JSONLine()
    line.add("sent", .integer(playback.sent))
    line.add("total", .optional(total) { .integer($0) })
    line.add("rounds", .integer(playback.rounds))
    line.add("nanoseconds", nanoseconds(playback.duration))
    line.add("early", .integer(playback.early))
    let percentiles = [("p50", 50.0), ("p90", 90), ("p99", 99), ("p999", 99.9), ("max", 100)]
    let lateness = percentiles.compactMap { name, percentile in
      playback.lateness(percentile: percentile).map { (name, nanoseconds($0)) }
    }
    line.add(
      "lateness",
      lateness.isEmpty
        ? .null : .object { line in for (name, value) in lateness { line.add(name, value) } })
    line.add("limitation", .optional(playback.limitation) { .string($0) })
    return line
  }
}
