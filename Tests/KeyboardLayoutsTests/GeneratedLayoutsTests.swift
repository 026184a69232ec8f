// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("generated layouts") struct GeneratedLayoutsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let generated = root.appending(path: "Sources/KeyboardLayouts/Generated")

  private static func run(_ arguments: String...) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = root.appending(path: "scripts/generate-layouts")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return text.trimmingCharacters(in: .newlines)
  }

  /// Whether the packages of this machine are those that the files were made from.
  private static let isComparable: Bool = {
    guard let versions = try? run("--versions"),
      let text = try? String(
        contentsOf: generated.appending(path: "ComposeTable+Rules.swift"), encoding: .utf8)
    else { return false }
    return text.contains("// From \(versions);")
  }()

  @Test(
    "scripts/generate-layouts makes the files that are checked in",
    .enabled(if: isComparable, "xkb-data, libxkbcommon0 or libx11-data is another version"))
  func upToDate() throws {
    let fresh = FileManager.default.temporaryDirectory
      .appending(path: "hidsim-layouts-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: fresh) }
    _ = try Self.run("--output", fresh.path)
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.generated.path).sorted()
    #expect(try FileManager.default.contentsOfDirectory(atPath: fresh.path).sorted() == names)
    for name in names {
      let isSame = FileManager.default.contentsEqual(
        atPath: Self.generated.appending(path: name).path,
        andPath: fresh.appending(path: name).path)
      #expect(isSame, "\(name) differs; run scripts/generate-layouts")
    }
  }
}
