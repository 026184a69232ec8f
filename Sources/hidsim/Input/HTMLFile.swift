// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Glibc
import HIDDoctor
import HIDTimeline
import SystemPackage

/// The option of the commands that write what they show as one HTML file.
struct HTMLFile: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write a page with all events, in one HTML file.", valueName: "file"),
    completion: Completion.files)
  var html: String?

  /// True if a page is written.
  var isWanted: Bool { html != nil }

  func validate() throws { try OptionRule.check(Self.rule(html)) }

  /// Makes the rule that refuses standard output for a page.
  static func rule(_ path: String?) -> OptionRule {
    .excludes(
      "--html", path != nil, ["-, standard output": path == "-"],
      because: "standard output has other lines", remedy: "name a file")
  }

  /// Registers the file, before any file is changed.
  func claim() throws(Failure) { try CommandFiles.shared.claim([.init("--html", html)]) }

  /// Checks that the folder of the file can be written to; does nothing without the option.
  func check() throws {
    guard let html else { return }
    let folder = URL(filePath: html).deletingLastPathComponent().path
    guard access(folder.isEmpty ? "." : folder, W_OK) == 0 else {
      throw Failure.unwritable(html, Errno(rawValue: errno))
    }
  }

  /// Writes a page, if the option is given.
  func write(_ report: () throws -> HTMLReport) throws {
    guard let html else { return }
    var file = try OutputFile(html, replaces: true)
    try file.write(try report().html)
    try file.finish()
  }
}

extension HTMLReport {
  /// Makes a report with the facts about this program and machine.
  init(title: String, summary: String) {
    let words = CommandLine.arguments.dropFirst().map(\.quotedForShell)
    self.init(
      title: title, summary: summary,
      environment: [
        ("Command", (["hidsim"] + words).joined(separator: " ")),
        ("Folder", FileManager.default.currentDirectoryPath),
        ("hidsim", HIDSim.configuration.version),
      ] + HTMLReport.machine)
  }
}
