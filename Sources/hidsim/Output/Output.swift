// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSimulator
import HIDText
import Synchronization
import SystemPackage

/// Standard output and standard error, a line at a time, whoever writes.
final class Output: Sendable {
  static let shared = Output()

  private let lock = Mutex<Void>(())
  private let goesOnUnread = Atomic(false)
  private let isUnread = Atomic(false)
  private let reader = Mutex(Reader())
  private let problem = Mutex<Errno?>(nil)

  private struct Reader: Sendable {
    /// Ends what the program does, once the reader has left.
    var end: (@Sendable () -> Void)?
    var hasEndedWork = false
  }

  /// Goes on when standard output cannot be written to: where the exit status says more than what is printed.
  ///
  /// The reader who leaves, as in `| head`, is no problem; for others there is ``failure``.
  func goOnUnread() { goesOnUnread.store(true, ordering: .relaxed) }

  /// Ends in order, by `end`, what the program does when the reader of standard output leaves, instead of ending at once.
  func whenReaderLeaves(_ end: @escaping @Sendable () -> Void) {
    reader.withLock { $0.end = end }
  }

  /// Whether what the program did was ended because the reader of standard output left: nobody misses how.
  var hasEndedWithReader: Bool { reader.withLock { $0.hasEndedWork } }

  /// Why standard output could not be written to, though its reader has not left; nil where it could.
  var failure: Failure? {
    problem.withLock { $0 }.map {
      Failure(.outputFailed, "standard output cannot be written to: \($0)")
    }
  }

  /// Writes a line to standard output; ends the program when that cannot be written to, but for ``goOnUnread()``.
  func print(_ line: String) { write(line, to: .standardOutput) }

  /// Writes a JSON object on a line to standard output.
  func print(_ line: JSONLine) { write(line.utf8 + [0x0A]) }

  /// Writes whole lines to standard output.
  func write(_ lines: [UInt8]) { write(lines, to: .standardOutput) }

  /// Writes an error to standard error.
  func complain(_ message: String) { write("hidsim: \(message)", to: .standardError) }

  /// Writes a line to standard error that is no error.
  func note(_ line: String) { write(line, to: .standardError) }

  private func write(_ text: String, to descriptor: FileDescriptor) {
    write(Array(text.printable.utf8) + [0x0A], to: descriptor)
  }

  private func write(_ bytes: [UInt8], to descriptor: FileDescriptor) {
    if descriptor == .standardOutput, isUnread.load(ordering: .relaxed) { return }
    do {
      try lock.withLock { _ in _ = try descriptor.writeAll(bytes) }
    } catch {
      if descriptor == .standardOutput { end(error) }
    }
  }

  private func end(_ error: any Error) {
    let goesOn = goesOnUnread.load(ordering: .relaxed)
    // Where the reader has left, as in `| head`, nobody misses the rest; but devices and traces have an end.
    if error as? Errno == .brokenPipe, !goesOn {
      isUnread.store(true, ordering: .relaxed)
      let end = reader.withLock { reader in
        reader.hasEndedWork = true
        return reader.end
      }
      guard let end else { exit(0) }
      return end()
    }
    if goesOn {
      if let error = error as? Errno, error != .brokenPipe { problem.withLock { $0 = error } }
      return isUnread.store(true, ordering: .relaxed)
    }
    complain("standard output cannot be written to: \(error)")
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
