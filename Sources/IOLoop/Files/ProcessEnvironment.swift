// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The environment variables of this process; all code of hidsim reads them here.
package enum ProcessEnvironment {
  /// The value of a variable; nil if it is not set, or empty.
  package static subscript(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Returns whether a variable has a value, which is neither empty nor `0` nor `false`.
  package static func isSet(_ name: String) -> Bool {
    self[name].map { $0 != "0" && $0 != "false" } ?? false
  }
}
