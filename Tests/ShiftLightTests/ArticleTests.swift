// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The code of the article "Test your CoreHID code without hardware" is that of these two targets, word for word.
@Test("each block of the article is compiled and run here")
func article() throws {
  let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
  let article = try String(
    contentsOf: tests.appendingPathComponent(
      "../Sources/CoreHID/CoreHID.docc/TestWithoutHardware.md"), encoding: .utf8)
  let sources = try [
    "ShiftLight/ShiftLight.swift", "ShiftLightTests/TestKeyboard.swift",
    "ShiftLightTests/ShiftLightTests.swift",
  ].map { try String(contentsOf: tests.appendingPathComponent($0), encoding: .utf8) }
  let compiled = sources.map(words)
  let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
    $0.components(separatedBy: "```")[0]
  }
  #expect(blocks.count == 5)
  for block in blocks where !block.contains("PackageDescription") {
    #expect(compiled.contains { $0.contains(words(block)) }, "\(block.prefix(80))")
  }
}

/// A text without the spaces at the beginnings of its lines.
private func words(_ text: String) -> String {
  text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(
    separator: "\n")
}
