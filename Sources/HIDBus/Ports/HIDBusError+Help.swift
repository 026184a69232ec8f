// SPDX-License-Identifier: Apache-2.0

import SystemPackage

extension HIDBusError {
  /// The end of messages about access rights, or about a bus that is missing.
  package static let help = "; for help, run: hidsim doctor"

  /// The errors of system calls that mean `limitReached`, whatever the call.
  static let limits: [Errno] = [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory]
}
