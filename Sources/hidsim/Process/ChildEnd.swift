// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The end of a program that hidsim started.
struct ChildEnd: Sendable, CustomStringConvertible {
  enum How: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
  }

  /// The program's name, as the user typed it.
  let name: String
  let processID: pid_t
  let how: How

  /// The name and the process number: `./capsled (process 4711)`.
  var description: String { "\(name) (process \(processID))" }

  /// The exit status as a shell gives it: 128 and the signal's number if a signal ended the
  /// program.
  var status: Int32 {
    switch how {
    case .exited(let status): status
    case .signaled(let signal): 128 + signal
    }
  }

  /// The end as text: `./capsled exited with 3`, `./capsled (process 4711) was killed by SIGSEGV`.
  var words: String {
    switch how {
    case .exited(let status):
      // A shell exits with 128 and the signal's number after a signal has ended its program.
      let hint = Signal.name(status - 128).map {
        ", as a shell does when \($0) kills its program"
      }
      return "\(name) exited with \(status)\(hint ?? "")"
    case .signaled(let signal):
      return "\(self) was killed by \(Signal.name(signal) ?? "signal \(signal)")"
    }
  }
}

/// Names of signals.
enum Signal {
  private static let names: [Int32: String] = [
    SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
    SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL",
    SIGUSR1: "SIGUSR1", SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE",
    SIGALRM: "SIGALRM", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
    SIGSYS: "SIGSYS",
  ]

  /// Returns the name of a common signal that ends programs; nil for other numbers.
  static func name(_ number: Int32) -> String? { names[number] }
}
