// SPDX-License-Identifier: Apache-2.0

import HIDSimulator

/// The result of a run, as an exit status and words.
struct RunVerdict: Sendable {
  /// The exit status.
  var status: Int32
  /// The outcome in words, for the last line of the output; nil for none.
  var words: String?
  /// An error to print as well.
  var complaint: String?
}

extension RunWork.Outcome {
  /// Determines the result of the run.
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
      // The recording failed, and the program and the script were ended for that: they did not
      // fail.
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
