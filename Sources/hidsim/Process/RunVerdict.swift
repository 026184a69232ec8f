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
        status: childStatus ?? 126, words: "the command could not be run", complaint: childFailure)
    }
    if case .failed = script { return RunVerdict(status: 1, words: "the script failed") }
    if isCutShort {
      // What was ended for that did not fail by itself.
      return RunVerdict(
        status: Failure.Status.outputFailed.rawValue, words: RunSession.cutShortWords)
    }
    if let childStatus, childStatus != 0 {
      return RunVerdict(status: childStatus, words: "the command exited with \(childStatus)")
    }
    if case .stopped(let place) = script {
      return RunVerdict(status: 1, words: "the script was stopped at \(place)")
    }
    if isStrict, !Strict.passes(totals) { return RunVerdict(status: 1, words: "strict: failed") }
    return RunVerdict(
      status: 0, words: childStatus == 0 ? "the command exited with 0" : nil)
  }
}
