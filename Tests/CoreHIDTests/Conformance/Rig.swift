// SPDX-License-Identifier: Apache-2.0

import CoreHID

typealias Notifications = AsyncThrowingStream<HIDDeviceClient.Notification, any Error>

/// A virtual device that is ready, and its delegate.
struct Rig: Sendable {
  let device: HIDVirtualDevice
  let delegate: Answerer

  init(_ properties: HIDVirtualDevice.Properties, _ delegate: Answerer) async throws {
    guard let device = HIDVirtualDevice(properties: properties) else {
      throw HIDDeviceError.notReady
    }
    self.device = device
    self.delegate = delegate
    await device.activate(delegate: delegate)
    try await device.hidsim.waitUntilReady()
  }

  /// Makes one more client of the device.
  func client() throws -> HIDDeviceClient { try hidsimClient(of: device.deviceReference) }

  /// Sends an input report.
  func send(_ report: [UInt8]) async throws {
    try await device.dispatchInputReport(data: Data(report), timestamp: .now)
  }
}

/// Makes a client of a device that exists.
func hidsimClient(of reference: HIDDeviceClient.DeviceReference) throws -> HIDDeviceClient {
  guard let client = HIDDeviceClient(deviceReference: reference) else {
    throw HIDDeviceError.notReady
  }
  return client
}

/// Returns the properties of a test's device.
func properties(
  _ descriptor: Data, transport: HIDDeviceTransport = .usb, serialNumber: String? = nil
) -> HIDVirtualDevice.Properties {
  HIDVirtualDevice.Properties(
    descriptor: descriptor, vendorID: 0x1209, productID: 0x0001, transport: transport,
    product: "hidsim test device", versionNumber: 0x0102, serialNumber: serialNumber)
}

/// Plugs a device, and runs a body when it is ready; afterwards the delegate refuses all open
/// requests.
func withDevice(
  _ bus: TestBus, _ descriptor: Data, transport: HIDDeviceTransport = .usb,
  delegate: Answerer = Answerer(), _ body: (Rig) async throws -> Void
) async throws {
  try await bus.run {
    defer { delegate.refuseTheRest() }
    try await body(Rig(properties(descriptor, transport: transport), delegate))
  }
}

/// Starts a stream of all input reports of a device.
func monitor(_ client: HIDDeviceClient) async -> Notifications {
  await client.monitorNotifications(
    reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
}

/// The error for another notification where an input report was expected.
struct NoReport: Error { let instead: HIDDeviceClient.Notification }

/// Reads input reports until there are `count` of them, or the stream ends.
///
/// - Throws: `NoReport` for any other notification.
func take(_ count: Int, from stream: Notifications) async throws -> [[UInt8]] {
  var reports: [[UInt8]] = []
  for try await notification in stream {
    guard case .inputReport(_, let data, _) = notification else {
      throw NoReport(instead: notification)
    }
    reports.append([UInt8](data))
    if reports.count == count { break }
  }
  return reports
}

/// Reads a stream to its end, and returns its notifications as text.
func rest(of stream: Notifications) async throws -> [String] {
  var seen: [String] = []
  for try await notification in stream {
    switch notification {
    case .inputReport(_, let data, _): seen.append("report \(data[0])")
    case .deviceRemoved: seen.append("removed")
    default: seen.append("\(notification)")
    }
  }
  return seen
}

/// Reads input reports from a report stream until there are `count` of them, or the stream ends.
func take(_ count: Int, from stream: HIDReportStream) async -> [[UInt8]] {
  var reports: [[UInt8]] = []
  for await report in stream {
    reports.append(Array(report.bytes))
    if reports.count == count { break }
  }
  return reports
}

/// Returns the error that a body throws; `nil` if it throws none.
///
/// It is `unknown(0)` for an error that is not a `HIDDeviceError`.
func failure(of body: @Sendable () async throws -> Void) async -> HIDDeviceError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? HIDDeviceError ?? .unknown(0)
  }
}

/// Returns a report of eight bytes that begins with a number.
func report(_ number: Int) -> [UInt8] {
  [UInt8(number & 0xff), UInt8(number >> 8), 0, 0, 0, 0, 0, 0]
}

/// Returns the report ID of a number; throws for 0.
func reportID(_ number: UInt8) throws -> HIDReportID {
  guard let id = HIDReportID(rawValue: number) else { throw HIDDeviceError.badArgument }
  return id
}

extension TestDescriptor {
  /// A descriptor with input report 1 (2 bytes), and unnumbered output and feature (2 bytes each).
  static let mixed = Data([
    0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,
    0x95, 0x02, 0x09, 0x01, 0x91, 0x02, 0x09, 0x02, 0xb1, 0x02,
    0x85, 0x01, 0x09, 0x03, 0x81, 0x02,
    0xc0,
  ])

  /// Returns the report descriptor of a vendor's device with one input report.
  ///
  /// - Parameters:
  ///   - byteCount: The report's length in bytes, the ID not counted.
  ///   - id: The report's ID; 0 for none.
  static func input(byteCount: Int, id: UInt8) -> Data {
    Data(
      [0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08]
        + (id == 0 ? [] : [0x85, id])
        + [0x96, UInt8(byteCount & 0xff), UInt8(byteCount >> 8), 0x09, 0x01, 0x81, 0x02, 0xc0])
  }
}
