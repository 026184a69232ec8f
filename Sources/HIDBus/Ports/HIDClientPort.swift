// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// A client's end of a bus: one opened device.
///
/// Numbered reports start with their ID in both directions. Unnumbered reports have no ID byte,
/// except in ``write(_:)``. Calls to the device run one at a time, in the order in which they were
/// made.
public protocol HIDClientPort: AnyObject, Sendable {
  /// The opened device.
  var device: HIDDeviceRecord { get }

  /// The declared lengths of the device's reports.
  var lengths: HIDReportLengths { get }

  /// The loop that reads the device's reports.
  var loop: IOLoop { get }

  /// Starts a new stream of the input reports that arrive from now on.
  ///
  /// The first stream also gets the reports that came since the device was opened, as far as there
  /// was room for them. The stream ends when the device is gone, the port is closed or the bus
  /// fails.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that the stream holds for a slow reader, rounded up to a
  ///     power of two; 1,048,576 at most.
  ///   - policy: The rule for reports that find the stream full.
  func reports(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream

  /// Reads all reports that have arrived for this client and are not read yet.
  ///
  /// When the call returns, every stream that has room holds them. On the loopback bus, reading
  /// stops while a lossless stream is full. Reports for which the client's socket had no room wait
  /// in the device, and come later. Call it on the loop.
  func catchUp()

  /// Writes to the device as `write` on its hidraw node does, without an answer of the device.
  ///
  /// - Parameter bytes: The report ID, or 0 if reports are unnumbered; then the report.
  /// - Throws: `invalidArgument` for fewer than 2 bytes, or for more than the bus takes (16,384 at
  ///   most); `ioError` if the bus cannot pass the report on; `timedOut` if a device of the
  ///   loopback bus does not take it within 5 s; `limitReached` if no thread can be started;
  ///   `gone`; `other` after any other error of the node.
  func write(_ bytes: [UInt8]) async throws(HIDBusError)

  /// Sets a report, and waits for the device's answer, except for an output report, which has none.
  ///
  /// - Parameters:
  ///   - type: The report's type.
  ///   - report: The report, its ID first if it is numbered.
  ///   - timeout: The longest wait; `nil` for the bus' own limits. The device has 5 s to answer,
  ///     from the time at which it gets the request; earlier requests may come first.
  /// - Throws: `ioError` if the device refused or did not answer; `timedOut`; `gone`;
  ///   `invalidArgument` for a report that has no bytes besides its ID, or is too long for the bus;
  ///   `limitReached` if no thread can be started; `other` after any other error of the node.
  func setReport(
    _ type: HIDReportType, _ report: [UInt8], timeout: Duration?
  ) async throws(HIDBusError)

  /// Requests a report from the device.
  ///
  /// - Parameters:
  ///   - type: The report's type.
  ///   - id: The report's ID; `nil` if reports of this type are unnumbered.
  ///   - timeout: The longest wait; `nil` for the bus' own limits. The device has 5 s to answer,
  ///     from the time at which it gets the request; earlier requests may come first.
  /// - Returns: The report, its ID first if it is numbered.
  /// - Throws: `ioError` if the device refused or did not answer; `timedOut`; `gone`;
  ///   `limitReached` if no thread can be started; `invalidArgument` or `other` after another error
  ///   of the node.
  func getReport(
    _ type: HIDReportType, _ id: HIDReportID?, timeout: Duration?
  ) async throws(HIDBusError) -> [UInt8]

  /// Closes the device.
  ///
  /// Streams end. Calls that wait, and later calls to the device, throw `gone`. Releasing the last
  /// reference to the port closes it too.
  func close()
}

/// The client's side of a bus.
public protocol HIDClientBus: Sendable {
  /// The kind of the bus.
  var kind: HIDBusKind { get }

  /// Reports the devices that are present, then ``HIDArrival/settled``, then each change.
  ///
  /// Each call starts a separate watch, which ends with its stream.
  func arrivals() -> AsyncThrowingStream<HIDArrival, any Error>

  /// Returns the reason why a device cannot be opened; `nil` if no obstacle is found.
  ///
  /// Typical reasons: the device is gone, or this user lacks the permission. The call does not open
  /// the device.
  func obstacle(toOpening device: HIDDeviceRecord) -> HIDBusError?

