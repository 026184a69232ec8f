// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SystemPackage

/// Files without a name, which are gone when they are closed.
enum TemporaryFile {
  /// Makes one, in `TMPDIR`, that no program that is started inherits.
  static func make() throws -> FileDescriptor {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/hidsim-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw Failure(
        .unavailable,
        "\(folder): no temporary file: \(Errno(rawValue: errno)); TMPDIR names another folder")
    }
    _ = unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return FileDescriptor(rawValue: descriptor)
  }
}
