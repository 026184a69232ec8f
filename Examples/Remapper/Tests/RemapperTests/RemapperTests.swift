// SPDX-License-Identifier: Apache-2.0

import CoreHID
import HIDTesting
import Remapper
import Testing

/// Runs a remapper of a keyboard, and a body that uses the virtual keyboard.
///
/// Both end when the body ends, or at the first error of either.
private func withRemapper(
  of keyboard: HIDTestDevice, _ body: @escaping @Sendable (HIDDeviceClient) async throws -> Void
) async throws {
  let client = try await keyboard.client
  let product = try #require(await client.product)
  let remapper = Remapper(client)
  try await withThrowingTaskGroup { group in
    group.addTask {
      try await remapper.run()
      // The remapper must run until it is cancelled.
      throw RemapperHasEnded()
    }
    group.addTask { try await body(try await remappedKeyboard(of: product)) }
    try await group.next()
    group.cancelAll()
  }
}

private struct RemapperHasEnded: Error {}

/// Waits for the virtual keyboard of a remapper and returns a client of it.
///
/// - Parameter product: The name of the real keyboard.
private func remappedKeyboard(of product: String) async throws -> HIDDeviceClient {
  for try await notification in await HIDDeviceManager().monitorNotifications(
    matchingCriteria: [
      .init(vendorID: 0x1209, productID: 0x0002, product: product + Remapper.suffix)
    ])
  {
    guard case .deviceMatched(let reference) = notification,
      let client = HIDDeviceClient(deviceReference: reference)
    else { continue }
    return client
  }
  throw CancellationError()
}

// The tests run one after the other: on the kernel bus each test would also find the virtual
// keyboard of the other test.
@Suite(
  "A remapper, from the key that is pressed to the report that a program gets", .serialized,
  .timeLimit(.minutes(1)))
struct RemapperTests {
  @Test(
    "Caps Lock is Control, and the other keys are what they were", .virtualDevice("keyboard.json"))
  func keys() async throws {
    let keyboard = try HIDTestDevice.current
    try await withRemapper(of: keyboard) { remapped in
      let reports = await remapped.monitorNotifications(
        reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
      try await keyboard.waitForReader()
      try await keyboard.tap("capsLock+c")
      var received: [[UInt8]] = []
      for try await notification in reports {
        guard case .inputReport(_, let report, _) = notification else { continue }
        received.append([UInt8](report))
        if received.count == 4 { break }
      }
      #expect(
        received == [
          [0x01, 0, 0, 0, 0, 0, 0, 0], [0x01, 0, 0, 0x06, 0, 0, 0, 0], [0x01, 0, 0, 0, 0, 0, 0, 0],
          [0x00, 0, 0, 0, 0, 0, 0, 0],
        ])
    }
  }

  @Test("a lamp of the new keyboard is one of the old", .virtualDevice("keyboard.json"))
  func lamps() async throws {
    let keyboard = try HIDTestDevice.current
    try await withRemapper(of: keyboard) { remapped in
      try await remapped.dispatchSetReportRequest(type: .output, id: nil, data: Data([0x01]))
      try await keyboard.expect(.led(.numLock), is: .on, within: .seconds(5))
    }
  }
}
