// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The files that a command reads and writes: no output may be an input, or another output.
///
/// Files are compared by device and inode, so that a link counts as its target. A file that does
/// not exist yet is identified by its folder and its name. Device nodes, such as `/dev/null`, never
/// conflict.
final class CommandFiles: Sendable {
  static let shared = CommandFiles()

  /// A file that an option or argument of the command names for writing.
  struct Output {
    /// The option or argument, as the user types it.
    let option: String
    /// The path; nil or `-` for standard output.
    let path: String?

    init(_ option: String, _ path: String?) {
      self.option = option
      self.path = path
    }
  }

  private struct State: Sendable {
    var inputs: [FileIdentity: String] = [:]
    var outputs: [(option: String, identities: [FileIdentity])] = []
  }

  private let state = Mutex(State())

  /// Registers a file that is open for reading; does nothing for a device node.
  ///
  /// - Parameter name: The name of the file in messages.
  /// - Throws: A failure if it is a regular file, and standard output or standard error goes to it.
  func read(_ descriptor: Int32, named name: String) throws(Failure) {
    guard let identity = FileIdentity(descriptor) else { return }
    try read(identity, named: name)
  }

  /// Registers a file that will be read; does nothing for a device node, or if the file does not
  /// exist.
  ///
  /// - Throws: A failure if it is a regular file, and standard output or standard error goes to it.
  func read(path: String) throws(Failure) {
    guard let identity = FileIdentity(path: path) else { return }
    try read(identity, named: path)
  }

  private func read(_ identity: FileIdentity, named name: String) throws(Failure) {
    state.withLock { state in
      if state.inputs[identity] == nil { state.inputs[identity] = name }
    }
    for (number, stream) in [(1, "standard output"), (2, "standard error")] as [(Int32, String)]
    where identity.isRegular && FileIdentity(number) == identity {
      throw Failure(
        .wrongArguments,
        "\(name): hidsim reads this file, and its \(stream) goes to this file, too: "
          + "redirect \(stream) to another file")
    }
  }

  /// Registers the outputs of the command, before any file is changed.
  ///
  /// - Parameters:
  ///   - outputs: The files to write.
  ///   - replaced: The path of an input that an output may replace when the output is complete; `-`
  ///     for standard input.
  ///   - hasLines: True if the command also writes other lines to standard output.
  /// - Throws: A failure if an output is also an input, or another output. A failure if standard
  ///   error goes to an output that is a regular file. With `hasLines`, a failure if standard
  ///   output goes to an output.
  func claim(
    _ outputs: [Output], replacing replaced: String? = nil, hasLines: Bool = true
  ) throws(Failure) {
    for output in outputs {
      guard let path = output.path, path != "-" else { continue }
      let identities = FileIdentity.all(ofOutput: path)
      guard !identities.isEmpty else { continue }
      let words = "\(output.option) \(path)"
      for identity in identities {
        let isReplaced =
          switch replaced {
          case nil: false
          case "-"?: FileIdentity(0) == identity
          case let input?: FileIdentity(path: input) == identity
          }
        if !isReplaced, let name = input(identity) {
          throw Failure(
            .wrongArguments,
            "\(words): hidsim reads this file\(name == path ? "" : " (\(name))"): name another file"
          )
        }
        for (number, stream) in [(1, "standard output"), (2, "standard error")] as [(Int32, String)]
        where FileIdentity(number) == identity {
          guard number == 1 ? hasLines : identity.isRegular else { continue }
          throw Failure(
            .wrongArguments, "\(words): \(stream) goes to this file, too: name another file")
        }
      }
      try state.withLock { state throws(Failure) in
        if let other = state.outputs.first(where: {
          !identities.filter($0.identities.contains).isEmpty
        }) {
          throw Failure(
            .wrongArguments,
            "\(other.option) and \(output.option) name the same file: \(path); name two files")
        }
        state.outputs.append((output.option, identities))
      }
    }
  }

  /// Returns the name of an input in messages; nil for a file that is not an input.
  private func input(_ identity: FileIdentity) -> String? {
    if let name = state.withLock({ $0.inputs[identity] }) { return name }
    return identity.isRegular && FileIdentity(0) == identity ? "standard input" : nil
  }
}

/// The identity of a file, for comparisons.
private struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  private let inode: UInt
  /// The file's name in the folder that `device` and `inode` identify; nil if they identify the
  /// file itself.
  private let name: String?
  private let type: mode_t

  /// True for a regular file that exists.
  var isRegular: Bool { type == S_IFREG }

  /// Makes the identity of an open file; nil for a device node, or if `descriptor` is not open.
  init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Makes the identity of the file at a path, after links; nil for a device node, or if no file
  /// exists.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init?(_ status: stat) {
    type = status.st_mode & S_IFMT
    guard type != S_IFCHR, type != S_IFBLK else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    name = nil
  }

  private init(folder: stat, name: String) {
    device = UInt(folder.st_dev)
    inode = UInt(folder.st_ino)
    self.name = name
    type = 0
  }

  /// Returns the identities of a file to write: the identity of the file itself, if it exists, and
  /// the identity of its name in its folder.
  ///
  /// - Returns: An empty array for a device node, and if the folder does not exist.
  static func all(ofOutput path: String) -> [FileIdentity] {
    var status = stat()
    let isThere = stat(path, &status) == 0
    if isThere, FileIdentity(status) == nil { return [] }
    let own = isThere ? [FileIdentity(status)].compactMap(\.self) : []
    let target = isThere ? path : end(ofLinks: path)
    let cut = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    let folder = target[..<cut].isEmpty ? "." : String(target[..<cut])
    guard stat(folder, &status) == 0 else { return own }
    return own + [FileIdentity(folder: status, name: String(target[cut...]))]
  }

  /// Returns the path at the end of a chain of symbolic links; the path itself if it is no link.
  ///
  /// The target does not have to exist. After 40 links, the result may still be a link.
  private static func end(ofLinks path: String) -> String {
    var path = path
    // The kernel follows at most 40 links.
    for _ in 0..<40 {
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &buffer, buffer.count)
      guard count > 0 else { break }
      let target = String(decoding: buffer[..<count], as: UTF8.self)
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      path = target.hasPrefix("/") ? target : folder + target
    }
    return path
  }
}
