// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSessions
import HIDSimulator
import HIDTimeline
import SystemPackage

/// A file for the report of scripts' tests, or standard output.
struct ReportFile {
  enum Form: Sendable { case jUnit, tap, html }

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

  /// True if the report has a timeline of each script.
  var hasTimelines: Bool { form == .html }

  /// Writes the results of one script, and closes the file.
  func write(_ result: ScriptResult) throws {
    switch form {
    case .jUnit: try write(Array(result.report.jUnit.utf8))
    case .tap: try write(Array(result.report.tap.utf8))
    case .html: try write(HTMLReport(of: [result], title: result.report.script).html)
    }
  }

  /// Writes the results of a suite, and closes the file.
  func write(_ results: [ScriptResult]) throws {
    switch form {
    case .jUnit: try write(Array(HIDScriptReport.jUnit(of: results.map(\.report)).utf8))
    case .tap: try write(Array(HIDScriptReport.tap(of: results.map(\.report)).utf8))
    case .html: try write(HTMLReport(of: results).html)
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    guard let descriptor else { return Output.shared.write(bytes) }
    do {
      try descriptor.closeAfter {
        do {
          _ = try descriptor.writeAll(bytes)
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