  /// Opens a device.
  ///
  /// - Throws: `gone`; `busy` if the device's process accepts no connections; `limitReached` if the
  ///   process lacks descriptors, threads or memory; `invalidArgument` if the report descriptor is
  ///   not valid. Any other failure is `unavailable` on the loopback bus. On the kernel bus it is
  ///   `permissionDenied`, `ioError`, `timedOut` or `other`, by the `errno` of the node.
  func open(_ device: HIDDeviceRecord) async throws(HIDBusError) -> any HIDClientPort

  /// Opens a device, and starts a stream of its input reports from the opening on.
  ///
  /// The loopback bus starts the stream before it sends the open message. The kernel bus opens the
  /// node first, and keeps the reports that come in between as far as it has room.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - capacity: The number of reports that the stream holds for a slow reader, rounded up to a
  ///     power of two; 1,048,576 at most.
  ///   - policy: The rule for reports that find the stream full.
  /// - Throws: The errors of ``open(_:)``.
  func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) async throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream)
}

extension HIDClientBus {
  /// Opens a device, and starts a stream right after.
  ///
  /// This is enough for a bus that keeps the reports that arrive in between.
  public func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) async throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream) {
    let port = try await open(device)
    return (port, port.reports(capacity: capacity, policy: policy))
  }
}

/// The device's side of a bus.
public protocol HIDDeviceBus: Sendable {
  /// The kind of the bus.
  var kind: HIDBusKind { get }

  /// The executor for a task that sends reports one by one, each with its own call.
  ///
  /// On this executor the task runs on the thread of the bus' loop, without switches of threads. It
  /// is `nil` if only the bus may run on its loop, or if the loop could not start.
  var executor: (any TaskExecutor)? { get }

  /// The executor for a task that plugs devices, and opens no device as a client.
  ///
  /// On this executor plugging needs fewer switches of threads. It is `nil` if the loop could not
  /// start.
  var pluggingExecutor: (any TaskExecutor)? { get }

  /// True if the interfaces of a device are plugged and unplugged together.
  ///
  /// The caller then plugs them all with ``plug(_:handlers:)`` before it waits until one is ready.
  /// Otherwise each interface is a device of its own.
  var joinsInterfaces: Bool { get }

  /// Plugs one interface of a device.
  ///
  /// - Parameters:
  ///   - description: The interface to plug.
  ///   - handler: The receiver of host events; held weakly.
  /// - Returns: The device's port. Call ``HIDDevicePort/ready(within:)`` before using it.
  /// - Throws: `unavailable`, `permissionDenied`, `limitReached`, `invalidArgument`, `other`; on
  ///   the loopback bus `busy` if another device has the same interface ID, or if a file of another
  ///   program in the bus directory has its name.
  func plug(
    _ description: HIDDeviceDescription, handler: any HIDDeviceHandler
  ) async throws(HIDBusError) -> any HIDDevicePort

  /// Plugs the interfaces of one device.
  ///
  /// - Parameters:
  ///   - interfaces: The interfaces, at least one, in order.
  ///   - handlers: The receiver of the host events of each interface; held weakly.
  /// - Returns: The port of each interface.
  /// - Throws: The errors of ``plug(_:handler:)``. No interface is left plugged then.
  func plug(
    _ interfaces: [HIDDeviceDescription], handlers: [any HIDDeviceHandler]
  ) async throws(HIDBusError) -> [any HIDDevicePort]
}

extension HIDDeviceBus {
  /// False by default: each interface is a device of its own.
  public var joinsInterfaces: Bool { false }

  /// Plugs the interfaces one after the other, by default.
  public func plug(
    _ interfaces: [HIDDeviceDescription], handlers: [any HIDDeviceHandler]
  ) async throws(HIDBusError) -> [any HIDDevicePort] {
    var ports: [any HIDDevicePort] = []
    for (interface, handler) in zip(interfaces, handlers) {
      do throws(HIDBusError) {
        ports.append(try await plug(interface, handler: handler))
      } catch {
        for port in ports { await port.destroy() }
        throw error
      }
    }
    return ports
  }

  /// The ``executor`` of the bus, by default.
  public var pluggingExecutor: (any TaskExecutor)? { executor }
}
