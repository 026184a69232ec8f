// SPDX-License-Identifier: Apache-2.0

import CLinux
import Foundation
import Glibc
import IOLoop
import Testing

@testable import HIDBus

/// A folder of one test, which is removed with its last reference.
final class TemporaryFiles {
  let root: String

  init() throws {
    var path = Array((NSTemporaryDirectory() + "hidsim-files-XXXXXX").utf8CString)
    try #require(mkdtemp(&path) != nil)
    root = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(root) }

  private static func remove(_ path: String) {
    // A link is not followed, because its target does not belong to the test.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      for name in SysFS.names(in: path) { remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  func folder(_ path: String) { mkdir("\(root)/\(path)", 0o700) }

  func file(_ path: String, _ bytes: [UInt8]) throws {
    let file = try #require(fopen("\(root)/\(path)", "w"))
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  func file(_ path: String, _ text: String) throws { try file(path, Array(text.utf8)) }

  func link(_ path: String, to target: String) { symlink(target, "\(root)/\(path)") }

  func remove(_ path: String) { Self.remove("\(root)/\(path)") }
}
