// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import IOLoop
import SystemPackage

/// A file that gets its name only when it is complete.
///
/// Until then it has a temporary name. A path that is not a regular file, such as a pipe, is
/// written to directly.
struct OutputFile: ~Copyable {
  private let path: String
  private let replaces: Bool
  private let file: OwnedDescriptor
  /// The temporary name; nil for a file that is written directly, or that has its own name already.
  private var temporary: String?

  /// Makes a temporary file in the folder of the final file, or opens a path that is not a regular
  /// file.
  ///
  /// - Parameters:
  ///   - path: The path of the final file.
  ///   - replaces: True if the file may replace an existing one.
  init(_ path: String, replaces: Bool) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFREG, !replaces { throw Failure.exists(path) }
    // Replace the target of a symbolic link, so that the link stays.
    let target = isThere ? URL(filePath: path).resolvingSymlinksInPath().path : path
    let opened =
      !isThere || status.st_mode & S_IFMT == S_IFREG
      ? try Self.beside(target, mode: isThere ? status.st_mode & 0o7777 : nil)
      : try Self.direct(path)
    self.path = target
    self.replaces = replaces
    file = OwnedDescriptor(takingOwnershipOf: opened.descriptor)
    temporary = opened.name
  }

  private typealias Opened = (descriptor: FileDescriptor, name: String?)

  private static func direct(_ path: String) throws -> Opened {
    do {
      return (try FileDescriptor.open(path, .writeOnly, options: .closeOnExec), nil)
    } catch {
      throw Failure.unwritable(path, error)
    }
  }

  private static func beside(_ path: String, mode: mode_t?) throws -> Opened {
    var template = Array("\(path).XXXXXX".utf8CString)
    let opened = mkstemp(&template)
    guard opened >= 0 else {
      throw Failure.unwritable(path, Errno(rawValue: errno))
    }
    _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
    // Set the mode of the replaced file, or of a usual new file: only the owner can access files
    // of mkstemp.
    let mask = umask(0)
    _ = umask(mask)
    _ = fchmod(opened, mode ?? 0o666 & ~mask)
    let name = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (FileDescriptor(rawValue: opened), name)
  }

  deinit { if let temporary { _ = unlink(temporary) } }

  /// Appends bytes.
  borrowing func write(_ bytes: [UInt8]) throws {
    do {
      _ = try file.descriptor.writeAll(bytes)
    } catch {
      throw Failure.unwritable(path, error)
    }
  }

  /// Gives the file its final name.
  mutating func finish() throws {
    guard let temporary else { return }
    if !replaces {
      // `link` fails if the file exists now; `rename` would replace it.
      if link(temporary, path) == 0 {
        _ = unlink(temporary)
        self.temporary = nil
        return
      }
      if errno == EEXIST { throw Failure.exists(path) }
      // The file system has no hard links.
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else {
        throw Failure.unwritable(path, Errno(rawValue: errno))
      }
      guard access(path, F_OK) != 0 else { throw Failure.exists(path) }
    }
    guard rename(temporary, path) == 0 else {
      throw Failure.unwritable(path, Errno(rawValue: errno))
    }
    self.temporary = nil
  }
}
