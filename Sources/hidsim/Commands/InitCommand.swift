// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import HIDDoctor
import HIDSimulator
import SystemPackage

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a device, a script and a CI job to start from.",
    discussion: """
      Writes a device file with two keys and a lamp, a script that tests it, and a job that runs the folder's scripts \
      on each push. The test passes as it is, on every bus. The files say what to change. No file is overwritten.

        hidsim init                    tests/ and .github/workflows/hidsim.yml
        hidsim init hid --ci gitlab    hid/ and .gitlab-ci.yml
        hidsim test tests              run the test
      """)

  /// The service that runs the CI job.
  enum Service: String, ExpressibleByArgument, CaseIterable {
    case github, gitlab, none

    /// The path of the job's file; nil for no job.
    var path: String? {
      switch self {
      case .github: ".github/workflows/hidsim.yml"
      case .gitlab: ".gitlab-ci.yml"
      case .none: nil
      }
    }
  }

  @Argument(
    help: ArgumentHelp("The folder for the device and its script.", valueName: "folder"),
    completion: .directory)
  var folder = "tests"
  @Option(help: ArgumentHelp("The service of the CI job.", valueName: "service"))
  var ci = Service.github

  func run() async throws {
    try await reporting {
      guard !folder.isEmpty else {
        throw Failure(.wrongArguments, "the folder has no name; name one: hidsim init tests")
      }
      var files = [
        (path: "\(folder)/device.json", template: "device.json", text: "a device file"),
        (path: "\(folder)/device.hidscript", template: "device.hidscript", text: "its test"),
      ]
      if let path = ci.path {
        files.append((path, "\(ci.rawValue).yml", "runs the test on each push"))
      }
      let contents = try files.map { (path: $0.path, bytes: try template($0.template)) }
      // A symbolic link to nothing counts, too: a new file cannot have its name.
      let existing = files.map(\.path).filter {
        var status = stat()
        return lstat($0, &status) == 0
      }
      guard existing.isEmpty else {
        throw Failure(
          .outputFailed,
          "\(existing.joined(separator: " and ")) exist\(existing.count == 1 ? "s" : "") already; "
            + "nothing was written; name another folder\(ci == .none ? "" : ", or give --ci none")")
      }
      for file in contents { try write(file.bytes, to: file.path) }
      for file in files { Output.shared.print("\(file.path)  \(file.text)") }
      Output.shared.note("next: hidsim test \(folder.quotedForShell)")
    }
  }

  /// Reads a file of the library, and inserts the name of the folder.
  private func template(_ name: String) throws -> [UInt8] {
    guard let file = try InputFiles.libraryFile("start/\(name)", .script) else {
      throw InputFiles.notShipped("start/\(name)")
    }
    let text = String(decoding: file.bytes, as: UTF8.self)
    return Array(
      text.replacing("hidsim test FOLDER", with: "hidsim test \(folder.quotedForShell)").utf8)
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let parent = URL(filePath: path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    } catch {
      // `errno` may be that of a later call.
      let cause = (error as? CocoaError)?.underlying as? POSIXError
      let reason = cause.map { "\(Errno(rawValue: $0.code.rawValue))" } ?? "\(error)"
      throw Failure(.outputFailed, "\(path): its folder cannot be made: \(reason)")
    }
    var file = try OutputFile(path, replaces: false)
    try file.write(bytes)
    try file.finish()
  }
}
