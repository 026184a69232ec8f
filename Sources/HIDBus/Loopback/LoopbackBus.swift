// SPDX-License-Identifier: Apache-2.0
import IOLoop
package import SystemPackage

/// The loopback bus, which connects devices and clients of one user, in any of the user's
/// processes, without the kernel.
///
/// Only programs that use this library see the devices.
public struct LoopbackBus: HIDDeviceBus, HIDClientBus {
  /// The treatment of clients that read their input reports slowly.
  public enum Fidelity: Hashable, Sendable {
    /// The device waits for a client that makes progress.
    ///
    /// A client that takes nothing for a second, while the device waits for it, loses the newest
    /// reports, and receives their count.
    case lossless
    /// As with hidraw (6.12), a client keeps up to 63 unread reports, and loses newer ones without
    /// a message.
    case kernel
  }

  /// The folder in which devices are published and clients find them.
  public let directory: BusDirectory
  /// The treatment of slow clients by the devices plugged here.
  public let fidelity: Fidelity

  /// The kind of the bus: loopback.
  public var kind: HIDBusKind { .loopback }
  /// The executor on the loop of this process' devices; `nil` if the loop could not start.
  public var executor: (any TaskExecutor)? { LoopbackDevice.loop.runningTaskExecutor }

  /// Makes the bus of a folder.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - fidelity: The treatment of clients that read their input reports slowly.
  public init(directory: BusDirectory, fidelity: Fidelity = .lossless) {
    self.directory = directory
    self.fidelity = fidelity
  }

  /// Plugs one interface of a device.
  ///
  /// - Throws: `unavailable` if the folder cannot be written, or cannot hold sockets;
  ///   `limitReached` without descriptors, threads, memory, watches or space; `busy` if another
  ///   device has the same interface ID (``HIDPhysicalPath/interfaceID``), or if a file of another
  ///   program in the folder has its name; `invalidArgument` if the description is longer than 64
  ///   KiB, or if the index of the interface is not in 0…255.
  public func plug(
    _ description: HIDDeviceDescription, handler: any HIDDeviceHandler
  ) async throws(HIDBusError) -> any HIDDevicePort {
    try HIDBusError.check(LoopbackDevice.loop, "plug \"\(description.identity.name)\"")
    try description.physicalPath.check(for: description.identity.name)
    let device = LoopbackDevice(
      description, in: directory, fidelity: fidelity, handler: handler)
    try await device.create()
    return device
  }

  /// Reports the devices that are present, then ``HIDArrival/settled``, then each change.
  ///
  /// The stream ends with an error if the devices that are on the bus cannot be found within a
  /// second, or at once if the bus directory cannot be watched: `limitReached` if the process lacks
  /// descriptors, threads, memory or watches, else `unavailable`.
  public func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    let (stream, continuation) = AsyncThrowingStream<HIDArrival, any Error>.makeStream()
    do throws(HIDBusError) {
      try HIDBusError.check(LoopbackClient.loop, "look for devices")
    } catch {
      continuation.finish(throwing: error)
      return stream
    }
    let discovery = LoopbackDiscovery(directory, continuation)
    continuation.onTermination = { _ in Task { await discovery.stop() } }
    Task { await discovery.start() }
    return stream
  }

  /// Returns an error if a device's identity file is missing, cannot be read or is not valid, or
  /// its owner has ended; else `nil`.
  public func obstacle(toOpening device: HIDDeviceRecord) -> HIDBusError? {
    DeviceEntry.identity(of: device.id, on: .loopback, in: directory) != nil
      ? nil : HIDBusError(.gone, "open \(device.address): the device is gone")
  }

  /// Opens a device.
  ///
  /// - Throws: `gone`; `busy` if the device's process accepts no connections; `invalidArgument` if
  ///   the report descriptor is not valid; `limitReached` if the client loop could not start, or if
  ///   the process lacks descriptors or memory; `unavailable` after any other failure.
  public func open(_ device: HIDDeviceRecord) async throws(HIDBusError) -> any HIDClientPort {
    try await LoopbackPort.open(device, in: directory) { _ in }.port
  }

  /// Opens a device, and starts a stream of its input reports before the open message is sent.
  ///
  /// - Throws: The errors of ``open(_:)``.
  public func open(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) async throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream) {
    let (port, reports) = try await LoopbackPort.open(device, in: directory) {
      $0.subscribe(capacity: capacity, policy: policy)
    }
    return (port, reports)
  }
}

extension LoopbackBus: ClientHostBus {
  package func openNow(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream) {
    let (port, reports) = try LoopbackPort.openNow(device, in: directory) {
      $0.subscribe(capacity: capacity, policy: policy)
    }
    return (port, reports)
  }

  package var exclusivityDirectory: BusDirectory? { directory }

  /// Returns `nil`: only clients of hidsim see the devices of this bus.
  package func seize(
    _ device: HIDDeviceRecord
  ) throws(Errno) -> (any HIDSeizure)? { nil }
}
