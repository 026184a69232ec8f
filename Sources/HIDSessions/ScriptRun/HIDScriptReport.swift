// SPDX-License-Identifier: Apache-2.0

public import HIDText

/// The results of the tests of a script.
///
/// A test reaches from one `test` line to the next. Commands before the first `test` line are a
/// test too. A script without `test` lines is one test with the script's name.
public struct HIDScriptReport: Sendable {
  /// The result of a test.
  public enum Outcome: Sendable {
    /// All commands of the test were completed.
    case passed
    /// A command failed, such as an expectation that was not met, or an event of a host met no
    /// expectation until the end of the script.
    case failed(HIDScriptFailure)
    /// The script was stopped at a line.
    case stopped(HIDScriptStop)
    /// Another error ended the test, the run failed, or the script cannot be run; the text can have
    /// several lines.
    case broken(String)
    /// The test did not begin: an earlier test did not pass, or the script was not run.
    case skipped
  }

  /// One test.
  public struct Case: Sendable {
    /// The name in the `test` line, `before the first test`, or the name of the script.
    public let name: String
    /// The file that contains the test.
    public let file: String
    /// The location of the `test` line; the start of the script for a test without this line.
    public let location: HIDTextLocation
    /// The duration of the test, in the time of the run; zero until the test ends.
    public internal(set) var duration = Duration.zero
    /// The result of the test.
    public internal(set) var outcome = Outcome.skipped
  }

  /// The name of the script.
  public let script: String
  private var reasonNotToBegin = "the script did not begin"
  /// The tests in order, at least one.
  public internal(set) var cases: [Case] = []

  /// Creates the report of a script that has not begun: every test is skipped.
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

  /// Creates the report of a script that is not run.
  ///
  /// - Parameters:
  ///   - script: The name of the script.
  ///   - reason: The reason why it is not run, in a few words.
  public init(of script: String, skipped reason: String) {
    self.script = script
    cases = [Case(name: script, file: script, location: .start)]
    reasonNotToBegin = reason
  }

  /// Creates the report of a script that cannot be run.
  ///
  /// - Parameters:
  ///   - script: The name of the script.
  ///   - problem: The reason why it cannot be run; it can have several lines.
  public init(of script: String, broken problem: String) {
    self.script = script
    cases = [Case(name: script, file: script, location: .start, outcome: .broken(problem))]
  }

  /// More information about a failed run: lines of text.
  public var details = ""

  /// Records the reason of a failed run.
  ///
  /// If a test was stopped, the problem becomes its error. If a test failed, or another error ended
  /// it, its own result stays. Otherwise the problem becomes the error of the last test.
  ///
  /// - Parameter problem: The reason of the failure: a sentence.
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

  /// True if every test passed.
  public var passed: Bool {
    cases.allSatisfy { if case .passed = $0.outcome { true } else { false } }
  }

  /// The location at which the first test that did not pass failed or was stopped, as in
  /// `caps.hidscript:5:1`; nil if every test that began passed.
  ///
  /// It is the location of the test itself if another error ended the test.
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

  /// The reason why the skipped tests did not begin.
  var reasonToSkip: String {
    firstFailure.map { "\($0) did not pass" } ?? reasonNotToBegin
  }
}

extension HIDScriptReport.Outcome {
  /// The problem of a test that did not pass, or of a script that could not begin.
  ///
  /// It is nil for a passed or skipped test. For `broken`, `message` and `text` are the same, can
  /// have several lines, and have no file and no location.
  package var problem:
    (
      message: String, text: String, file: String?, location: HIDTextLocation?
    )?
  {
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
