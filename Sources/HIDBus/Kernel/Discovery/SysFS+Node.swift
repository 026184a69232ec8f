// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import IOLoop

extension SysFS {
  /// A character node.
  struct Node: Sendable {
    /// The device number.
    let number: dev_t
    fileprivate let changed: timespec

    /// The time since its permissions, owner or links last changed.
    var age: Duration {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      return .seconds(now.tv_sec - changed.tv_sec) + .nanoseconds(now.tv_nsec - changed.tv_nsec)
    }
  }

  /// Returns a character node; `nil` if there is none at a path.
  static func node(_ path: String) -> Node? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
    return Node(number: status.st_rdev, changed: status.st_ctim)
  }
}
