// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import SystemPackage

/// The USB bus: whole USB devices on a virtual host controller of this machine's kernel.
///
/// The kernel finds each device as a real one: it reads its descriptors, binds usbhid to its
/// interfaces, and asks their endpoints for reports. Clients find the interfaces on the kernel bus.
public struct USBBus: HIDDeviceBus {
  private let discovery: KernelDiscovery
  private let isLive: Bool
  /// The recorder of the transfers; nil if nothing records them.
  var sink: (any USBTransferSink)?

  /// The kind of the bus.
  public var kind: HIDBusKind { .usb }
  /// Always `nil`, as on the kernel bus: a task that sends reports could open a hidraw node, and
  /// then waits for the loop of the devices.
  public var executor: (any TaskExecutor)? { nil }
  /// The executor on the devices' loop; `nil` if the loop could not start.
  public var pluggingExecutor: (any TaskExecutor)? { USBDevice.loop.runningTaskExecutor }
  /// Always true: the interfaces are those of one USB device.
  public var joinsInterfaces: Bool { true }

  /// Makes the bus.
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

  /// Returns the error of using the kernel's virtual host controllers; `nil` if they can be used.
  public static func unavailability() -> HIDBusError? { VirtualHostController.unavailability() }

  /// Plugs a device with one interface.
  ///
  /// - Throws: The errors of ``plug(_:handlers:)``.
  public func plug(
    _ description: HIDDeviceDescription, handler: any HIDDeviceHandler
  ) async throws(HIDBusError) -> any HIDDevicePort {
    let ports = try await plug([description], handlers: [handler])
    // One interface has one port.
    return ports[0]
  }

  /// Plugs a device with its interfaces.
  ///
  /// - Throws: `unavailable` and `permissionDenied` for the virtual host controllers;
  ///   `limitReached` if all their ports are in use, or at a limit of the process;
  ///   `invalidArgument` for a device that USB cannot have, or a descriptor that Linux cannot use;
  ///   `other` after any other error of the kernel.
  public func plug(
    _ interfaces: [HIDDeviceDescription], handlers: [any HIDDeviceHandler]
  ) async throws(HIDBusError) -> [any HIDDevicePort] {
    let name = interfaces.first?.identity.name ?? ""
    for loop in [USBDevice.loop, KernelDiscovery.loop] {
      try HIDBusError.check(loop, "plug \"\(name)\"")
    }
    for interface in interfaces {
      try interface.physicalPath.check(for: name)
      if let error = KernelBus.refusal(of: interface.descriptor.bytes, named: name) { throw error }
    }
    let host = KernelUSBHost(
      discovery: discovery, desktopGuard: DesktopGuard(isLive: isLive), recordingTo: sink)
    let (device, ports) = try USBPort.ports(of: interfaces, handlers, host: host, isLive: isLive)
    await device.setPorts(ports)
    do throws(HIDBusError) {
      try await host.attach(device, ports)
    } catch {
      await device.endInterfaces()
      throw error
    }
    return ports
  }
}
