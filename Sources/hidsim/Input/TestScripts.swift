// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import HIDSimulator

/// The scripts of a suite.
enum TestScripts {
  /// How many there are at most.
  private static let limit = 100_000

  /// The paths of all scripts in some folders and of some scripts, each once, in an order that depends on the paths alone.
  ///
  /// Of a folder those in its subfolders as well, but for names that begin with `.` or `_`: those are for what others
  /// include. Links to folders are not followed.
  ///
  /// - Throws: That one of the paths is not there; that none of the folders has a script.
  static func find(_ paths: [String]) throws -> [String] {
    var found: Set<String> = []
    for path in paths {
      var isFolder = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw Failure(.noInput, "\(path): there is no such file or folder")
      }
      if isFolder {
        try add(folder: path, to: &found)
      } else {
        found.insert(normal(path))
      }
    }
    guard !found.isEmpty else {
      throw Failure(
        .noInput, "\(paths.joined(separator: ", ")): there is no script (NAME.hidscript) in it")
    }
    return found.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  private static func add(folder: String, to found: inout Set<String>) throws {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw Failure(.noInput, "\(folder): cannot be read: \(error)")
    }
    for name in names where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      if attributes?[.type] as? FileAttributeType == .typeDirectory {
        try add(folder: path, to: &found)
      } else if name.hasSuffix(".hidscript") {
        found.insert(normal(path))
      }
      guard found.count <= limit else {
        throw Failure(.noInput, "\(folder): more than \(limit) scripts")
      }
    }
  }

  /// A path without empty parts and dots.
  private static func normal(_ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    return path.hasPrefix("/") ? "/\(parts)" : parts
  }

  /// The devices that a script is played on: those that it needs, else those of the file that has its name.
  static func devices(of script: HIDScript) throws -> [HIDDeviceDefinition] {
    let needed = try InputFiles.devices(neededBy: script)
    if !needed.isEmpty { return needed }
    let file = URL(filePath: script.name).lastPathComponent
    let name = "\(file.hasSuffix(".hidscript") ? String(file.dropLast(10)) : file).json"
    do {
      return try InputFiles.devices(in: InputFiles.file(name, besides: script.name))
    } catch let failure as Failure where failure.status == .noInput {
      throw Failure(
        .noInput,
        "\(script.name): it names no device, and there is no \(name) beside it or in the library: "
          + "begin it with a line such as needs keyboard.json")
    }
  }
}

/// A part of a suite: `2/5`.
struct TestShard: Sendable {
  /// Which part, from 1 on.
  let number: Int
  /// How many there are.
  let count: Int

  /// Reads the argument of `--shard`.
  init(argument: String) throws {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]), number >= 1,
      number <= count
    else {
      throw ValidationError("expected which part, and of how many: 1/3, 2/3 or 3/3")
    }
    self.number = number
    self.count = count
  }

  /// Those of some scripts that are this part's: every so many-th.
  func part<Script>(of scripts: [Script]) -> [Script] {
    stride(from: number - 1, to: scripts.count, by: count).map { scripts[$0] }
  }
}
