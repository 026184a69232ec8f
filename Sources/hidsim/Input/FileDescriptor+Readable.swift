// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage

extension FileDescriptor {
  /// Whether there is something to read, or the end of it.
  ///
  /// - Parameter milliseconds: How long to wait for that; without limit if negative.
  @discardableResult
  func isReadable(within milliseconds: Int32 = -1) -> Bool {
    var watched = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, milliseconds) > 0
  }
}
