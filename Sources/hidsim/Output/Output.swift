// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSimulator
import HIDText
import Synchronization
import SystemPackage

/// Standard output and standard error, a line at a time.
///
/// A write to standard output that fails decides the exit status: 74, with the reason on standard
/// error. The reader who leaves, as in `| head`, is no failure: it ends the program with 0.
final class Output: Sendable {
  static let shared: Output = Output()

  /// How much is kept for a slow reader before ``settle()`` waits, in bytes.
  private static let mark = 256 * 1024
  /// How long a reader may take nothing, once the end was asked for.
  private static let patience = Duration.seconds(2)

  private let standardOutput = OutputChannel(.standardOutput) { Output.shared.end($0) }
  // Where standard error cannot be written to, nothing can say so.
  private let standardError = OutputChannel(.standardError) { _ in }
  private let state = Mutex(State())

  private struct State: Sendable {
    var goesOn = false
    var isHurried = false
    /// Ends what the program does, once standard output cannot be written to.
    var end: (@Sendable () -> Void)?
    var hasEndedWork = false
    /// What became of standard output, where it was not written and its reader has not left.
    var problem: String?
  }

  // MARK: Lines

  /// Writes a line to standard output.
  func print(_ line: String) { standardOutput.write(Self.bytes(line)) }

  /// Writes a JSON object on a line to standard output.
  func print(_ line: JSONLine) { standardOutput.write(line.utf8 + [0x0A]) }

  /// Writes whole lines to standard output.
  func write(_ lines: [UInt8]) { standardOutput.write(lines) }

  /// Writes an error to standard error.
  func complain(_ message: String) { standardError.write(Self.bytes("hidsim: \(message)")) }

  /// Writes a line to standard error that is no error.
  func note(_ line: String) { standardError.write(Self.bytes(line)) }

  /// Writes a part of a line to a terminal that is standard error, if it takes that at once.
  func overwrite(_ text: String) { standardError.write(Array(text.utf8), orNothing: true) }

  private static func bytes(_ line: String) -> [UInt8] { Array(line.printable.utf8) + [0x0A] }

  // MARK: Slow readers

  /// Has no call wait for readers any more, for commands that hear signals.
  ///
  /// A call that waits would keep them from being heard.
  func keep() {
    standardOutput.keep()
    standardError.keep()
  }

  /// Waits until readers are not far behind: for what goes on printing, after ``keep()``.
  ///
  /// Returns at once where the task is cancelled, and when a reader has left or was given up.
  func settle() async {
    await standardOutput.wait(mark: Self.mark)
    await standardError.wait(mark: Self.mark)
  }

  /// Gives up readers that take nothing for two seconds, from now on: the end was asked for.
  func hurry() {
    let isFirst = state.withLock { state in
      defer { state.isHurried = true }
      return !state.isHurried
    }
    guard isFirst else { return }
    Task { await standardOutput.giveUpReader(patience: Self.patience) }
    Task { await standardError.giveUpReader(patience: Self.patience) }
  }

  // MARK: The end

  /// Goes on when standard output cannot be written to: for commands whose exit status says more than
  /// their lines.
  func goOnUnread() { state.withLock { $0.goesOn = true } }

  /// Calls `end`, instead of ending the program at once, when standard output cannot be written to.
  func whenUnwritable(_ end: @escaping @Sendable () -> Void) { state.withLock { $0.end = end } }

  /// Whether what the program did was ended because standard output cannot be written to.
  var hasEndedWork: Bool { state.withLock { $0.hasEndedWork } }

  /// Waits until all is written, and says what the program's exit status is.
  ///
  /// - Parameter status: That of the command. It becomes 74 where standard output could not be
  ///   written to; a status other than 0 after ``goOnUnread()`` stays.
  func finish(_ status: Int32) async -> Int32 {
    await standardOutput.wait(mark: 0)
    let (problem, goesOn) = state.withLock { ($0.problem, $0.goesOn) }
    if let problem { complain(problem) }
    await standardError.wait(mark: 0)
    return problem == nil || goesOn && status != 0 ? status : Failure.Status.outputFailed.rawValue
  }

  /// Called once, when a write to standard output has failed, or when its reader was given up.
  private func end(_ error: Errno?) {
    let problem =
      error.map { "standard output cannot be written to: \($0)" }
      ?? "standard output was not read for \(Self.patience.components.seconds) s: the rest is lost"
    let (goesOn, end) = state.withLock { state in
      // A reader that has left, as in `| head`, misses nothing.
      if error != .brokenPipe { state.problem = problem }
      // A reader is given up where the end was asked for already.
      let goesOn = state.goesOn || error == nil
      if !goesOn { state.hasEndedWork = true }
      return (goesOn, state.end)
    }
    if goesOn { return }
    // Devices and traces have an end.
    if let end { return end() }
    if error == .brokenPipe { exit(0) }
    complain(problem)
    exit(Failure.Status.outputFailed.rawValue)
  }
}

extension String {
  /// The text with everything that a terminal would obey made visible, but for the ends of lines.
  ///
  /// Names come from devices and programs that need not mean well.
  var printable: String {
    guard unicodeScalars.contains(where: { $0.isControl && $0 != "\n" }) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControl, scalar != "\n" {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
