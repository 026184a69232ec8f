// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import HIDSimulator
import SystemPackage

/// A file for the report of scripts' tests, or standard output.
struct ReportFile {
  enum Form: Sendable { case jUnit, tap }

  private let path: String
  private let form: Form
  /// The file; nil for standard output.
  private let descriptor: FileDescriptor?

  /// Opens the files of `--junit` and `--tap`, which ``CommandFiles`` has found to be no other's.
  static func files(jUnit: String?, tap: String?) throws -> [ReportFile] {
    try [(jUnit, Form.jUnit), (tap, .tap)].compactMap { path, form in
      try path.map { try ReportFile($0, form) }
    }
  }

  /// Refuses two reports on standard output.
  static func rule(jUnit: String?, tap: String?) -> OptionRule {
    .excludes(
      "--junit -", jUnit == "-", ["--tap -": tap == "-"],
      because: "both want standard output", remedy: "write one of them to a file")
  }

  /// Makes the file empty, so that no report of an earlier run is taken for that of this one.
  init(_ path: String, _ form: Form) throws {
    self.path = path
    self.form = form
    guard path != "-" else {
      descriptor = nil
      return
    }
    do {
      descriptor = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw Failure(.outputFailed, "\(path): cannot be written to: \(error)")
    }
  }

  /// Writes the report of one script, and closes the file.
  func write(_ report: HIDScriptReport) throws {
    try write(form == .jUnit ? report.jUnit : report.tap)
  }

  /// Writes the reports of a suite, and closes the file.
  func write(_ reports: [HIDScriptReport]) throws {
    try write(
      form == .jUnit ? HIDScriptReport.jUnit(of: reports) : HIDScriptReport.tap(of: reports))
  }

  private func write(_ text: String) throws {
    guard let descriptor else { return Output.shared.write(Array(text.utf8)) }
    do {
      try descriptor.closeAfter {
        do {
          _ = try descriptor.writeAll(text.utf8)
        } catch {
          // Half a report could be taken for a whole one: TAP has no end of its own.
          _ = ftruncate(descriptor.rawValue, 0)
          throw error
        }
      }
    } catch {
      throw Failure(.outputFailed, "\(path): cannot be written to: \(error)")
    }
  }
}
