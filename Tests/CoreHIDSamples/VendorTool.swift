// SPDX-License-Identifier: Apache-2.0

// The shape of tools for one vendor's device: they find it, seize it, and exchange reports without
// IDs with it.

import CoreHID

package enum ToolError: Error {
  case unavailable(HIDDeviceClient)
  case noAnswer
}

/// Collects matching devices until `isDone` returns true for their number.
///
/// The task then cancels itself, which ends the stream.
package func enumerate(
  _ criteria: [HIDDeviceManager.DeviceMatchingCriteria],
  until isDone: @escaping @Sendable (Int) -> Bool
) async throws -> [HIDDeviceClient.DeviceReference: Int] {
  let manager = HIDDeviceManager()
  let task = Task {
    var found: [HIDDeviceClient.DeviceReference: Int] = [:]
    for try await notification in await manager.monitorNotifications(matchingCriteria: criteria) {
      switch notification {
      case .deviceMatched(let reference): found[reference] = found.count
      case .deviceRemoved(let reference): found[reference] = nil
      @unknown default: break
      }
      if isDone(found.count) { withUnsafeCurrentTask { $0?.cancel() } }
    }
    return found
  }
  return try await task.value
}

/// Sends a command, and waits for the report that answers it.
package func ask(_ client: HIDDeviceClient, _ command: Data) async throws -> Data {
  let sent = SuspendingClock.now
  let notifications = await client.monitorNotifications(
    reportIDsToMonitor: [], elementsToMonitor: [])
  try await client.dispatchSetReportRequest(type: .output, data: command)
  for try await notification in notifications {
    switch notification {
    case .inputReport(id: nil, let data, let timestamp) where timestamp >= sent: return data
    case .inputReport: continue
    case .deviceSeized, .deviceUnseized: throw ToolError.unavailable(client)
    case .deviceRemoved: throw HIDDeviceError.notReady
    case .elementUpdates: continue
    @unknown default: continue
    }
  }
  throw ToolError.noAnswer
}

/// Seizes the device, sends a command, and returns the answer; the device is released with the
/// client.
package func exclusively(
  _ reference: HIDDeviceClient.DeviceReference, _ command: Data
) async throws -> Data {
  guard let client = HIDDeviceClient(deviceReference: reference) else { throw ToolError.noAnswer }
  do {
    try await client.seizeDevice()
  } catch {
    switch error as? HIDDeviceError {
    case .exclusiveAccess?, .busy?: throw ToolError.unavailable(client)
    default: throw error
    }
  }
  async let vendor = client.vendorID
  async let product = client.productID
  let ids = await (vendor, product)
  print("\(client.deviceReference.deviceID): \(ids)")
  return try await ask(client, command)
}

/// Returns whether a usage is usage 1 of the vendor-defined page 0xff00.
package func isVendors(_ usage: HIDUsage) -> Bool {
  usage == HIDUsage(page: 0xff00, usage: 1) && usage.page == 0xff00 && usage.usage == 1
}

/// Describes an error; the switch has every case by name.
package func describe(_ error: HIDDeviceError) -> String {
  switch error {
  case .aborted, .notReady, .noPower: "unavailable"
  case .badArgument, .messageTooLarge, .unsupported: "refused"
  case .busy, .exclusiveAccess: "held"
  case .deviceError, .ioError: "failed"
  case .noResources: "no resources"
  case .notPermitted, .notPrivileged: "no permission"
  case .notResponding, .timeout: "silent"
  case .unknown(let code): "code \(code)"
  @unknown default: "unknown"
  }
}

/// Describes a transport; the switch has every case by name.
package func describe(_ transport: HIDDeviceTransport?) -> String {
  switch transport {
  case .aid, .airPlay, .iap, .inductiveInBand, .bluetoothAACP: "Apple"
  case .bluetooth, .bluetoothLowEnergy: "wireless"
  case .fifo, .i2c, .serial, .spi, .spu: "board"
  case .usb: "USB"
  case .virtual: "virtual"
  case .unknown(let name): name
  case nil: "none"
  @unknown default: "unknown"
  }
}
