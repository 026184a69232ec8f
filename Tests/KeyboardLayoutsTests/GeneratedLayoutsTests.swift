// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("generated layouts") struct GeneratedLayoutsTests {
  @Test(
    "scripts/generate-layouts makes the files that are checked in",
    .enabled(
      if: LayoutGenerator.isComparable, "xkb-data, libxkbcommon0 or libx11-data is another version")
  )
  func upToDate() throws {
    let fresh = FileManager.default.temporaryDirectory
      .appending(path: "hidsim-layouts-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: fresh) }
    _ = try LayoutGenerator.run("--output", fresh.path)
    let names = try FileManager.default.contentsOfDirectory(atPath: LayoutGenerator.generated.path)
      .sorted()
    #expect(try FileManager.default.contentsOfDirectory(atPath: fresh.path).sorted() == names)
    for name in names {
      let isSame = FileManager.default.contentsEqual(
        atPath: LayoutGenerator.generated.appending(path: name).path,
        andPath: fresh.appending(path: name).path)
      #expect(isSame, "\(name) differs; run scripts/generate-layouts")
    }
  }
}
