// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop
import SystemPackage

/// A standard file, with its support for colours and a status line.
struct Terminal: Sendable {
  static let standardOutput = Terminal(.standardOutput)
  static let standardError = Terminal(.standardError)

  /// True if the file is a terminal that executes control sequences: TERM is not "dumb".
  let isCapable: Bool
  /// True if lines have colours: the terminal is capable, and NO_COLOR is unset or empty.
  let hasColours: Bool
  private let descriptor: Int32

  private init(_ descriptor: FileDescriptor) {
    self.descriptor = descriptor.rawValue
    isCapable = isatty(descriptor.rawValue) != 0 && ProcessEnvironment["TERM"] != "dumb"
    hasColours = isCapable && ProcessEnvironment["NO_COLOR"] == nil
  }

  /// The number of columns of the terminal; 80 if the terminal does not report it.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
