// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The help of the options that several commands with scripts share.
enum ScriptHelp {
  static let waitCommand = ArgumentHelp(
    "After a script that passed, wait until COMMAND ends by itself.",
    discussion: """
      Its exit status then counts. Without this option hidsim ends COMMAND (SIGTERM, then SIGKILL after 5 s), and its \
      status counts only if it ended before the script.
      """)

  static let expectAll = ArgumentHelp(
    "Fail on reports and requests of the host that no line expects.",
    discussion: """
      The same as "expect nothing else" as the last line of the script. hidsim lists these reports and requests. Those \
      of the kernel's drivers while they start are allowed.
      """)
}
