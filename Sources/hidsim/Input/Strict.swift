// SPDX-License-Identifier: Apache-2.0

import HIDSimulator

/// The rules of the option `--strict`.
enum Strict {
  static let help = """
    The command fails if events or reports were lost, if a request or report was not declared by a \
    descriptor, if hardware would read a report differently, or if an input report had no reader (the \
    kernel's own drivers are readers). The last line of the output has the counts.
    """

  /// Returns whether a run passes the strict check.
  static func passes(_ totals: HIDEventLog.Totals) -> Bool {
    totals.lost == 0 && totals.unexpected == 0 && totals.fidelity == 0 && totals.unheard == 0
  }
}
