// SPDX-License-Identifier: Apache-2.0

import HIDSimulator

/// What a run has come to.
struct RunVerdict: Sendable {
  /// The exit status.
  var status: Int32
  /// Words for the last line.
  var words: String?
  /// What is to be told besides.
  var complaint: String?
}

extension RunWork.Outcome {
  /// What the run has come to.
  func judged(
    by totals: HIDEventLog.Totals, isStrict: Bool, isCutShort: Bool
  ) -> RunVerdict {
    if let failure {
      return RunVerdict(
        status: failure.status.rawValue, words: "sending failed", complaint: failure.description)
    }
    if let childFailure {
      return RunVerdict(
        status: childFailure.status, words: "\(childFailure.name) could not be run",
        complaint: "\(childFailure.name): \(childFailure.reason)")
    }
    if case .failed = script { return RunVerdict(status: 1, words: "the script failed") }
    if isCutShort {
      // What was ended for that did not fail by itself.
      return RunVerdict(
        status: Failure.Status.outputFailed.rawValue, words: RunSession.cutShortWords)
    }
    if let child, child.status != 0 { return RunVerdict(status: child.status, words: child.words) }
    if case .stopped(let place) = script {
      return RunVerdict(status: 1, words: "the script was stopped at \(place)")
    }
    if isStrict, !Strict.passes(totals) { return RunVerdict(status: 1, words: "strict: failed") }
    if hasCommand, case .complete = script {
      return RunVerdict(status: 0, words: "the script passed")
    }
    return RunVerdict(status: 0, words: child?.words)
  }
}
