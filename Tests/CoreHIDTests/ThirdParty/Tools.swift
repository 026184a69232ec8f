// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Glibc

/// The third-party programs of this machine.
enum Tools {
  static let fixtures = tests.appending(path: "Fixtures").path
  private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent()
  /// The folder in which scripts/test installs Python packages.
  private static let python = tests.deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: ".build-tools/python/bin").path

  private static let folders =
    [python]
    + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)

  /// Returns the path of a program; `nil` if the program is not installed.
  private static func find(_ program: String) -> String? {
    folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
  }

  static let compiler = find("cc")
  static let evtest = find("evtest")
  static let recorder = find("hid-recorder")
  static let hasHIDAPI = access("/usr/include/hidapi/hidapi.h", R_OK) == 0

  /// The path of a Python with hid-tools; `nil` if there is none.
  ///
  /// `pythonWithHIDAPI` is the path of a Python with hidapi: the system's Python if hidapi is a
  /// package of the system.
  static var pythonWithHIDTools: String? { get async { await tools.value } }
  static var pythonWithHIDAPI: String? { get async { await hidapi.value } }
  private static let tools = Task { await python(with: "hidtools.uhid") }
  private static let hidapi = Task { await python(with: "hidraw") }

  private static func python(with module: String) async -> String? {
    for python in ["\(python)/python3", "/usr/bin/python3", find("python3")].compactMap(\.self)
    where access(python, X_OK) == 0 {
      if (try? await Program.finish([python, "-c", "import \(module)"]))?.status == 0 {
        return python
      }
    }
    return nil
  }

  /// Compiles a program of the fixtures, and deletes it after a body has run.
  static func withCompiled<Value>(
    _ source: String, _ options: String..., body: (String) async throws -> Value
  ) async throws -> Value {
    guard let compiler else { throw ProgramError("cc is missing") }
    let program = FileManager.default.temporaryDirectory
      .appending(path: "hidsim-\(source)-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: program) }
    let compiled = try await Program.finish(
      [compiler, "-Wall", "-Wextra", "-o", program.path, "\(fixtures)/\(source)"] + options)
    guard compiled.status == 0 else { throw ProgramError(compiled.output) }
    return try await body(program.path)
  }
}
