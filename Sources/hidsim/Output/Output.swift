// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSimulator
import HIDText
import Synchronization
import SystemPackage

/// Standard output and standard error, written a line at a time.
///
/// If a write to standard output fails, the program ends with 74, and with the reason on standard
/// error. A reader that closes the pipe, as `| head` does, is no failure: the program ends with 0.
/// ``ignoreWriteErrors()`` and ``whenUnwritable(_:)`` change that.
final class Output: Sendable {
  static let shared: Output = Output()

  /// The number of bytes that are kept for a slow reader before ``settle()`` waits.
  private static let mark = 256 * 1024
  /// The time after which a reader that takes nothing is given up, once
  /// ``giveUpIdleReaders()`` was called.
  private static let patience = Duration.seconds(2)

  private let standardOutput = OutputChannel(.standardOutput) { Output.shared.end($0) }
  // If standard error cannot be written to, the error cannot be reported anywhere.
  private let standardError = OutputChannel(.standardError) { _ in }
  private let state = Mutex(State())
  /// True while a status line is the last line on the terminal.
  ///
  /// The lock is held while a line is written to standard error or to a terminal, so that no status
  /// line is written at the same time.
  private let hasStatus = Mutex(false)

  private struct State: Sendable {
    var ignoresWriteErrors = false
    var givesUpReaders = false
    /// Called when standard output cannot be written to; ends the work of the program.
    var end: (@Sendable () -> Void)?
    var hasEndedWork = false
    /// The reason why standard output is incomplete; nil if it is complete, or if its reader has
    /// closed the pipe.
    var problem: String?
  }

  // MARK: Lines

  /// Writes a line to standard output.
  func print(_ line: String) { write(Self.bytes(line)) }

  /// Writes a line to standard output, with its styles if lines have colours there.
  func print(_ line: StyledText) {
    write(Array(line.rendered(hasColours: Terminal.standardOutput.hasColours).utf8) + [0x0A])
  }

  /// Writes a JSON object on a line to standard output.
  func print(_ line: JSONLine) { write(line.utf8 + [0x0A]) }

  /// Writes whole lines to standard output.
  func write(_ lines: [UInt8]) {
    guard Terminal.standardOutput.isCapable else { return standardOutput.write(lines) }
    withoutStatus { standardOutput.write(lines) }
  }

  /// Writes an error to standard error.
  func complain(_ message: String) { note("\("hidsim:", .bad) \(message)") }

  /// Writes a line to standard error; ``complain(_:)`` is for errors.
  func note(_ line: String) { withoutStatus { standardError.write(Self.bytes(line)) } }

  /// Writes a line to standard error, with its styles if lines have colours there.
  func note(_ line: StyledText) {
    let text = line.rendered(hasColours: Terminal.standardError.hasColours)
    withoutStatus { standardError.write(Array(text.utf8) + [0x0A]) }
  }

  // MARK: The status line

  /// Writes a status line to standard error, a terminal, in place of the previous status line.
  ///
  /// The next line of output replaces it. The text is cut to the width of the terminal. It is
  /// dropped while earlier output waits to be written.
  func showStatus(_ text: String) {
    let line = text.printable.prefix(Terminal.standardError.width - 1)
    hasStatus.withLock { shown in
      shown = true
      standardError.write(Array("\r\(line)\u{1b}[K".utf8), orNothing: true)
    }
  }

  /// Removes the status line.
  func removeStatus() { withoutStatus {} }

  private func withoutStatus(_ write: () -> Void) {
    hasStatus.withLock { shown in
      if shown { standardError.write(Array("\r\u{1b}[K".utf8), orNothing: true) }
      shown = false
      write()
    }
  }

  private static func bytes(_ line: String) -> [UInt8] { Array(line.printable.utf8) + [0x0A] }

  // MARK: Slow readers

  /// Makes writes return without waiting for the reader, for commands that handle signals.
  ///
  /// A write that waits would delay the handling.
  func keep() {
    standardOutput.keep()
    standardError.keep()
  }

