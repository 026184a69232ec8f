// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import HIDBus
import HIDDoctor
import HIDSessions
import HIDSimulator
import HIDText
import IOLoop
import UnixSignals

struct TestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Play every script of a folder, each on its devices.",
    usage: "hidsim test <path> ... [<options>] [-- <command> ...]",
    discussion: """
      Each NAME.hidscript in the folder and below it is a test. Names that begin with _ or with a dot are left out. A test \
      plugs the devices that its script names by "needs keyboard.json", else those of NAME.json, beside it or among the \
      shipped devices. COMMAND runs beside each test, as with hidsim run. Its output is shown if the test fails.

        hidsim test tests
        hidsim test tests --junit report.xml -- ./app
        hidsim test tests --shard 2/5              the second of five CI jobs

      On the loopback bus each test has a bus of its own, and tests run side by side. On the kernel bus a test waits \
      for tests whose devices have the same vendor and product ID, and while too few hidraw nodes are left. These can be \
      tests of other programs on this machine, too.

      Output: the bus, one line per test, and the events of a test that fails.

      Exit status: 0 if all tests passed; 1 if one failed, or Ctrl-C or SIGTERM ended the command; 77 if the bus cannot be \
      used, which test harnesses count as skipped. With --require or HIDSIM_REQUIRE=1 that is 1.
      """)

  @Argument(
    help: ArgumentHelp("Folders with scripts, or scripts.", valueName: "path"),
    completion: Completion.scripts) var paths: [String]
  @OptionGroup var busOptions: BusOptions
  @Option(
    name: [.customShort("k"), .customLong("name")],
    help: ArgumentHelp("Run tests whose paths contain this text; repeatable.", valueName: "text"))
  var names: [String] = []
  @Flag(help: "Run the tests that failed when they last ran.") var failed = false
  @Flag(
    name: [.customShort("x"), .customLong("fail-fast")],
    help: "Start no more tests after one has failed.")
  var failsFast = false
  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Set the variable $NAME of all scripts.", valueName: "name=value"))
  var settings: [ScriptVariable] = []
  @Option(
    help: ArgumentHelp("Tests to run at a time; default: one per processor.", valueName: "number"))
  var jobs: Int?
  @Option(
    help: ArgumentHelp("Run one part of the tests: 2/5 is the second of five.", valueName: "i/n"),
    transform: TestShard.init(argument:))
  var shard: TestShard?
  @Option(
    name: .customLong("timeline"),
    help: "The clock of the tests: real, or virtual (hidsim help run).")
  var time = RunClock.real
  @Option(
    help: ArgumentHelp(
      "The longest a test may take, by its clock. (default: 60s)", valueName: "time"))
  var timeout: TimeBound?
  @OptionGroup var reportOptions: ReportOptions
  @Flag(help: "Print the names of the tests, and run none.") var list = false
  @Flag(help: "Fail (1) if the bus cannot be used, as HIDSIM_REQUIRE=1.")
  var require = false
  @Flag(help: "Let simulated input reach the desktop.") var live = false
  @Flag(
    help: ArgumentHelp(
      "Fail on losses and on what hardware would not accept.", discussion: Strict.help))
  var strict = false
  @Flag(help: ScriptHelp.expectAll) var expectAll = false
  @Flag(help: ScriptHelp.waitCommand) var waitCommand = false

  private var command: [String] { Passthrough.words ?? [] }

  func validate() throws {
    try Passthrough.checkCommand()
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs \(jobs): expected 1 to 1024")
    }
    try OptionRule.check(
      .excludes(
        "--list", list,
        [
          "a command after --": !command.isEmpty, "--junit": reportOptions.jUnit != nil,
          "--tap": reportOptions.tap != nil, "--html": reportOptions.html != nil,
          "--fail-fast": failsFast, "--set": !settings.isEmpty, "--jobs": jobs != nil,
          "--timeline virtual": time == .virtual,
          "--timeout": timeout != nil, "--require": require, "--live": live, "--strict": strict,
          "--expect-all": expectAll, "--wait-command": waitCommand, "--bus": busOptions.bus != nil,
        ], because: "--list prints the names of the tests, and runs none"),
      .excludes(
        "--timeline virtual", time == .virtual,
        [
          "a command after --": !command.isEmpty, "--bus kernel": busOptions.bus == .kernel,
          "--bus usb": busOptions.bus == .usb,
        ], because: "commands, the kernel bus and the USB bus use the real clock"),
      busOptions.excludesLive(live))
  }

  func run() async throws {
    // The tests go on if standard output cannot be written to: the exit status and the reports have
    // the results, too.
    Output.shared.ignoreWriteErrors()
    try await reporting {
      if list { return try scripts().forEach(Output.shared.print) }
      let all = Result { try self.scripts() }
      try TestScripts.noteInputs(
        of: (try? all.get()) ?? [], variables: ScriptVariable.values(settings),
        for: [reportOptions.jUnit, reportOptions.tap, reportOptions.html])
      try CommandFiles.shared.claim(reportOptions.outputs)
      let files = try reportOptions.files()
      let signals = await UnixSignalsSequence.catchEndSignals()
      var found: [String] = []
      let kind: HIDBusKind
      do {
        found = try all.get()
        kind = try await ready()
        Output.shared.note(
          try busOptions.selection().announcement(
            of: kind, option: busOptions.bus.map { "--bus \($0)" }, problem: HIDBus.kernelProblem))
      } catch {
        // Write the reports, too. Otherwise a user could take the reports of an earlier run for
        // reports of this run.
        throw try written(error, for: found, to: files)
      }
      let scripts = found
      let start = MonotonicTime.now
      let progress = TestProgress(total: scripts.count)
      let results = await ProgressLine.during({ progress.words }) {
        await run(scripts, on: kind, signals, progress)
      }
      let written = files.map { file in Result { try file.write(results) } }
      let reports = results.map(\.report)
      let time = Int(MonotonicTime.now.microseconds(since: start))
      tell("\(summary(of: reports, microseconds: time))")
      let failures = written.compactMap { if case .failure(let error) = $0 { error } else { nil } }
      guard reports.allSatisfy(\.passed) else {
        // An error of a report must not hide that a test failed.
        for failure in failures { Output.shared.complain("\(failure)") }
        throw ExitCode(1)
      }
      if let failure = failures.first { throw failure }
    }
  }

  /// Finds the scripts to run: those that `--name`, `--failed` and `--shard` select.
  private func scripts() throws -> [String] {
    var all = try TestScripts.find(paths)
    if !names.isEmpty {
      let count = all.count
      let wanted = names.map { $0.lowercased() }
      all.removeAll { path in
        let path = path.lowercased()
        return !wanted.contains(where: path.contains)
      }
      guard !all.isEmpty else {
        let words = names.map { quoted($0) }.joined(separator: " or ")
        throw Failure(
          .noInput,
          "no path of the \(count.counting("script")) contains \(words); --list prints the paths")
      }
    }
    if failed {
      let failures = FailedTests(paths).read()
      let some = all.filter(failures.contains)
      if some.isEmpty {
        Output.shared.note(
          "hidsim: --failed: no failure of these tests is recorded; all of them run")
      } else {
        all = some
      }
    }
    return shard?.part(of: all) ?? all
  }

  /// Checks that the tests can begin, and returns their bus.
  private func ready() async throws -> HIDBusKind {
    try await ChildProgram.check(command)
    let kind = try bus()
    try time.check(on: kind)
    return kind
  }

  /// Writes the reason why no test was begun into the reports.
  ///
  /// - Returns: The error with which the program ends.
  private func written(
    _ error: any Error, for scripts: [String], to files: [ReportFile]
  ) throws -> any Error {
    guard let failure = error as? Failure, failure.status == .noPermission else {
      let reason = error is ExitCode ? "\(command[0]): it cannot be run" : "\(error)"
      for file in files {
        try file.write([ScriptResult(report: HIDScriptReport(of: "hidsim test", broken: reason))])
      }
      return error
    }
    // The bus cannot be used: the tests are skipped, or fail if the bus is required.
    guard let source = require ? "--require" : Self.requirement else {
      for file in files {
        try file.write(
          scripts.map {
            ScriptResult(report: HIDScriptReport(of: $0, skipped: failure.description))
          })
      }
      return failure
    }
    let reason = "\(failure.description); without \(source) the tests are skipped"
    for file in files {
      try file.write(
        scripts.map { ScriptResult(report: HIDScriptReport(of: $0, broken: reason)) })
    }
    return Failure(.failed, reason)
  }

  /// The name of the variable that has the effect of `--require`; nil if it is not set.
  private static var requirement: String? {
    HIDBusSelection.isRequiredByEnvironment ? "HIDSIM_REQUIRE" : nil
  }

  /// The maximum number of tests that run at the same time.
  ///
  /// It is limited by the number of files that the process can open. A note is printed if it is
  /// less than `--jobs`.
  private var jobCount: Int {
    let wanted = jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
    let count = min(wanted, max(1, (Int(clamping: limit.rlim_cur) - 64) / Self.filesPerTest))
    if jobs != nil, count < wanted {
      Output.shared.note(
        "hidsim: \(count.counting("test")) at a time, not \(wanted): ulimit -n allows \(limit.rlim_cur) open files"
      )
    }
    return count
  }

  /// The number of open files to reserve for a test.
  ///
  /// A test opens at most six, and with a command eleven.
  private static let filesPerTest = 14

  /// Returns the bus of the tests.
  ///
  /// Prints a note if there is a command, and the bus is the loopback bus because the kernel bus
  /// cannot be used.
  ///
  /// On the loopback bus, each test makes a bus of its own, so that the user's bus folder is not
  /// needed.
  ///
  /// - Throws: A failure if the bus cannot be used.
  private func bus() throws -> HIDBusKind {
    let selection = try busOptions.selection()
    switch selection {
    case .loopback: return .loopback
    case .auto where !HIDBus.kernelTakesDevices:
      if !command.isEmpty {
        Output.shared.note(
          """
          hidsim: /dev/uhid cannot be opened, so the tests are on the loopback bus: a command that does not use hidsim's \
          client library sees no device; to test with hidraw and evdev, run hidsim vm -- hidsim test …, or follow \
          hidsim doctor
          """)
      }
      return .loopback
    case .auto, .kernel, .usb:
      do throws(HIDBusError) {
        return try HIDBus(selection == .usb ? .usb : .kernel, isLive: live).kind
      } catch {
        throw Failure(error)
      }
    }
  }

  /// Runs the tests, several at a time, and prints the result of each when it ends.
  ///
  /// The call also records which tests have failed and passed, for `--failed`. Tests that a signal
  /// stops are not recorded.
  ///
  /// - Returns: The results in the order of the scripts.
  private func run(
    _ scripts: [String], on bus: HIDBusKind, _ signals: UnixSignalsSequence,
    _ progress: TestProgress
  ) async -> [ScriptResult] {
    let variables = ScriptVariable.values(settings)
    let stop = StopSignal()
    let timelines = reportOptions.html == nil ? nil : TimelineRoom()
    var reports = scripts.map {
      ScriptResult(report: HIDScriptReport(of: $0, skipped: "the run was stopped"))
    }
    var results: [String: Bool] = [:]
    defer { FailedTests(paths).note(results) }
    let tests = scripts.map {
      ScriptTest(
        path: $0, variables: variables, command: command, bus: bus, timeline: time,
        bound: timeout ?? .test,
        isLive: live, isStrict: strict, expectsAll: expectAll,
        waitsForCommand: waitCommand, timelines: timelines, stop: stop)
    }
    await withTaskGroup(of: (Int, ScriptTest.Result)?.self) { group in
      group.addTask {
        for await signal in signals {
          stop.note(signal)
          break
        }
        return nil
      }
      var next = 0
      var isOver = false
      func begin() {
        guard next < tests.count, !isOver else { return }
        let (index, test) = (next, tests[next])
        next += 1
        group.addTask {
          progress.begin(test.path)
          let result = await test.run()
          progress.end(test.path, hasPassed: result.passed)
          return (index, result)
        }
      }
      for _ in 0..<jobCount { begin() }
      var ended = 0
      while ended < tests.count, let done = await group.next() {
        guard let (index, result) = done else {
          // A signal arrived: the running tests are stopped, and no other test begins.
          group.cancelAll()
          for await case (let index, let result)? in group {
            reports[index] = ScriptResult(result, again: again(scripts[index]))
            tell(result, of: scripts[index])
          }
          if next < tests.count {
            Output.shared.note(
              "hidsim: stopped; \((tests.count - next).counting("script")) of \(tests.count) did not "
                + "start; the next run begins with script 1 again")
          }
          return
        }
        ended += 1
        reports[index] = ScriptResult(result, again: again(scripts[index]))
        results[scripts[index]] = result.passed
        tell(result, of: scripts[index])
        if failsFast, !result.passed { isOver = true }
        if isOver, ended == next { break }
        begin()
      }
      if isOver {
        for index in next..<tests.count {
          reports[index].report = HIDScriptReport(
            of: scripts[index], skipped: "a test failed before (-x)")
        }
      }
      group.cancelAll()
    }
    return reports
  }

  /// Returns the command that runs one script again as this command does.
  private func again(_ script: String) -> String {
    var words = ["hidsim", "test", script]
    if let bus = busOptions.bus { words += ["--bus", "\(bus)"] }
    for setting in settings { words += ["--set", "\(setting.name)=\(setting.value)"] }
    if time == .virtual { words += ["--timeline", "virtual"] }
    if let timeout { words += ["--timeout", "\(timeout)"] }
    let flags = [
      "--require": require, "--live": live, "--strict": strict, "--expect-all": expectAll,
      "--wait-command": waitCommand,
    ]
    words += flags.filter(\.value).keys.sorted()
    if !command.isEmpty { words += ["--"] + command }
    return words.map(\.quotedForShell).joined(separator: " ")
  }

  // MARK: Lines of results

  private func tell(_ result: ScriptTest.Result, of script: String) {
    let time = "\(result.milliseconds) ms"
    guard !result.passed else { return tell("\("ok", .good)      \(script) (\(time))") }
    let details = result.details.split(separator: "\n").map { "\n  \($0)" }.joined()
    tell("\("FAILED", .bad)  \(script) (\(time))\(details)")
  }

  /// Prints a line on standard output, or on standard error if a report goes to standard output.
  private func tell(_ line: StyledText) {
    if reportOptions.writesToStandardOutput {
      Output.shared.note(line)
    } else {
      Output.shared.print(line)
    }
  }

  private func summary(of reports: [HIDScriptReport], microseconds: Int) -> String {
    let rounded = (Double(microseconds) / 10_000).rounded() / 100
    return "\(reports.words), \(rounded) s"
  }
}
