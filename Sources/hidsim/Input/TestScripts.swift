// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import HIDSessions
import HIDSimulator
import IOLoop
import SystemPackage

/// The scripts of a suite.
enum TestScripts {
  /// The maximum number of scripts.
  private static let limit = 100_000

  /// Finds all scripts of some folders, and adds the scripts that are named directly.
  ///
  /// Subfolders are searched as well. Names in the folders that begin with `.` or `_` are left out:
  /// such files are for other scripts to include. Links to subfolders are not followed.
  ///
  /// - Returns: The paths, each once, sorted by their bytes.
  /// - Throws: A failure if a path does not exist, if a folder cannot be read, if a file name is
  ///   not UTF-8, if there is no script at all, or if a folder brings the number above 100,000.
  static func find(_ paths: [String]) throws -> [String] {
    // Compare the bytes of paths: different files can have names that Unicode treats as equal.
    var found: Set<[UInt8]> = []
    for path in paths {
      var isFolder = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw Failure(.noInput, "\(path): there is no such file or folder")
      }
      if isFolder {
        try add(folder: path, to: &found)
      } else {
        found.insert(Array(normal(path).utf8))
      }
    }
    guard !found.isEmpty else {
      throw Failure(
        .noInput, "\(paths.joined(separator: ", ")): there is no script here (NAME.hidscript)")
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func add(folder: String, to found: inout Set<[UInt8]>) throws {
    for name in try names(in: folder) where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else {
        let error = Errno(rawValue: errno)
        // The file was removed after the folder was read.
        if error == .noSuchFileOrDirectory { continue }
        throw Failure(
          .init(error, otherwise: .noInput), "\(path): cannot be read: \(error)")
      }
      if status.st_mode & S_IFMT == S_IFDIR {
        try add(folder: path, to: &found)
      } else if name.hasSuffix(".hidscript") {
        found.insert(Array(normal(path).utf8))
      }
      guard found.count <= limit else {
        throw Failure(
          .noInput, "\(folder): more than \(limit) scripts, the limit: name fewer folders")
      }
    }
  }

  /// Returns the names of the entries of a folder.
  private static func names(in folder: String) throws -> [String] {
    let names: [[UInt8]]
    do throws(Errno) {
      names = try SysFS.nameBytes(in: folder)
    } catch {
      throw Failure(.init(error, otherwise: .noInput), "\(folder): cannot be read: \(error)")
    }
    return try names.map { bytes in
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw Failure(
          .noInput,
          "\(folder): the file name \"\(String(decoding: bytes, as: UTF8.self))\" is not UTF-8: rename the file"
        )
      }
      return name
    }
  }

  /// Returns a path without empty components and `.` components.
  static func normal(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return path.hasPrefix("/") ? "/\(parts)" : parts
  }

  /// Registers the scripts with ``CommandFiles``, before a report replaces a file.
  ///
  /// If a report replaces a file that is not empty, the call also registers the files that the
  /// scripts include and need.
  ///
  /// - Parameter reports: The paths of the reports.
  static func noteInputs(
    of scripts: [String], variables: [String: String], for reports: [String?]
  ) throws {
    for path in scripts { try CommandFiles.shared.read(path: path) }
    // The files that a script includes and needs are named only in the script. The scripts are
    // parsed here only if a report could replace a file. Errors are left to the tests, which report
    // them.
    guard reports.compactMap(\.self).contains(where: isFilled) else { return }
    for path in scripts {
      guard let script = try? InputFiles.script(path, variables: variables) else { continue }
      for file in deviceFiles(of: script) where HIDInputFormat.detect(file.bytes) == .deviceFile {
        _ = try? InputFiles.devices(in: file)
      }
    }
  }

  private static func isFilled(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
  }

  private static func deviceFiles(of script: HIDScript) -> [InputFiles.File] {
    let needed = script.deviceFiles.map { ($0.name, $0.file) }
    return (needed.isEmpty ? [(deviceName(of: script), script.name)] : needed).compactMap {
      try? InputFiles.file($0, besides: $1)
    }
  }

  /// Returns the devices that a script is played on: those that it needs, or else those of the
  /// device file with its name.
  static func devices(of script: HIDScript) throws -> [HIDDeviceDefinition] {
    let needed = try InputFiles.devices(neededBy: script)
    if !needed.isEmpty { return needed }
    let name = deviceName(of: script)
    do {
      return try InputFiles.devices(in: InputFiles.file(name, besides: script.name))
    } catch let failure as Failure where failure.status == .noInput {
      throw Failure(
        .noInput,
        "\(script.name): the script names no device, and there is no \(name) beside it or in the "
          + "library: begin the script with a line such as \"needs keyboard.json\"")
    }
  }
}

extension TestScripts {
  /// Returns the name of the device file that belongs to a script: `a.json` for `a.hidscript`.
  private static func deviceName(of script: HIDScript) -> String {
    let file = URL(filePath: script.name).lastPathComponent
    return "\(file.hasSuffix(".hidscript") ? String(file.dropLast(10)) : file).json"
  }
}

/// A part of a suite: `2/5`.
struct TestShard: Sendable {
  /// The number of the part, from 1.
  let number: Int
  /// The number of parts.
  let count: Int

  /// Reads the argument of `--shard`.
  init(argument: String) throws {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), number >= 1,
      number <= count
    else {
      throw ValidationError("expected a part and the number of parts: 1/3, 2/3 or 3/3")
    }
    self.number = number
    self.count = count
  }

  /// Returns the scripts of this part: every `count`-th script.
  func part<Script>(of scripts: [Script]) -> [Script] {
    stride(from: number - 1, to: scripts.count, by: count).map { scripts[$0] }
  }
}
