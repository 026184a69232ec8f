// SPDX-License-Identifier: Apache-2.0

import IOLoop

extension HIDClientName {
  /// Reads the name of a process from `/proc`; `nil` if that fails.
  init?(processID: Int32) {
    guard let name = SysFS.line("/proc/\(processID)/comm") else { return nil }
    self.init(program: name, processID: processID)
  }
}
