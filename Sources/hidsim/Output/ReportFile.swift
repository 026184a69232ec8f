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
          // Half a report could be taken for a whole one: TAP has no end of its own.
          _ = ftruncate(descriptor.rawValue, 0)
          throw error
        }
      }
    } catch {
      throw Failure.unwritable(path, error)
    }
  }
}
