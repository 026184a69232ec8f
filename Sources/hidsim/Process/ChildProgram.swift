// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import IOLoop
import Subprocess
import SystemPackage
import UnixSignals

/// A program that hidsim starts, such as the one that runs beside the devices.
///
/// It has the standard input and output of hidsim, unless an output is given.
final class ChildProgram: Sendable, CustomStringConvertible {
  private let words: [String]
  private let environment: [String: String]
  private let output: FileDescriptor?
  /// True if the program has a session of its own.
  private var isContained: Bool { output != nil }
  /// True if the program leads a process group: it has its own session, or hidsim has no terminal.
  private let hasOwnGroup: Bool
  private let state = ConditionMutex(State())

  private struct State: Sendable {
    /// The target of signals: the process, or its negative number for its group; nil if it does not
    /// run.
    var target: pid_t?
    /// Signals that were sent before the program had started.
    var pending: [Int32] = []
    var processID: pid_t?
    var hasEnded = false
  }

  /// Prepares a program.
  ///
  /// - Parameters:
  ///   - words: The program's name or path, and its arguments; at least the name.
  ///   - environment: Variables that are added to the environment of hidsim.
  ///   - output: The file for the output and the errors of the program. The program then has no
  ///     input, and a session and process group of its own. When it ends, the processes that are
  ///     left in its group are killed. Nil for the standard files of hidsim.
  init(_ words: [String], environment: [String: String], output: FileDescriptor? = nil) {
    self.words = words
    self.environment = environment
    self.output = output
    hasOwnGroup = output != nil || !Self.hasTerminal
  }

  /// True if this process has a controlling terminal.
  ///
  /// A program without an output of its own then stays in the process group of hidsim: a terminal
  /// has one process group in its foreground.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }

  /// The name and the process number: `./capsled (process 4711)`; only the name before it runs.
  var description: String {
    words[0] + (state.withLock { $0.processID }.map { " (process \($0))" } ?? "")
  }

  /// Checks that a program can be run, before any device is plugged.
  ///
  /// If the program cannot be run, the call prints the reason on standard error.
  ///
  /// - Parameter words: The program and its arguments; empty for no program, which passes.
  /// - Throws: An `ExitCode` of 127 if there is no such program, 126 if it cannot be run.
  static func check(_ words: [String]) async throws {
    guard !words.isEmpty else { return }
    do throws(ChildFailure) {
      try await ChildProgram(words, environment: [:]).find()
    } catch {
      Output.shared.complain("\(error.name): \(error.reason)")
      throw ExitCode(error.status)
    }
  }

  /// Finds the program without running it.
  ///
  /// - Throws: The failure that ``run()`` would throw, if it is known without running the program.
  private func find() async throws(ChildFailure) {
    let name = words[0]
    if name.contains("/") {
      guard access(name, F_OK) == 0 else { throw ChildFailure(missing: name) }
      return try check(name)
    }
    do throws(SubprocessError) {
      _ = try await Executable.name(name).resolveExecutablePath(in: .inherit)
    } catch {
      if !isThere { throw ChildFailure(missing: name) }
      throw ChildFailure(name: name, reason: "\(Errno.permissionDenied)", isMissing: false)
    }
  }

