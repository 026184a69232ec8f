// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
@testable import HIDBus
import IOLoop

/// A plugged device that is ready, with its bus and its recorded events.
struct Rig: Sendable {
  let bus: any HIDDeviceBus & HIDClientBus
  let handler: RecordingHandler
  let port: any HIDDevicePort
  let record: HIDDeviceRecord

  /// Opens the device as one more client.
  func client() async throws -> any HIDClientPort { try await bus.open(record) }

  /// Sends one report.
  ///
  /// It waits while the device waits for a client without room.
  func send(_ report: [UInt8]) async throws {
    var batch = HIDReportBatch()
    batch.append(report)
    try await port.send(batch)
  }

  /// Sends reports, and waits until the host has received them.
  func deliver(_ batch: HIDReportBatch) async throws {
    try await port.send(batch)
    guard let port = port as? USBPort else { return }
    while await port.device.pendingCount(interface: port.index) > 0 { await Task.yield() }
  }
}

/// Describes a device to plug, with a physical path that no other device has.
func description(
  _ descriptor: [UInt8], name: String = "hidsim test device", vendorID: UInt32 = 0x1209,
  productID: UInt32 = 0x0001, version: UInt32 = 0x0102, transport: HIDTransport = .usb,
  serialNumber: String = ""
) throws -> HIDDeviceDescription {
  try description(
    HIDReportDescriptor(parsing: descriptor), name: name, vendorID: vendorID, productID: productID,
    version: version, transport: transport, serialNumber: serialNumber)
}

/// Describes a device to plug, with a physical path that no other device has.
func description(
  _ descriptor: HIDReportDescriptor, name: String = "hidsim test device",
  vendorID: UInt32 = 0x1209, productID: UInt32 = 0x0001, version: UInt32 = 0x0102,
  transport: HIDTransport = .usb, serialNumber: String = ""
) throws -> HIDDeviceDescription {
  HIDDeviceDescription(
    identity: HIDDeviceIdentity(
      name: name, vendorID: vendorID, productID: productID, versionNumber: version,
      transport: transport, serialNumber: serialNumber),
    physicalPath: HIDPhysicalPath(
      deviceID: HIDDeviceID(rawValue: 1 << 63 | UInt64.random(in: 1..<1 << 50) << 8), interface: 0),
    descriptor: descriptor)
}

/// Plugs a device, waits until it is ready, and unplugs it even if `body` throws.
func withDevice(
  _ bus: BusUnderTest, _ what: HIDDeviceDescription,
  fidelity: LoopbackBus.Fidelity = .lossless, handler: RecordingHandler = RecordingHandler(),
  _ body: (Rig) async throws -> Void
) async throws {
  let bus = try bus.make(fidelity)
  let port = try await bus.plug(what, handler: handler)
  let result: Result<Void, any Error>
  do {
    let record = try await port.ready(within: .seconds(10))
    try await body(Rig(bus: bus, handler: handler, port: port, record: record))
    result = .success(())
  } catch {
    result = .failure(error)
  }
  await port.destroy()
  try result.get()
}

/// Plugs a device with a report descriptor, and unplugs it after `body`.
func withDevice(
  _ bus: BusUnderTest, _ descriptor: [UInt8], fidelity: LoopbackBus.Fidelity = .lossless,
  handler: RecordingHandler = RecordingHandler(), _ body: (Rig) async throws -> Void
) async throws {
  try await withDevice(
    bus, try description(descriptor), fidelity: fidelity, handler: handler, body)
}

/// Returns the kind of the error that `body` throws.
///
/// It is `other` for an error that is not a `HIDBusError`, and nil if `body` throws none.
func failure(of body: () async throws -> Void) async -> HIDBusError.Kind? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? HIDBusError)?.kind ?? .other
  }
}

/// Reads reports until there are `count` of them, the stream ends, or the limit is reached.
///
/// - Parameter bound: The limit of a failure, not a way to pass time.
func take(
  _ count: Int, from stream: HIDReportStream, within bound: Duration = .seconds(10)
) async -> [[UInt8]] {
  let reader = Task {
    var reports: [[UInt8]] = []
    guard count > 0 else { return reports }
    for await report in stream {
      reports.append(Array(report.bytes))
      if reports.count == count { break }
    }
    return reports
  }
  let limit = RecordingHandler.clock.schedule(at: .now.advanced(by: bound)) { reader.cancel() }
  defer { RecordingHandler.clock.cancel(limit) }
  return await reader.value
}
