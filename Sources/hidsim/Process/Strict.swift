// SPDX-License-Identifier: Apache-2.0

import HIDSimulator

/// What `--strict` does not let pass.
enum Strict {
  static let help = """
    It counts lost events and reports; requests and reports that no descriptor declares; reports that \
    hardware would read differently; and input reports without a reader (the kernel's own drivers are \
    readers). The last line names them.
    """

  /// Whether a run may end well.
  static func passes(_ totals: HIDEventLog.Totals) -> Bool {
    totals.lost == 0 && totals.unexpected == 0 && totals.fidelity == 0 && totals.unheard == 0
  }
}
