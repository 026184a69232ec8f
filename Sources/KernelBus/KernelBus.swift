// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
package import HIDBusDirectory
import HIDReportDescriptor
public import HIDWire
package import IOLoop
package import SystemPackage

/// The kernel bus: devices plugged through `/dev/uhid`, clients on `/dev/hidraw*`.
///
/// Every program on the machine sees the devices, as it sees real ones.
public struct KernelBus: HIDPeripheralBus, HIDHostBus {
  private let discovery: KernelDiscovery
  private let isLive: Bool

  /// Which bus it is.
  public var kind: HIDBusKind { .kernel }
  /// None: while the kernel waits for an answer of uhid's loop, every open of a hidraw node on the system waits for it.
  public var executor: (any TaskExecutor)? { nil }

  /// Makes the bus of this machine's kernel.
  ///
  /// - Parameter isLive: Whether devices are meant for the desktop of whoever is logged in. They are
  ///   kept from it otherwise.
  public init(isLive: Bool = false) {
    discovery = .shared
    self.isLive = isLive
  }

  init(discovery: KernelDiscovery) {
    self.discovery = discovery
    isLive = false
  }

  /// Says why no device can be plugged here, or `nil` if one can.
  public static func unavailability() -> HIDWireError? {
    do throws(Errno) {
      _ = try UHIDChannel()
      return nil
    } catch {
      return HIDWireError.uhid(error, "plug a device")
    }
  }

  /// Plugs one interface of a device.
  ///
  /// - Throws: `unavailable` and `permissionDenied` for `/dev/uhid`; `limitReached` for reports that uhid
  ///   has no room for; `invalidArgument` for what else it refuses, and for what stops the kernel.
  public func plug(
    _ description: HIDPeripheralDescription, handler: any HIDPeripheralHandler
  ) async throws(HIDWireError) -> any HIDPeripheralPort {
    for loop in [UHIDPeripheral.loop, KernelDiscovery.loop] {
      try HIDWireError.check(loop, "plug \"\(description.identity.name)\"")
    }
    if let error = Self.refusal(
      of: description.descriptor.bytes, named: description.identity.name)
    {
      throw error
    }
    var description = description
    description.physicalPath.isLive = isLive
    let path = description.physicalPath.description
    guard path.utf8.count < UHIDEvent.physicalPathCapacity else {
      throw HIDWireError(
        .invalidArgument,
        "the physical path \(path) has \(path.utf8.count) bytes; the kernel keeps 63 at most")
    }
    do throws(Errno) {
      let peripheral = UHIDPeripheral(
        description, channel: try UHIDChannel(), handler: handler, discovery: discovery,
        desktopGuard: DesktopGuard(isLive: isLive))
      try await peripheral.create()
      return peripheral
    } catch {
      throw HIDWireError.uhid(error, "plug \"\(description.identity.name)\"")
    }
  }

  /// Watches devices come and go.
  public func arrivals() -> AsyncThrowingStream<HIDArrival, any Error> {
    do throws(HIDWireError) {
      try HIDWireError.check(KernelDiscovery.loop, "look for devices")
      return discovery.arrivals()
    } catch {
      return AsyncThrowingStream { throw error }
    }
  }

  /// Says whether a device's node is there, still that device's, and may be read and written.
  public func obstacle(toOpening device: HIDDeviceRecord) -> HIDWireError? {
    guard KernelDevice.isCurrent(device) else {
      return HIDWireError.hidraw(.operationNotSupportedByDevice, "open", device.address)
    }
    guard access(device.address, R_OK | W_OK) == 0 else {
      return HIDWireError.hidraw(Errno(rawValue: errno), "open", device.address)
    }
    return nil
  }

  /// Opens a device's hidraw node.
  public func open(_ device: HIDDeviceRecord) async throws(HIDWireError) -> any HIDHostPort {
    try await HIDRawPort.open(device, directory: discovery.directory)
  }
}

extension KernelBus: ClientHostBus {
  /// The kernel keeps 63 reports between the opening and the stream.
  package func openNow(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) throws(HIDWireError) -> (port: any HIDHostPort, reports: HIDReportStream) {
    let port = try HIDRawPort.openNow(device, directory: discovery.directory)
    return (port, port.reports(capacity: capacity, policy: policy))
  }

  package var exclusivityDirectory: BusDirectory? { discovery.directory }

  /// Holds the device's evdev nodes; readers of its hidraw node, other programs' that is, cannot be kept away.
  package func keepToOneself(
    _ device: HIDDeviceRecord
  ) throws(Errno) -> (any HIDKeeper)? {
    do throws(Errno) {
      return try EventGrab.takeNow(device.eventNodes)
    } catch {
      // What plugs the device may hold them itself, to keep it from somebody's desktop.
      if error == .resourceBusy, device.isOurs { return nil }
      throw error
    }
  }
}
