// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// The current test of a script, and the results of the tests before it.
struct ScriptTestClock: Sendable {
  private(set) var report: HIDScriptReport
  /// The index of the current test; nil before the first.
  private var current: Int?
  private var begun = MonotonicTime(nanoseconds: 0)

  init(_ report: HIDScriptReport) { self.report = report }

  /// The name of the current test; nil before the first, and if the script is one test.
  var name: String? { report.cases.count > 1 ? current.map { report.cases[$0].name } : nil }

  /// Ends the current test as passed, and begins the next.
  mutating func beginTest(at now: MonotonicTime) {
    end(.passed, at: now)
    current = current.map { $0 + 1 } ?? 0
    begun = now
  }

  /// Ends the current test.
  mutating func end(_ outcome: HIDScriptReport.Outcome, at now: MonotonicTime) {
    guard let current, report.cases.indices.contains(current) else { return }
    report.cases[current].outcome = outcome
    report.cases[current].duration = now.duration(since: begun)
  }
}

extension HIDScriptReport.Outcome {
  /// Creates the outcome of a test that an error ended.
  init(_ error: any Error) {
    self =
      switch error {
      case let failure as HIDScriptFailure: .failed(failure)
      case let stop as HIDScriptStop: .stopped(stop)
      default: .broken("\(error)")
      }
  }
}
