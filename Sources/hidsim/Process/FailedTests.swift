// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// The record of scripts that failed in the last runs of `hidsim test`.
///
/// Each folder of tests has its record in `.hidsim/failed`: paths relative to the folder, one per
/// line. The file does not exist before a test fails.
struct FailedTests {
  /// The maximum size of a record that is read, in bytes.
  private static let maximumByteCount = 64 << 20

  /// The folders, each with a slash at its end; an empty string is the working directory.
  private let folders: [String]

  /// Finds the folders of the records for the arguments of `hidsim test`: folders and scripts.
  init(_ paths: [String]) {
    folders = paths.map { path in
      var isFolder = false
      let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      let name = TestScripts.normal(path)
      let folder =
        isThere && isFolder ? name : name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
      if folder.isEmpty, !name.hasPrefix("/") { return "" }
      return folder.hasSuffix("/") ? folder : folder + "/"
    }
  }

  /// Reads the paths of the scripts that failed; returns an empty set if no record can be read.
  func read() -> Set<String> {
    Set(folders.flatMap { folder in Self.read(folder).map { folder + $0 } })
  }

  /// Adds the scripts that failed, and removes those that passed.
  ///
  /// If a folder cannot be written to, its record stays as it was. Without a record, `--failed`
  /// prints a note that none exists.
  ///
  /// - Parameter results: True for each script that passed, false for each that failed, by its
  ///   path.
  func note(_ results: [String: Bool]) {
    for folder in Set(folders) {
      var failed = Self.read(folder)
      let known = failed
      for (path, hasPassed) in results where path.hasPrefix(folder) {
        let name = String(path.dropFirst(folder.count))
        // A record has one path per line: a name with a line break would be read as two.
        if hasPassed || name.contains("\n") { failed.remove(name) } else { failed.insert(name) }
      }
      if failed != known { Self.write(failed, folder) }
    }
  }

  private static func read(_ folder: String) -> Set<String> {
    let path = folder + ".hidsim/failed"
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= maximumByteCount,
      let text = try? String(contentsOfFile: path, encoding: .utf8)
    else { return [] }
    return Set(text.split(separator: "\n").map(String.init))
  }

  private static func write(_ names: Set<String>, _ folder: String) {
    if mkdir(folder + ".hidsim", 0o777) == 0 {
      // With this file, git ignores the folder.
      try? write("*\n", to: folder + ".hidsim/.gitignore")
    }
    try? write(names.sorted().map { "\($0)\n" }.joined(), to: folder + ".hidsim/failed")
  }

  private static func write(_ text: String, to path: String) throws {
    var file = try OutputFile(path, replaces: true)
    try file.write(Array(text.utf8))
    try file.finish()
  }
}
