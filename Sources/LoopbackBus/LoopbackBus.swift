// SPDX-License-Identifier: Apache-2.0

public import HIDBusDirectory
public import HIDWire
public import IOLoop
package import SystemPackage

/// The loopback bus: devices and clients of one user, in any of their processes, without a kernel's help.
///
/// Only programs that use this library see the devices.
public struct LoopbackBus: HIDPeripheralBus, HIDHostBus {
  /// What becomes of the input reports of clients that read slowly.
  public enum Fidelity: Hashable, Sendable {
    /// The device waits for a client that makes progress; one that takes nothing for a second loses the
    /// newest, and is told how many.
    case lossless
    /// As hidraw does it (6.12): a client keeps 63 reports that it has not read, and loses the newest
    /// without a word.
    case kernel
  }

  /// Where devices and clients meet.
  public let directory: BusDirectory
  /// What becomes of the input reports of clients that read slowly, of the devices plugged here.
  public let fidelity: Fidelity

  /// Which bus it is.
  public var kind: HIDBusKind { .loopback }
  /// The executor on the thread of this process' devices.
  public var executor: (any TaskExecutor)? { LoopbackPeripheral.loop.taskExecutor }

  /// Makes the bus of a folder.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - fidelity: What becomes of the input reports of clients that read slowly.
  public init(directory: BusDirectory, fidelity: Fidelity = .lossless) {
    self.directory = directory
    self.fidelity = fidelity
  }

  /// Plugs one interface of a device.
  ///
  /// - Throws: `unavailable` if the folder cannot be written, `limitReached` without descriptors or space.
  public func plug(
    _ description: HIDPeripheralDescription, handler: any HIDPeripheralHandler
  ) async throws(HIDWireError) -> any HIDPeripheralPort {
    try HIDWireError.check(LoopbackPeripheral.loop, "plug \"\(description.identity.name)\"")
    let peripheral = LoopbackPeripheral(
      description, in: directory, fidelity: fidelity, handler: handler)
    try await peripheral.create()
    return peripheral
  }

  /// Watches devices come and go.
  public func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    let (stream, continuation) = AsyncThrowingStream<HIDArrival, any Error>.makeStream()
    do throws(HIDWireError) {
      try HIDWireError.check(HostConnection.loop, "look for devices")
    } catch {
      continuation.finish(throwing: error)
      return stream
    }
    let discovery = LoopbackDiscovery(directory, continuation)
    continuation.onTermination = { _ in Task { await discovery.stop() } }
    Task { await discovery.start() }
    return stream
  }

  /// Says whether a device's files are there, and its owner lives.
  public func obstacle(toOpening device: HIDDeviceRecord) -> HIDWireError? {
    DeviceEntry.identity(of: device.id, on: .loopback, in: directory) != nil
      ? nil : HIDWireError(.gone, "open \(device.address): the device is gone")
  }

  /// Opens a device.
  public func open(_ device: HIDDeviceRecord) async throws(HIDWireError) -> any HIDHostPort {
    try await LoopbackPort.open(device, in: directory) { _ in }.port
  }

  /// Opens a device, and starts a stream of its input reports before it knows.
  public func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) async throws(HIDWireError) -> (port: any HIDHostPort, reports: HIDReportStream) {
    let (port, reports) = try await LoopbackPort.open(device, in: directory) {
      $0.subscribe(capacity: capacity, policy: policy)
    }
    return (port, reports)
  }
}

extension LoopbackBus: ClientHostBus {
  package func openNow(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) throws(HIDWireError) -> (port: any HIDHostPort, reports: HIDReportStream) {
    let (port, reports) = try LoopbackPort.openNow(device, in: directory) {
      $0.subscribe(capacity: capacity, policy: policy)
    }
    return (port, reports)
  }

  package var exclusivityDirectory: BusDirectory? { directory }

  /// Nobody but hidsim's clients hears of the bus' devices.
  package func keepToOneself(
    _ device: HIDDeviceRecord
  ) throws(Errno) -> (any HIDKeeper)? { nil }
}
