// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// Which test a script is at, and how those before went.
struct ScriptTestClock: Sendable {
  private(set) var report: HIDScriptReport
  /// The test that is on; nil before the first.
  private var current: Int?
  private var begun = MonotonicTime(nanoseconds: 0)

  init(_ report: HIDScriptReport) { self.report = report }

  /// The name of the test that is on, where the script gives it one.
  var name: String? { report.cases.count > 1 ? current.map { report.cases[$0].name } : nil }

  /// Ends the test that is on, which has passed, and begins the next.
  mutating func beginsNext(at now: MonotonicTime) {
    end(.passed, at: now)
    current = current.map { $0 + 1 } ?? 0
    begun = now
  }

  /// Ends the test that is on.
  mutating func end(_ outcome: HIDScriptReport.Outcome, at now: MonotonicTime) {
    guard let current, report.cases.indices.contains(current) else { return }
    report.cases[current].outcome = outcome
    report.cases[current].duration = now.duration(since: begun)
  }
}

extension HIDScriptReport.Outcome {
  /// How a test ended that an error ended.
  init(_ error: any Error) {
    self =
      switch error {
      case let failure as HIDScriptFailure: .failed(failure)
      case let stop as HIDScriptStop: .stopped(stop)
      default: .broken("\(error)")
      }
  }
}
