// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import Synchronization

/// A bus of USB devices that a server of USB/IP exports to other machines and to this one.
///
/// A device is plugged when the server exports it. Its host events come from the host that has
/// imported it.
package struct ServedUSBBus: HIDDeviceBus {
  package let server: USBServer

  package var kind: HIDBusKind { .usb }
  package var executor: (any TaskExecutor)? { pluggingExecutor }
  package var pluggingExecutor: (any TaskExecutor)? { USBDevice.loop.runningTaskExecutor }
  package var joinsInterfaces: Bool { true }

  private let directory: BusDirectory?
  /// The recorder of the transfers; nil if nothing records them.
  var sink: (any USBTransferSink)?

  /// Makes the bus.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - directory: The folder in which the devices are published for programs that drive them; nil
  ///     for none.
  init(_ server: USBServer, publishingIn directory: BusDirectory?) {
    self.server = server
    self.directory = directory
  }

  package func plug(
    _ description: HIDDeviceDescription, handler: any HIDDeviceHandler
  ) async throws(HIDBusError) -> any HIDDevicePort {
    // One interface has one port.
    try await plug([description], handlers: [handler])[0]
  }

  package func plug(
    _ interfaces: [HIDDeviceDescription], handlers: [any HIDDeviceHandler]
  ) async throws(HIDBusError) -> [any HIDDevicePort] {
    let name = interfaces.first?.identity.name ?? ""
    for interface in interfaces { try interface.physicalPath.check(for: name) }
    let host = ServerUSBHost(server)
    let (device, ports) = try USBPort.ports(of: interfaces, handlers, host: host, isLive: false)
    await device.setPorts(ports)
    let exported = try await server.export(device, recordingTo: sink)
    host.place = exported
    if let directory {
      for port in ports { await port.publishServed(as: exported, in: directory) }
    }
    return ports
  }
}

/// The server as the host of one device.
private final class ServerUSBHost: USBHost {
  private let server: USBServer
  private let exported = Mutex("")

  /// The name by which hosts import the device; empty before it is exported.
  var place: String {
    get { exported.withLock { $0 } }
    set { exported.withLock { $0 = newValue } }
  }

  var outlivesConnections: Bool { true }

  var hasSuspended: Bool? { nil }

  init(_ server: USBServer) { self.server = server }

  func ready(_ port: USBPort, within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord {
    let plugged = port.plugged
    return HIDDeviceRecord(
      id: plugged.physicalPath.interfaceID, bus: .usb, address: "usbip:\(place)",
      identity: plugged.identity, physicalPath: plugged.physicalPath.description,
      descriptorBytes: plugged.descriptor.bytes)
  }

  func isolate(_ record: HIDDeviceRecord) async throws(HIDBusError) -> DesktopGuard.Outcome {
    DesktopGuard.Outcome(isolation: .notNeeded, grab: nil)
  }

  func noteFault(_ error: USBIPError) {
    server.assumeOnLoop { $0.noteEnd(of: place, error) }
  }

  func unplug() { server.assumeOnLoop { $0.withdraw(place) } }

  func waitForRemoval() async {}
}