  /// Waits until at most 256 KiB are kept for each reader, for commands that go on printing after
  /// ``keep()``.
  ///
  /// Does not wait for a reader that has left or was given up. Returns at once if the task is
  /// cancelled.
  func settle() async {
    await standardOutput.wait(mark: Self.mark)
    await standardError.wait(mark: Self.mark)
  }

  /// Gives up readers that take nothing for two seconds.
  ///
  /// Called when the work has to end: after a signal, or when its time is over.
  func giveUpIdleReaders() {
    let isFirst = state.withLock { state in
      defer { state.givesUpReaders = true }
      return !state.givesUpReaders
    }
    guard isFirst else { return }
    Task { await standardOutput.giveUpReader(patience: Self.patience) }
    Task { await standardError.giveUpReader(patience: Self.patience) }
  }

  // MARK: The end

  /// Lets the program go on when standard output cannot be written to.
  ///
  /// Commands call this if their exit status matters more than their output.
  func ignoreWriteErrors() { state.withLock { $0.ignoresWriteErrors = true } }

  /// Sets `end` to be called, instead of ending the program, if a write to standard output fails.
  ///
  /// It is not called after ``ignoreWriteErrors()``, or when an idle reader is given up.
  func whenUnwritable(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.end = end } }

  /// True if the work was ended because standard output cannot be written to.
  var hasEndedWork: Bool { state.withLock { $0.hasEndedWork } }

  /// Waits until all output is written, and returns the exit status of the program.
  ///
  /// If a part of standard output is lost, the call prints the reason on standard error.
  ///
  /// - Parameter status: The status of the command.
  /// - Returns: `status`, or 74 if a part of standard output is lost. Output that follows after the
  ///   reader has closed the pipe does not count as lost. After ``ignoreWriteErrors()``, only a
  ///   status of 0 becomes 74.
  func finish(_ status: Int32) async -> Int32 {
    await standardOutput.wait(mark: 0)
    let (problem, ignoresWriteErrors) = state.withLock { ($0.problem, $0.ignoresWriteErrors) }
    if let problem { complain(problem) }
    await standardError.wait(mark: 0)
    return problem == nil || ignoresWriteErrors && status != 0
      ? status : Failure.Status.outputFailed.rawValue
  }

  /// Called once, when a write to standard output has failed, or when its reader was given up.
  private func end(_ error: Errno?) {
    let problem =
      error.map { "standard output cannot be written to: \($0)" }
      ?? "standard output was not read for \(Self.patience.components.seconds) s: the rest is lost"
    let (ignoresWriteErrors, end) = state.withLock { state in
      // A reader that has closed the pipe, as `| head` does, needs no more output.
      if error != .brokenPipe { state.problem = problem }
      // A reader is given up only after a signal or the end of the time: the work ends by itself.
      let ignoresWriteErrors = state.ignoresWriteErrors || error == nil
      if !ignoresWriteErrors { state.hasEndedWork = true }
      return (ignoresWriteErrors, state.end)
    }
    if ignoresWriteErrors { return }
    // The command still unplugs its devices and completes its trace.
    if let end { return end() }
    if error == .brokenPipe { exit(0) }
    // The caller can hold the lock of the status line, which `complain` takes.
    standardError.write(Self.bytes("hidsim: \(problem)"))
    exit(Failure.Status.outputFailed.rawValue)
  }
}

extension String {
  /// The text with all control characters except line breaks made visible.
  ///
  /// A terminal would execute them. Names come from devices and programs, which may be malicious.
  var printable: String {
    // Almost all lines have only the printable characters of ASCII.
    let isPlain = utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A }
    }
    guard isPlain != true, unicodeScalars.contains(where: { $0.isControl && $0 != "\n" }) else {
      return self
    }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControl, scalar != "\n" {
        result += scalar.escaped
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
