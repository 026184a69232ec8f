// SPDX-License-Identifier: Apache-2.0

import HIDSimulator

/// What `--strict` does not let pass.
enum Strict {
  static let help = """
    That is: events or reports that were lost; requests and reports that no descriptor declares; \
    whatever hardware would have understood differently; and input reports sent while nobody had the \
    device open (the kernel's own drivers are somebody). The last line says which.
    """

  /// Whether a run may end well.
  static func passes(_ totals: HIDEventLog.Totals) -> Bool {
    totals.lost == 0 && totals.unexpected == 0 && totals.fidelity == 0 && totals.unheard == 0
  }
}
