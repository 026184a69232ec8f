// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop
import SystemPackage

extension HIDClientName {
  /// Reads the name of a process from `/proc`; `nil` if that fails.
  init?(processID: Int32) {
    let file = clinux_open("/proc/\(processID)/comm", O_RDONLY | O_CLOEXEC, 0)
    guard file >= 0 else { return nil }
    let descriptor = OwnedDescriptor(takingOwnershipOf: FileDescriptor(rawValue: file))
    var text = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor.descriptor.rawValue, &text, text.count)
    guard count > 0 else { return nil }
    let name = text[..<count].prefix { $0 != UInt8(ascii: "\n") }
    self.init(program: String(decoding: name, as: UTF8.self), processID: processID)
  }
}
