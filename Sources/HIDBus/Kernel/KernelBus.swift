// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import IOLoop
package import SystemPackage

/// The kernel bus: devices plugged through `/dev/uhid`, clients on `/dev/hidraw*`.
///
/// Every program on the machine sees the devices, as it sees real ones.
public struct KernelBus: HIDDeviceBus, HIDClientBus {
  private let discovery: KernelDiscovery
  private let isLive: Bool

  /// The kind of the bus.
  public var kind: HIDBusKind { .kernel }
  /// Always `nil`: a task that sends reports could open a hidraw node, and so must not run on the
  /// devices' loop.
  ///
  /// While the kernel waits for an answer of the devices' loop, it blocks every open of a hidraw
  /// node on the system.
  public var executor: (any TaskExecutor)? { nil }
  /// The executor on the devices' loop; `nil` if the loop could not start.
  ///
  /// Plugging opens no hidraw node, so it does not block the loop.
  public var pluggingExecutor: (any TaskExecutor)? {
    UHIDDevice.loop.runningTaskExecutor
  }

  /// Makes the bus of this machine's kernel.
  ///
  /// - Parameter isLive: True if the desktop of the logged-in user may use the devices. Otherwise
  ///   the devices are kept away from the desktop.
  public init(isLive: Bool = false) {
    discovery = .shared
    self.isLive = isLive
  }

  init(discovery: KernelDiscovery) {
    self.discovery = discovery
    isLive = false
  }

  /// Returns the error of opening `/dev/uhid`; `nil` if it can be opened.
  public static func unavailability() -> HIDBusError? {
    do throws(Errno) {
      _ = try UHIDChannel()
      return nil
    } catch {
      return HIDBusError.uhid(error, "plug a device")
    }
  }

  /// Plugs one interface of a device.
  ///
  /// - Throws: `unavailable` and `permissionDenied` for `/dev/uhid`; `limitReached` for reports
  ///   that do not fit into uhid's messages, and for limits of the process; `invalidArgument` for a
  ///   descriptor or a path that Linux cannot use, and for an index of the interface that is not in
  ///   0…255; `other` after any other error of `/dev/uhid`.
  public func plug(
    _ description: HIDDeviceDescription, handler: any HIDDeviceHandler
  ) async throws(HIDBusError) -> any HIDDevicePort {
    for loop in [UHIDDevice.loop, KernelDiscovery.loop] {
      try HIDBusError.check(loop, "plug \"\(description.identity.name)\"")
    }
    try description.physicalPath.check(for: description.identity.name)
    if let error = Self.refusal(
      of: description.descriptor.bytes, named: description.identity.name)
    {
      throw error
    }
    var description = description
    description.physicalPath.isLive = isLive
    let path = description.physicalPath.description
    guard path.utf8.count < UHIDEvent.physicalPathCapacity else {
      throw HIDBusError(
        .invalidArgument,
        "the physical path \(path) has \(path.utf8.count) bytes; the kernel keeps 63 at most")
    }
    do throws(Errno) {
      let device = UHIDDevice(
        description, channel: try UHIDChannel(), handler: handler, discovery: discovery,
        desktopGuard: DesktopGuard(isLive: isLive))
      try await device.create()
      return device
    } catch {
      throw HIDBusError.uhid(error, "plug \"\(description.identity.name)\"")
    }
  }

  /// Reports the devices that are present, then ``HIDArrival/settled``, then each change.
  ///
  /// The stream ends with `limitReached` if the loop that looks for devices could not start.
  public func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    do throws(HIDBusError) {
      try HIDBusError.check(KernelDiscovery.loop, "look for devices")
      return discovery.arrivals()
    } catch {
      return AsyncThrowingStream { throw error }
    }
  }

  /// Returns an error if a device's node is gone, belongs to another device, or may not be read and
  /// written; else `nil`.
  public func obstacle(toOpening device: HIDDeviceRecord) -> HIDBusError? {
    guard KernelDevice.isCurrent(device, in: discovery.directory) else {
      return HIDBusError.hidraw(.operationNotSupportedByDevice, "open", device.address)
    }
    guard access(device.address, R_OK | W_OK) == 0 else {
      return HIDBusError.hidraw(Errno(rawValue: errno), "open", device.address)
    }
    return nil
  }

  /// Opens a device's hidraw node.
  public func open(_ device: HIDDeviceRecord) async throws(HIDBusError) -> any HIDClientPort {
    try await HIDRawPort.open(device, directory: discovery.directory)
  }
}

extension KernelBus: ClientHostBus {
  /// Opens a device's hidraw node, and then starts a stream, which also gets the reports that came
  /// in between, as far as ``EarlyReports`` has room.
  package func openNow(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream) {
    let port = try HIDRawPort.openNow(device, directory: discovery.directory)
    return (port, port.reports(capacity: capacity, policy: policy))
  }

  package var exclusivityDirectory: BusDirectory? { discovery.directory }

  /// Grabs the device's evdev nodes.
  ///
  /// Other programs can still read its hidraw node.
  ///
  /// - Returns: The grab; `nil` if the nodes of a device that hidsim plugged are grabbed already.
  package func seize(
    _ device: HIDDeviceRecord
  ) throws(Errno) -> (any HIDSeizure)? {
    do throws(Errno) {
      return try EventGrab.takeNow(device.eventNodes)
    } catch {
      // The process that plugged the device may have grabbed its nodes, to keep it away from a
      // desktop.
      if error == .resourceBusy, device.isOurs { return nil }
      throw error
    }
  }
}
