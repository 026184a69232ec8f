// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SystemPackage

/// A file that is there when it is whole: until then it has another name.
///
/// What is no regular file, such as a pipe, is written to as it is.
struct OutputFile: ~Copyable {
  private let path: String
  private let replaces: Bool
  private let descriptor: FileDescriptor
  /// The name it has meanwhile; nil where it has none, or not any more.
  private var temporary: String?

  /// Makes a file beside the one that is to be.
  ///
  /// - Parameters:
  ///   - path: Where the file is to be.
  ///   - replaces: Whether it may take the place of another.
  init(_ path: String, replaces: Bool) throws {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFREG, !replaces { throw Self.exists(path) }
    self.replaces = replaces
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
      self.path = path
      temporary = nil
      do {
        descriptor = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
      } catch {
        throw Failure(.outputFailed, "\(path): cannot be written to: \(error)")
      }
      return
    }
    // Where a link leads to, so that the link stays.
    self.path = isThere ? URL(filePath: path).resolvingSymlinksInPath().path : path
    var template = Array("\(self.path).XXXXXX".utf8CString)
    let opened = mkostemp(&template, O_CLOEXEC)
    guard opened >= 0 else {
      throw Failure(.outputFailed, "\(path): cannot be written: \(Errno(rawValue: errno))")
    }
    descriptor = FileDescriptor(rawValue: opened)
    temporary = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    // As any program's, which mkostemp's are not.
    let mask = umask(0)
    _ = umask(mask)
    _ = fchmod(opened, isThere ? status.st_mode & 0o7777 : 0o666 & ~mask)
  }

  deinit {
    try? descriptor.close()
    if let temporary { _ = unlink(temporary) }
  }

  /// Writes bytes behind those before.
  borrowing func write(_ bytes: [UInt8]) throws {
    do {
      _ = try descriptor.writeAll(bytes)
    } catch {
      throw Failure(.outputFailed, "\(path): cannot be written to: \(error)")
    }
  }

  /// Gives the file its name.
  mutating func finish() throws {
    guard let temporary else { return }
    if !replaces {
      if renameat2(AT_FDCWD, temporary, AT_FDCWD, path, UInt32(RENAME_NOREPLACE)) == 0 {
        self.temporary = nil
        return
      }
      if errno == EEXIST { throw Self.exists(path) }
      // A file system that cannot do that in one step.
      guard errno == EINVAL || errno == ENOSYS else {
        throw Failure(.outputFailed, "\(path): cannot be written: \(Errno(rawValue: errno))")
      }
      guard access(path, F_OK) != 0 else { throw Self.exists(path) }
    }
    guard rename(temporary, path) == 0 else {
      throw Failure(.outputFailed, "\(path): cannot be written: \(Errno(rawValue: errno))")
    }
    self.temporary = nil
  }

  private static func exists(_ path: String) -> Failure {
    Failure(.wrongArguments, "\(path): there is such a file; --force writes over it")
  }
}
