// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SystemPackage

/// Files without a name, which the kernel deletes when they are closed.
enum TemporaryFile {
  /// Makes a temporary file in the folder `TMPDIR`, or in the system's folder for such files.
  ///
  /// Programs that hidsim starts do not inherit it.
  static func make() throws -> FileDescriptor {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/hidsim-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      let error = Errno(rawValue: errno)
      throw Failure(
        .init(error, otherwise: .unavailable),
        "\(folder): cannot make a temporary file: \(error); set TMPDIR to another folder")
    }
    _ = unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return FileDescriptor(rawValue: descriptor)
  }
}
