// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemPackage

extension FileDescriptor {
  /// Waits until a read would not block: there are bytes, or the input has ended.
  ///
  /// - Parameter milliseconds: The maximum wait; no limit if negative.
  /// - Returns: True if a read would not block; false if the wait ended first, or a signal
  ///   interrupted it.
  @discardableResult
  func isReadable(within milliseconds: Int32 = -1) -> Bool {
    var watched = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, milliseconds) > 0
  }
}
