// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Testing

@testable import GameController

extension OnBothBuses {
  @Test("the bus of a test that has ended is no longer searched")
  func ends() async throws {
    func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
    let searched = Registry.count
    var before = 0
    for round in 0..<40 {
      try await HIDBus.isolated {
        #expect(GCKeyboard.coalesced == nil)
        let registry = Registry.current
        #expect(registry === Registry.current)
      }
      try await eventually { Registry.count == searched }
      if round == 0 { before = try descriptors() }
    }
    // Each bus has several descriptors, which are closed soon afterwards. Other tests open
    // descriptors too.
    try await eventually { try descriptors() < before + 30 }
  }
}
