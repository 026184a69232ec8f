// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import HIDReportDescriptor
import HIDText

struct LintCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint", abstract: "Find faults in report descriptors and device files.",
    usage: "hidsim lint <file|device> ... [<options>]",
    discussion: """
      An error is a fault that Linux refuses. A warning is one that Windows or macOS refuse or misread. A note is unusual \
      but works. Each finding has its place in the descriptor, a code, and mostly a fix.

        hidsim lint keyboard.json
        hidsim lint --strict --silence usage-zero *.hex
        hidsim lint --list                           every rule

      All of a device file is checked: a mistake for which hidsim run would refuse it is an error with the code \
      device-file. A file that cannot be read does not stop hidsim: it checks the others.

      Exit status: 1 with an error, or with --strict with a warning; 65 or 66 if a file could not be read.
      """)

  @Argument(
    help: ArgumentHelp(
      "Files with report descriptors, traces, - or devices.", valueName: "file|device"),
    completion: Completion.filesAndDevices)
  var sources: [String] = []
  @Flag(help: "Print one JSON object a line: findings, then counts.") var json = false
  @Flag(help: "Fail (1) on warnings, too.") var strict = false
  @Flag(help: "Leave out notes.") var quiet = false
  @Option(
    help: ArgumentHelp(
      "Leave out findings with this code; repeatable.",
      valueName: "code"))
  var silence: [String] = []
  @Flag(help: "List all rules, and read no file.") var list = false
  @OptionGroup var options: DescriptorOptions

  func validate() throws {
    try OptionRule.check(
      .excludes(
        "--list", list,
        [
          "\"\(sources.first ?? "")\"": !sources.isEmpty, "--strict": strict, "--quiet": quiet,
          "--silence": !silence.isEmpty, "--from": options.from != nil,
          "--pick": options.pick != nil, "--bus": options.busOptions.bus != nil,
        ], because: "--list prints the rules, and reads no file"))
    if sources.isEmpty, !list {
      throw ValidationError(
        "there is no file or device: name one, such as keyboard.json; --list lists the rules")
    }
  }

  func run() async throws {
    try await reporting {
      if list {
        printRules()
        return
      }
      let silenced = try silencedRules()
      var counts: [HIDLintFinding.Severity: Int] = [:]
      var descriptorCount = 0
      var unread: [Failure] = []
      for word in sources {
        let descriptors: [DescriptorSource]
        do {
          descriptors = try await options.descriptors(of: word)
        } catch {
          guard let failure = Failure(any: error), failure.status != .wrongArguments else {
            throw error
          }
          unread.append(failure)
          report(failure, word)
          continue
        }
        let found = descriptors.map { HIDReportDescriptor.lint($0.bytes, silencing: silenced) }
        for problem in descriptors.flatMap(\.problems)
        where !zip(found, descriptors).contains(where: { Self.isFound(problem, by: $0, in: $1) }) {
          counts[.error, default: 0] += 1
          if json { printJSON(problem) } else { printText(problem) }
        }
        for (source, findings) in zip(descriptors, found) {
          descriptorCount += 1
          let fileFindings = source.fileFindings.filter { !silenced.contains($0.rule) }
          for finding in fileFindings + findings {
            if quiet, finding.severity == .note { continue }
            counts[finding.severity, default: 0] += 1
            if json { printJSON(finding, source) } else { printText(finding, source) }
          }
        }
      }
      printCounts(counts, descriptorCount, unread.count)
      if let first = unread.first { throw ExitCode(first.status.rawValue) }
      if counts[.error] ?? 0 > 0 || strict && counts[.warning] ?? 0 > 0 {
        throw ExitCode(Failure.Status.failed.rawValue)
      }
    }
  }

  private func silencedRules() throws -> Set<HIDLintRule> {
    Set(
      try silence.map { code in
        guard let rule = HIDLintRule(code: code) else {
          throw ValidationError("no rule has the code \"\(code)\": hidsim lint --list lists them")
        }
        return rule
      })
  }

  /// Reports a file or device that could not be read; with `--json`, as an object as well.
  private func report(_ failure: Failure, _ word: String) {
    Output.shared.complain(failure.description)
    guard json else { return }
    var line = JSONLine()
    line.add("event", "unread")
    line.add("file", .string(word))
    line.add("status", .integer(failure.status.rawValue))
    line.add("message", .string(failure.description))
    Output.shared.print(line)
  }

  /// Returns whether a finding says the same as a problem of the device file.
  private static func isFound(
    _ problem: HIDTextProblem, by findings: [HIDLintFinding], in source: DescriptorSource
  ) -> Bool {
    problem.file == source.name
      && findings.contains { finding in
        finding.severity == .error
          && finding.offset.flatMap { source.text?.location(ofByte: $0) } == problem.location
      }
  }

  /// The code of all problems of device files.
  private static let deviceFileCode = "device-file"

  private func printText(_ problem: HIDTextProblem) {
    let place = "\(problem.file):\(problem.location.line):\(problem.location.column)"
    Output.shared.print(
      "\(place): \("error:", style(of: .error)) \(problem.message) [\(Self.deviceFileCode)]")
    if let help = problem.help { Output.shared.print("  fix: \(help)") }
  }

  private func printJSON(_ problem: HIDTextProblem) {
    var line = Self.line(problem.file, descriptor: nil, problem.location, offset: nil)
    add(
      .error, Self.deviceFileCode, hosts: [], problem.message, fix: problem.help, to: &line)
    Output.shared.print(line)
  }

  private func printText(_ finding: HIDLintFinding, _ source: DescriptorSource) {
    let label = source.label.map { " (\($0))" } ?? ""
    let byte = finding.offset.map { "byte \($0): " } ?? ""
    Output.shared.print(
      """
      \(source.place(of: finding.offset))\(label): \("\(finding.severity):", style(of: finding.severity)) \
      \(byte)\(finding.explanation) [\(finding.code)]
      """)
    if let fix = finding.fix { Output.shared.print("  fix: \(fix)") }
  }

  private func style(of severity: HIDLintFinding.Severity) -> TextStyle {
    switch severity {
    case .error: .bad
    case .warning: .warning
    case .note: .accent
    }
  }

  private func printJSON(_ finding: HIDLintFinding, _ source: DescriptorSource) {
    let location = finding.offset.flatMap { source.text?.location(ofByte: $0) }
    var line = Self.line(source.name, descriptor: source.label, location, offset: finding.offset)
    add(
      finding.severity, finding.code, hosts: finding.hosts, finding.explanation, fix: finding.fix,
      to: &line)
    Output.shared.print(line)
  }

  /// Makes the start of an object for a finding: its place.
  private static func line(
    _ file: String, descriptor: String?, _ location: HIDTextLocation?, offset: Int?
  ) -> JSONLine {
    var line = JSONLine()
    line.add("event", "finding")
    line.add("file", .string(file))
    line.add("descriptor", .optional(descriptor) { .string($0) })
    line.add("line", .optional(location) { .integer($0.line) })
    line.add("column", .optional(location) { .integer($0.column) })
    line.add("offset", .optional(offset) { .integer($0) })
    return line
  }

  /// Adds the rest of the object: what was found.
  private func add(
    _ severity: HIDLintFinding.Severity, _ code: String, hosts: [HIDLintHost],
    _ explanation: String, fix: String?, to line: inout JSONLine
  ) {
    line.add("severity", .string(severity.rawValue))
    line.add("code", .string(code))
    line.add("hosts", .array(hosts.map { .string("\($0)") }))
    line.add("explanation", .string(explanation))
    line.add("fix", .optional(fix) { .string($0) })
  }

  private func printCounts(
    _ counts: [HIDLintFinding.Severity: Int], _ descriptorCount: Int, _ unreadCount: Int
  ) {
    let numbers = HIDLintFinding.Severity.allCases.reversed().map { ($0, counts[$0] ?? 0) }
    if json {
      var line = JSONLine()
      line.add("event", "lint")
      line.add("descriptors", .integer(descriptorCount))
      for (severity, count) in numbers { line.add("\(severity)s", .integer(count)) }
      line.add("unread", .integer(unreadCount))
      Output.shared.print(line)
      return
    }
    let words = numbers.map { $1.counting("\($0)") }.joined(separator: ", ")
    let unread = unreadCount == 0 ? "" : "; \(unreadCount.counting("file")) could not be read"
    Output.shared.note("\(descriptorCount.counting("descriptor")): \(words)\(unread)")
  }

  private func printRules() {
    for rule in HIDLintRule.all {
      if json {
        var line = JSONLine()
        line.add("event", "rule")
        line.add("code", .string(rule.code))
        line.add("severity", .string(rule.severity.rawValue))
        line.add("hosts", .array(rule.hosts.map { .string("\($0)") }))
        line.add("title", .string(rule.title))
        line.add("explanation", .string(rule.explanation))
        Output.shared.print(line)
      } else {
        let hosts = rule.hosts.map { "\($0)" }.joined(separator: ", ")
        Output.shared.print("\(rule.code)  \(rule.severity), \(hosts): \(rule.title)")
        Output.shared.print("    \(rule.explanation)")
      }
    }
  }
}
