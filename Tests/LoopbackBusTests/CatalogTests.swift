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

  @Test("the stream of two buses ends when one bus fails, while the other goes on")
  func oneBusFails() async throws {
    let folder = try Folder()
    let catalog = HIDDeviceCatalog([folder.bus, FailingBus()])
    await #expect(throws: HIDBusError.self) { for try await _ in catalog.arrivals() {} }
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

/// A bus whose devices cannot be found.
private struct FailingBus: HIDClientBus {
  let kind = HIDBusKind.kernel

  func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    AsyncThrowingStream { $0.finish(throwing: HIDBusError(.unavailable, "no sysfs")) }
  }

  func obstacle(toOpening device: HIDDeviceRecord) -> HIDBusError? { nil }

  func open(_ device: HIDDeviceRecord) async throws(HIDBusError) -> any HIDClientPort {
    throw HIDBusError(.gone, "no device")
  }
}
