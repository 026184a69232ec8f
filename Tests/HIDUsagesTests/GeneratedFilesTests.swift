// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("generated files")
struct GeneratedFilesTests {
  @Test("scripts/generate-usages makes the files that are checked in")
  func upToDate() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let sources = root.appendingPathComponent("Sources")
    let fresh = FileManager.default.temporaryDirectory
      .appendingPathComponent("hidsim-usages-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: fresh) }

    let process = Process()
    process.executableURL = root.appendingPathComponent("scripts/generate-usages")
    process.arguments = ["--output", fresh.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)

    for folder in ["HIDUsages/Generated"] {
      let generated = sources.appendingPathComponent(folder)
      let made = fresh.appendingPathComponent(folder)
      let names = try FileManager.default.contentsOfDirectory(atPath: generated.path).sorted()
      #expect(try FileManager.default.contentsOfDirectory(atPath: made.path).sorted() == names)
      for name in names {
        let isSame = FileManager.default.contentsEqual(
          atPath: generated.appendingPathComponent(name).path,
          andPath: made.appendingPathComponent(name).path)
        #expect(isSame, "\(name) differs; run scripts/generate-usages")
      }
    }
  }
}
