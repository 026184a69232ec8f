// SPDX-License-Identifier: Apache-2.0

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

  /// Opens the file and empties it, so that a report of an earlier run is not taken for one of this
  /// run.
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
      throw Failure.unwritable(path, error)
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
          // A part of a report could be taken for a whole one: TAP has no mark at its end.
          _ = ftruncate(descriptor.rawValue, 0)
          throw error
        }
      }
    } catch {
      throw Failure.unwritable(path, error)
    }
  }
}
