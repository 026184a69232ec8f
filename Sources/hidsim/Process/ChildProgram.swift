// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Subprocess
import Synchronization
import SystemPackage
import UnixSignals

/// The program that is run beside the devices, with our standard input and output as its own, unless others are given.
final class ChildProgram: Sendable, CustomStringConvertible {
  private let words: [String]
  private let environment: [String: String]
  private let output: FileDescriptor?
  /// Whether it has a session of its own.
  private var isContained: Bool { output != nil }
  /// Whether it leads a process group: with a session of its own, and if hidsim has no terminal.
  private let hasOwnGroup: Bool
  private let state = Mutex(State())

  private struct State: Sendable {
    /// What signals are sent to: the process, or its group.
    var target: pid_t?
    /// Signals that came while the program was being started.
    var pending: [Int32] = []
    var processID: pid_t?
    var hasEnded = false
    /// Callers that wait until the program has started, or has failed to start.
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// Prepares a program.
  ///
  /// - Parameters:
  ///   - words: The program's name or path, and its arguments; at least the name.
  ///   - environment: What its environment has beside ours.
  ///   - output: Where its output and its errors go; it has no input then, and a session of its own, so that what it has
  ///     started ends with it. Nil for our own.
  init(_ words: [String], environment: [String: String], output: FileDescriptor? = nil) {
    self.words = words
    self.environment = environment
    self.output = output
    hasOwnGroup = output != nil || !Self.hasTerminal
  }

  /// Whether this process has a controlling terminal, which has one process group in its
  /// foreground.
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

  /// Finds a program before anything is plugged for it, and tells where that cannot be run.
  static func check(_ words: [String]) async throws {
    guard !words.isEmpty else { return }
    do throws(ChildFailure) {
      try await ChildProgram(words, environment: [:]).find()
    } catch {
      Output.shared.complain("\(error.name): \(error.reason)")
      throw ExitCode(error.status)
    }
  }

  /// Finds the program, without running it.
  ///
  /// - Throws: What ``run()`` would throw, where that can be told before.
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

  /// Runs the program to its end, as ``run()`` does, and says how it ended.
  func result() async -> Result<ChildEnd, ChildFailure> {
    defer {
      let waiters = state.withLock { state in
        state.hasEnded = true
        defer { state.waiters = [] }
        return state.waiters
      }
      for waiter in waiters { waiter.resume() }
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
  /// When the task is cancelled, the program gets SIGTERM, and SIGKILL after ``grace``; so does its
  /// group if it leads one.
  ///
  /// - Throws: A failure with status 127 where there is no such program, 126 where it cannot be run.
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
        let waiters = self.state.withLock { state in
          let target = self.hasOwnGroup ? -id : id
          state.target = target
          state.processID = id
          for signal in state.pending { _ = kill(target, signal) }
          state.pending = []
          defer { state.waiters = [] }
          return state.waiters
        }
        for waiter in waiters { waiter.resume() }
      }
      let id = state.withLock { state in
        // Kills what is left of its session, or of its group if it was asked to end. No other group
        // has this number while a process of the group is left. Nor soon after: numbers are given
        // out in turn.
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
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return path.split(separator: ":").contains { access("\($0)/\(words[0])", F_OK) == 0 }
  }

  /// How long a program has to end after SIGTERM.
  static let grace = Duration.seconds(5)

  /// Waits until the program has started, or has failed to start.
  func begun() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.hasEnded || state.processID != nil { return true }
        state.waiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// Whether the program runs: it has started and not ended, even if hidsim has not seen the end
  /// yet.
  var isRunning: Bool {
    state.withLock { state in
      guard !state.hasEnded, let id = state.processID else { return false }
      var information = siginfo_t()
      // WNOWAIT leaves the process for the call that reaps it. If it runs, nothing is filled in.
      guard waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else {
        return false
      }
      return information.si_signo == 0
    }
  }

  /// Whether the program has run, and does not any more.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Passes a signal on, unless the program has ended; as soon as it runs, if it does not yet.
  func send(_ signal: Int32) {
    // The number is forgotten when the program is waited for: at worst a signal comes too late for it
    // by the time between its end and our hearing of it.
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
  /// Passes signals on to the program; without one, and when it has ended, returns at the first.
  func watch(_ signals: UnixSignalsSequence) async {
    for await signal in signals {
      guard let child = self, !child.hasEnded else { return }
      child.pass(signal)
    }
  }
}

extension ChildProgram {
  /// Passes a signal on, unless the program has had it.
  func pass(_ signal: UnixSignal) {
    // The terminal's Ctrl-C and Ctrl-\ have reached the program already: it is in our process group.
    let isTerminals = (signal == .sigint || signal == .sigquit) && !hasOwnGroup
    if !isTerminals { send(signal.rawValue) }
  }
}

/// Why a program could not be started.
struct ChildFailure: Error {
  let name: String
  let reason: String
  let isMissing: Bool

  /// The exit status that shells have for it.
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
