// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Test("each block of the article about testing without hardware is compiled and run here")
func article() throws {
  let (count, missing) = try Article.blocks(
    of: "CoreHID/CoreHID.docc/TestWithoutHardware.md",
    missingIn: [
      "../Examples/ShiftLight/Sources/ShiftLight/ShiftLight.swift",
      "ShiftLightTests/TestKeyboard.swift",
      "ShiftLightTests/ShiftLightTests.swift",
    ])
  #expect(count == 5)
  #expect(missing == [])
}
