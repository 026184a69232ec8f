// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The script `scripts/generate-layouts`, and the files that it has made.
package enum LayoutGenerator {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The folder of the generated files that are checked in.
  package static let generated = root.appending(path: "Sources/KeyboardLayouts/Generated")

  /// Runs the generator, and returns what it prints.
  ///
  /// - Throws: An error if it fails.
  package static func run(_ arguments: String...) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = root.appending(path: "scripts/generate-layouts")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return text.trimmingCharacters(in: .newlines)
  }

  /// True if this machine has the package versions from which the files were made.
  package static let isComparable: Bool = {
    guard let versions = try? run("--versions"),
      let text = try? String(
        contentsOf: generated.appending(path: "ComposeTable+Rules.swift"), encoding: .utf8)
    else { return false }
    return text.contains("// From \(versions);")
  }()
}
