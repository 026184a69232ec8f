// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The help of options that all commands with scripts have.
enum ScriptHelp {
  static let waitCommand = ArgumentHelp(
    "When the script has passed, wait until COMMAND ends by itself; its status counts.",
    discussion: """
      Without it COMMAND is ended then: SIGTERM, and SIGKILL after 5 s. A command that ends before the script does \
      decides by its status either way.
      """)

  static let expectAll = ArgumentHelp(
    "Fail at the script's end where it has not expected every report and request of the host.",
    discussion: """
      The same as "expect nothing else" as its last line: it lists the reports and requests that met no \
      expectation. Those of the kernel's drivers while they take a device need none.
      """)
}
