// SPDX-License-Identifier: Apache-2.0

import HIDBus
import Testing

@Suite("The device catalog", .timeLimit(.minutes(1)))
struct CatalogTests {
  @Test("a search for devices in a cancelled task throws, and returns no incomplete list")
  func cancelled() async throws {
    let folder = try Folder()
    let port = try await folder.bus.plug(plain(), handler: Echo())
    let catalog = HIDDeviceCatalog([folder.bus])
    #expect(try await catalog.devices().count == 1)
    let search = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await catalog.devices()
    }
    search.cancel()
    await #expect(throws: CancellationError.self) { _ = try await search.value }
    await port.destroy()
  }

  @Test("a catalog without buses has no devices, reports that it is settled, and ends")
  func empty() async throws {
    let catalog = HIDDeviceCatalog([])
    #expect(try await catalog.devices().isEmpty)
    var hasSettled = false
    for try await arrival in catalog.arrivals() {
      guard case .settled = arrival, !hasSettled else {
        Issue.record("another arrival: \(arrival)")
        continue
      }
      hasSettled = true
    }
    #expect(hasSettled)
  }
}
