// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDWire
import IOLoop
import LoopbackBus

/// A plugged device that is ready, and what it heard.
struct Rig: Sendable {
  let bus: any HIDPeripheralBus & HIDHostBus
  let handler: RecordingHandler
  let port: any HIDPeripheralPort
  let record: HIDDeviceRecord

  /// Opens the device once more.
  func client() async throws -> any HIDHostPort { try await bus.open(record) }

  /// Sends one report; none of the tests that use it fills a client's queue.
  func send(_ report: [UInt8]) async throws {
    var batch = HIDReportBatch()
    batch.append(report)
    try await port.send(batch)
  }
}

/// What to plug, with a path that nothing else has.
func description(
  _ descriptor: [UInt8], name: String = "hidsim test device", vendorID: UInt32 = 0x1209,
  productID: UInt32 = 0x0001, version: UInt32 = 0x0102, transport: HIDTransport = .usb,
  serialNumber: String = ""
) throws -> HIDPeripheralDescription {
  try description(
    HIDReportDescriptor(parsing: descriptor), name: name, vendorID: vendorID, productID: productID,
    version: version, transport: transport, serialNumber: serialNumber)
}

/// What to plug, with a path that nothing else has.
func description(
  _ descriptor: HIDReportDescriptor, name: String = "hidsim test device",
  vendorID: UInt32 = 0x1209, productID: UInt32 = 0x0001, version: UInt32 = 0x0102,
  transport: HIDTransport = .usb, serialNumber: String = ""
) throws -> HIDPeripheralDescription {
  HIDPeripheralDescription(
    identity: HIDDeviceIdentity(
      name: name, vendorID: vendorID, productID: productID, versionNumber: version,
      transport: transport, serialNumber: serialNumber),
    physicalPath: HIDPhysicalPath(
      deviceID: HIDDeviceID(rawValue: 1 << 63 | UInt64.random(in: 1..<1 << 50) << 8), interface: 0),
    descriptor: descriptor)
}

/// Plugs a device, waits until it is ready, and unplugs it whatever happens in between.
func withDevice(
  _ bus: BusUnderTest, _ what: HIDPeripheralDescription,
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

/// Plugs a device of a descriptor.
func withDevice(
  _ bus: BusUnderTest, _ descriptor: [UInt8], fidelity: LoopbackBus.Fidelity = .lossless,
  handler: RecordingHandler = RecordingHandler(), _ body: (Rig) async throws -> Void
) async throws {
  try await withDevice(
    bus, try description(descriptor), fidelity: fidelity, handler: handler, body)
}

/// The kind of the error that `body` throws, `other` for any but the wire's; `nil` if it throws none.
func failure(of body: () async throws -> Void) async -> HIDWireError.Kind? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? HIDWireError)?.kind ?? .other
  }
}

/// Reads reports until there are `count` of them, the stream ends, or nothing more can be expected.
///
/// - Parameter bound: A failure's limit, never a way to pass time.
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
