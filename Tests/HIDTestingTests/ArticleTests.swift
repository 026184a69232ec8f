// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Test("the article \"Your first test\" shows the code of the ShiftLight example")
func article() throws {
  let (count, missing) = try Article.blocks(
    of: "HIDTesting/HIDTesting.docc/FirstTest.md",
    missingIn: [
      "../Examples/ShiftLight/Sources/ShiftLight/ShiftLight.swift",
      "../Examples/ShiftLight/Tests/ShiftLightTests/ShiftLightTests.swift",
    ])
  #expect(count == 3)
  #expect(missing == [])
}
