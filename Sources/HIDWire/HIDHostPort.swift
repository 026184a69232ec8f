// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// A client's end of a wire: one opened device.
///
/// Numbered reports have their ID as first byte everywhere, both ways; un-numbered ones have none.
/// Calls to the device run one at a time, in the order they were made.
public protocol HIDHostPort: AnyObject, Sendable {
  /// The opened device.
  var device: HIDDeviceRecord { get }

  /// The declared lengths of the device's reports.
  var lengths: HIDReportLengths { get }

  /// The loop that reads the device's reports.
  var loop: IOLoop { get }

  /// Starts a new stream of input reports, from now on.
  ///
  /// The stream ends when the device is gone or the port is closed.
  ///
  /// - Parameters:
  ///   - capacity: How many reports the stream holds for a slow reader.
  ///   - policy: What happens when it holds that many.
  func reports(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream

  /// Takes what the device has sent by now: the streams that have room have it when this returns.
  ///
  /// On the loop.
  func catchUp()

  /// Writes to the device as `write` on its hidraw node does: without waiting for the device.
  ///
  /// - Parameter bytes: The report number first, 0 when reports are un-numbered; then the report.
  /// - Throws: `invalidArgument` for fewer than 2 bytes or more than 16,384; `gone`.
  func write(_ bytes: [UInt8]) async throws(HIDWireError)

  /// Sets a report, and waits for the device's word on it (except output reports, which do not get one).
  ///
  /// - Parameters:
  ///   - type: The report's type.
  ///   - report: The report, its ID first if it is numbered.
  ///   - timeout: How long to wait; `nil` for the bus' own bound of 5 s.
  /// - Throws: `ioError` if the device refused or did not answer, `timedOut`, `gone`.
  func setReport(
    _ type: HIDReportType, _ report: [UInt8], timeout: Duration?
  ) async throws(HIDWireError)

  /// Asks the device for a report.
  ///
  /// - Parameters:
  ///   - type: The report's type.
  ///   - id: The report's ID; `nil` when reports of this type are un-numbered.
  ///   - timeout: How long to wait; `nil` for the bus' own bound of 5 s.
  /// - Returns: The report, its ID first if it is numbered.
  /// - Throws: `ioError` if the device refused or did not answer, `timedOut`, `gone`.
  func getReport(
    _ type: HIDReportType, _ id: HIDReportID?, timeout: Duration?
  ) async throws(HIDWireError) -> [UInt8]

  /// Closes the device. Streams end, later calls throw `gone`. Dropping the port closes it too.
  func close()
}

/// The client's side of a bus.
public protocol HIDHostBus: Sendable {
  /// Which bus it is.
  var kind: HIDBusKind { get }

  /// Watches devices come and go: those that are there first, then ``HIDArrival/settled``, then changes.
  ///
  /// Each call starts a watch of its own, which ends with its stream.
  func arrivals() -> AsyncThrowingStream<HIDArrival, any Error>

  /// Says why a device cannot be opened: it is gone, or this user may not; `nil` as far as nothing is in the way.
  ///
  /// It does not open the device, and does not wait for anything.
  func obstacle(toOpening device: HIDDeviceRecord) -> HIDWireError?

  /// Opens a device.
  ///
  /// - Throws: `permissionDenied`, `gone`.
  func open(_ device: HIDDeviceRecord) async throws(HIDWireError) -> any HIDHostPort

  /// Opens a device, and starts a stream of its input reports before it can send any.
  ///
  /// With ``open(_:)``, what a fast device sends before the first stream is asked for may be too much to be kept.
  ///
  /// - Parameters:
  ///   - capacity: How many reports the stream holds for a slow reader.
  ///   - policy: What happens when it holds that many.
  /// - Throws: `permissionDenied`, `gone`.
  func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) async throws(HIDWireError) -> (port: any HIDHostPort, reports: HIDReportStream)
}

extension HIDHostBus {
  /// Opens a device, and starts a stream right after: for buses that keep enough in between.
  public func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) async throws(HIDWireError) -> (port: any HIDHostPort, reports: HIDReportStream) {
    let port = try await open(device)
    return (port, port.reports(capacity: capacity, policy: policy))
  }
}

/// The device's side of a bus.
public protocol HIDPeripheralBus: Sendable {
  /// Which bus it is.
  var kind: HIDBusKind { get }

  /// Where a task is that sends one report after the other and waits for each: there no thread waits for another.
  ///
  /// `nil` where nothing but the bus may run on its loop.
  var executor: (any TaskExecutor)? { get }

  /// Plugs one interface of a device.
  ///
  /// - Parameters:
  ///   - description: What to plug.
  ///   - handler: Who is told what the host does; held weakly.
  /// - Returns: The device's end. Call ``HIDPeripheralPort/ready(within:)`` before using it.
  /// - Throws: `unavailable`, `permissionDenied`, `limitReached`, `invalidArgument`.
  func plug(
    _ description: HIDPeripheralDescription, handler: any HIDPeripheralHandler
  ) async throws(HIDWireError) -> any HIDPeripheralPort
}
