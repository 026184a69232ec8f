// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// How the tests of a script went.
///
/// A test is what stands between one `test` line and the next. A script without any is one test, of the script's name.
public struct HIDScriptReport: Sendable {
  /// How a test ended.
  public enum Outcome: Sendable {
    /// At its last line.
    case passed
    /// At a line whose expectation did not come true.
    case failed(HIDScriptFailure)
    /// At a line at which the script was stopped.
    case stopped(HIDScriptStop)
    /// With another error: a sentence.
    case broken(String)
    /// Before it began: one before it did not pass.
    case skipped
  }

  /// One test.
  public struct Case: Sendable {
    /// What the script calls it.
    public let name: String
    /// The file in which it stands.
    public let file: String
    /// Where it begins.
    public let location: HIDTextLocation
    /// How long it took, in the time of the run.
    public internal(set) var duration = Duration.zero
    /// How it ended.
    public internal(set) var outcome = Outcome.skipped
  }

  /// What the script is called.
  public let script: String
  private var reasonNotToBegin = "the script did not begin"
  /// The tests in order, at least one.
  public internal(set) var cases: [Case] = []

  /// Makes the report of a script that has not begun: every test is skipped.
  public init(of script: HIDScript) {
    self.script = script.name
    var tests: [Case] = []
    for statement in script.statements {
      guard case .test(let name) = statement.command else { continue }
      tests.append(Case(name: name, file: statement.file, location: statement.location))
    }
    if case .test = script.statements.first?.command {
      cases = tests
      return
    }
    let name = tests.isEmpty ? script.name : "before the first test"
    cases = [Case(name: name, file: script.name, location: .start)] + tests
  }

  /// Makes the report of a script that is not run.
  ///
  /// - Parameters:
  ///   - script: What it is called.
  ///   - reason: Why it is not: a few words.
  public init(of script: String, skipped reason: String) {
    self.script = script
    cases = [Case(name: script, file: script, location: .start)]
    reasonNotToBegin = reason
  }

  /// Makes the report of a script that cannot be run.
  ///
  /// - Parameters:
  ///   - script: What it is called.
  ///   - problem: Why it cannot: a sentence.
  public init(of script: String, broken problem: String) {
    self.script = script
    cases = [Case(name: script, file: script, location: .start, outcome: .broken(problem))]
  }

  /// What is to be known of a run that has failed, beside what its tests say: lines.
  public var details = ""

  /// Notes why a run has failed.
  ///
  /// Where a test was stopped, that is why; where one failed by itself, it says why; else the last test was to show it.
  ///
  /// - Parameter problem: What went wrong: a sentence.
  public mutating func fail(_ problem: String) {
    for (index, test) in cases.enumerated() {
      switch test.outcome {
      case .passed, .skipped: continue
      case .failed, .broken: return
      case .stopped(let stop):
        cases[index].outcome = .broken("\(problem); the script was stopped at \(stop)")
        return
      }
    }
    if let last = cases.indices.last { cases[last].outcome = .broken(problem) }
  }

  /// Whether every test came to its end.
  public var passed: Bool {
    cases.allSatisfy { if case .passed = $0.outcome { true } else { false } }
  }

  /// The place of the first test that did not pass, as in `caps.hidscript:5:1`; nil if all passed that began.
  var firstFailure: String? {
    for test in cases {
      switch test.outcome {
      case .failed(let failure): return "\(failure.problem.file):\(failure.problem.location)"
      case .stopped(let stop): return stop.description
      case .broken: return "\(test.file):\(test.location)"
      case .passed, .skipped: continue
      }
    }
    return nil
  }

  /// Why the tests were skipped that did not begin.
  var reasonToSkip: String {
    firstFailure.map { "\($0) did not pass" } ?? reasonNotToBegin
  }
}

extension HIDScriptReport.Outcome {
  /// What to say of a test that did not pass: a line, all of it, and where.
  var problem: (message: String, text: String, file: String?, location: HIDTextLocation?)? {
    switch self {
    case .failed(let failure):
      (
        failure.problem.message, failure.description, failure.problem.file,
        failure.problem.location
      )
    case .stopped(let stop):
      ("the script was stopped", "the script was stopped at \(stop)", stop.file, stop.location)
    case .broken(let message): (message, message, nil, nil)
    case .passed, .skipped: nil
    }
  }
}
