// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that write the results of the scripts' tests.
struct ReportOptions: ParsableArguments {
  @Option(
    name: .customLong("junit"),
    help: ArgumentHelp("Write the results as JUnit XML; - is standard output.", valueName: "file"),
    completion: Completion.files)
  var jUnit: String?
  @Option(
    help: ArgumentHelp("Write the results as TAP 13; - is standard output.", valueName: "file"),
    completion: Completion.files)
  var tap: String?
  @Option(
    help: ArgumentHelp(
      "Write the results and all events as one HTML file: hidsim.html.", valueName: "file"),
    completion: Completion.files)
  var html: String?

  /// True if a report goes to standard output.
  var writesToStandardOutput: Bool { jUnit == "-" || tap == "-" }

  /// The files that are written.
  var outputs: [CommandFiles.Output] {
    [.init("--junit", jUnit), .init("--tap", tap), .init("--html", html)]
  }

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "--junit -", jUnit == "-", ["--tap -": tap == "-"],
        because: "both write to standard output", remedy: "write one of them to a file"),
      HTMLFile.rule(html))
  }

  /// Makes the rule that refuses a report on standard output beside a command.
  func excludesCommand(_ command: [String]) -> OptionRule {
    .excludes(
      "a command after --", !command.isEmpty, ["--junit -": jUnit == "-", "--tap -": tap == "-"],
      because: "the command uses standard output", remedy: "write the report to a file")
  }

  /// Opens the files, and empties them.
  ///
  /// The caller first claims ``outputs`` with ``CommandFiles``, so that no file is used twice.
  func files() throws -> [ReportFile] {
    try [(jUnit, ReportFile.Form.jUnit), (tap, .tap), (html, .html)].compactMap { path, form in
      try path.map { try ReportFile($0, form) }
    }
  }
}