  private func check(_ path: String) throws(ChildFailure) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw ChildFailure(name: path, reason: "this is a folder, not a program", isMissing: false)
    }
    guard access(path, X_OK) != 0 else { return }
    let reason = Errno(rawValue: errno)
    throw ChildFailure(name: path, reason: "\(reason)", isMissing: false)
  }

  /// Runs the program to its end, as ``run()`` does, and returns its end.
  func result() async -> Result<ChildEnd, ChildFailure> {
    defer {
      state.withLock { $0.hasEnded = true }
    }
    do {
      return .success(try await run())
    } catch let failure as ChildFailure {
      return .failure(failure)
    } catch {
      return .failure(ChildFailure(name: words[0], reason: "\(error)", isMissing: false))
    }
  }

  /// Runs the program to its end.
  ///
  /// When the task is cancelled, the program gets SIGTERM, and SIGKILL after ``grace``. If it leads
  /// a process group, the whole group gets these signals.
  ///
  /// - Throws: A failure with status 127 if there is no such program, 126 if it cannot be run.
  private func run() async throws -> ChildEnd {
    var options = PlatformOptions()
    options.createSession = isContained
    if hasOwnGroup, !isContained { options.processGroupID = 0 }
    options.teardownSequence = [
      .gracefulShutDown(toProcessGroup: hasOwnGroup, allowedDurationToNextStep: Self.grace)
    ]
    let updates = environment.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) }
    do {
      let result = try await Subprocess.run(
        words[0].contains("/") ? .path(FilePath(words[0])) : .name(words[0]),
        arguments: Arguments(Array(Passthrough.bytes(of: words).dropFirst())),
        environment: .custom(Passthrough.environment).updating(
          Dictionary(uniqueKeysWithValues: updates)),
        platformOptions: options,
        input: output == nil
          ? .currentStandardInput
          : .fileDescriptor(
            try FileDescriptor.open("/dev/null", .readOnly, options: .closeOnExec),
            closeAfterSpawningProcess: true),
        output: output.map { .fileDescriptor($0, closeAfterSpawningProcess: false) }
          ?? .currentStandardOutput,
        error: output.map { .fileDescriptor($0, closeAfterSpawningProcess: false) }
          ?? .currentStandardError
      ) { execution in
        let id = execution.processIdentifier.value
        self.state.withLock { state in
          let target = self.hasOwnGroup ? -id : id
          state.target = target
          state.processID = id
          for signal in state.pending { _ = kill(target, signal) }
          state.pending = []
        }
      }
      let id = state.withLock { state in
        // Kill the processes that are left in the program's group, if it has its own session or the
        // task was cancelled. No other group has this number while a process of the group is left.
        // The kernel does not reuse the number soon after either: it assigns process numbers in
        // ascending order.
        if isContained || hasOwnGroup && Task.isCancelled, let target = state.target {
          _ = kill(target, SIGKILL)
        }
        state.target = nil
        state.hasEnded = true
        return state.processID
      }
      let how: ChildEnd.How =
        switch result.terminationStatus {
        case .exited(let status): .exited(Int32(status))
        case .signaled(let signal): .signaled(Int32(signal))
        }
      return ChildEnd(name: words[0], processID: id ?? 0, how: how)
    } catch let error as SubprocessError {
      throw ChildFailure(name: words[0], reason: "\(error)", isMissing: !isThere)
    }
  }

  private var isThere: Bool {
    if words[0].contains("/") { return access(words[0], F_OK) == 0 }
    let path = ProcessEnvironment["PATH"] ?? ""
    return path.split(separator: ":").contains { access("\($0)/\(words[0])", F_OK) == 0 }
  }

  /// The time a program has to end after a signal, such as SIGTERM.
  static let grace = Duration.seconds(5)

  /// Waits until the program has started, or has failed to start.
  func begun() async { await state.wait { $0.hasEnded || $0.processID != nil } }

  /// True while the program runs: it has started and not ended.
  ///
  /// The state is that of the kernel: hidsim itself may not have processed the end yet.
  var isRunning: Bool {
    state.withLock { state in
      guard !state.hasEnded, let id = state.processID else { return false }
      var information = siginfo_t()
      // WNOWAIT leaves the process for the call that reaps it. If it runs, `information` stays
      // zero.
      guard waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
        return false
      }
      return information.si_signo == 0
    }
  }

  /// True if the program has ended, or could not be started.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Sends a signal to the program, or to its process group if it leads one.
  ///
  /// Does nothing if the program has ended.
  /// If the program has not started yet, it gets the signal as soon as it runs.
  func send(_ signal: Int32) {
    // The process number is cleared after the program has been reaped. A signal in the short time
    // between the end of the program and the clearing has no effect.
    state.withLock { state in
      if let target = state.target {
        _ = kill(target, signal)
      } else if !state.hasEnded {
        state.pending.append(signal)
      }
    }
  }
}

extension ChildProgram? {
  /// Passes signals on to the program.
  ///
  /// Returns at the first signal that arrives without a program, or after the program has ended.
  func watch(_ signals: UnixSignalsSequence) async {
    for await signal in signals {
      guard let child = self, !child.hasEnded else { return }
      child.pass(signal)
    }
  }
}

extension ChildProgram {
  /// Passes a signal on, unless the terminal may have sent it to the program already.
  ///
  /// A program without a process group of its own never gets SIGINT and SIGQUIT from hidsim.
  func pass(_ signal: UnixSignal) {
    // The terminal sends Ctrl-C and Ctrl-\ to its foreground process group. Without a group of its
    // own, the program is in the group of hidsim, and has received the signal already. A SIGINT
    // that `kill` has sent to hidsim alone looks the same, and does not reach the program.
    let isTerminals = (signal == .sigint || signal == .sigquit) && !hasOwnGroup
    if !isTerminals { send(signal.rawValue) }
  }
}

/// The reason why a program could not be started.
struct ChildFailure: Error {
  let name: String
  let reason: String
  let isMissing: Bool

  /// The exit status that shells use for this failure.
  var status: Int32 { isMissing ? 127 : 126 }

  init(name: String, reason: String, isMissing: Bool) {
    self.name = name
    self.reason = reason
    self.isMissing = isMissing
  }

  init(missing name: String) {
    self.init(name: name, reason: "there is no such program", isMissing: true)
  }
}
