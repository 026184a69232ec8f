// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Test("each block of the article \"Devices in Swift\" is compiled and run here")
func article() throws {
  let (count, missing) = try Article.blocks(
    of: "HIDSimulator/HIDSimulator.docc/DevicesInSwift.md",
    missingIn: ["LockTests/Lock.swift", "LockTests/LockTests.swift"])
  #expect(count == 2)
  #expect(missing == [])
}
