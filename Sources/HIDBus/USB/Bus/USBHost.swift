// SPDX-License-Identifier: Apache-2.0

import IOLoop
import Synchronization
import SystemPackage

/// The host of a USB device: this machine's kernel, or a server from which hosts import the device.
protocol USBHost: AnyObject, Sendable {
  /// True if the device stays plugged when its connection ends, since a host can import it again.
  var outlivesConnections: Bool { get }

  /// The name of the device, such as `1-1`: by which hosts import a served device; at the kernel
  /// for any other.
  ///
  /// It is empty before the device has a name, and after it is unplugged.
  var place: String { get }

  /// True while the host has suspended the device; nil if that is not known.
  var hasSuspended: Bool? { get }

  /// Waits until an interface can be used, and returns its record.
  ///
  /// - Parameters:
  ///   - port: The port of the interface.
  ///   - bound: The longest wait.
  /// - Throws: The errors of ``HIDDevicePort/ready(within:)``.
  func ready(_ port: USBPort, within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord

  /// Keeps the input of an interface away from a user's desktop.
  ///
  /// - Parameter record: The record of the interface, which is ready.
  /// - Returns: The method of the isolation, and the grab of the evdev nodes if there is one.
  /// - Throws: If the device must be grabbed and cannot be: `limitReached` if the process lacks
  ///   descriptors, memory or threads; `permissionDenied` for any other reason.
  func isolate(_ record: HIDDeviceRecord) async throws(HIDBusError) -> DesktopGuard.Outcome

  /// Called on the loop when a message of the host is not valid, before the connection ends.
  func noteFault(_ error: USBIPError)

  /// Called on the loop when the device is unplugged, while its last connection is still open.
  func unplug()

  /// Waits until the host has removed the device, after its connection was closed.
  func waitForRemoval() async
}

/// The kernel of this machine as the host of one device, on a port of its virtual host controllers.
final class KernelUSBHost: USBHost {
  private let discovery: KernelDiscovery
  private let desktopGuard: DesktopGuard
  /// The recorder of the transfers; nil if nothing records them.
  private let sink: (any USBTransferSink)?
  private let state = Mutex(State())

  private struct State: Sendable {
    var listening: KernelDiscovery.Listening?
    /// The port; nil before the device is attached.
    var port: VirtualHostController.Port?
    /// The ID of the device; nil before its link is made.
    var linked: HIDDeviceID?
    var isUnplugged = false
  }

  /// The longest wait for the kernel to remove the device.
  private static let removalBound = Duration.seconds(5)
  private static let attachCount = Atomic(0)

  var outlivesConnections: Bool { false }

  var place: String { portOfDevice.flatMap(VirtualHostController().name) ?? "" }

  var hasSuspended: Bool? { portOfDevice.flatMap(VirtualHostController().hasSuspendedDevice) }

  /// The port; nil while the device is not attached.
  ///
  /// Once the device is unplugged, another one can have its port.
  private var portOfDevice: VirtualHostController.Port? {
    state.withLock { $0.isUnplugged ? nil : $0.port }
  }

  init(
    discovery: KernelDiscovery, desktopGuard: DesktopGuard, recordingTo sink: (any USBTransferSink)?
  ) {
    self.discovery = discovery
    self.desktopGuard = desktopGuard
    self.sink = sink
  }

  /// Attaches a device to a free port.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - ports: The ports of its interfaces, in order.
  /// - Throws: The errors of ``VirtualHostController/attach(_:_:startingAt:)``; `limitReached` and
  ///   `other` if there is no connection.
  func attach(_ device: USBDevice, _ ports: [USBPort]) async throws(HIDBusError) {
    let listening = await discovery.listen()
    state.withLock { $0.listening = listening }
    if let directory = discovery.directory {
      for port in ports { await port.publish(in: directory) }
    }
    let pair: SocketPair
    do throws(Errno) {
      pair = try SocketDescriptor.streamPair()
    } catch {
      throw VirtualHostController.error(error, "attach a USB device")
    }
    let start = Self.attachCount.wrappingAdd(1, ordering: .relaxed).oldValue
    let port = try VirtualHostController().attach(
      pair.second.descriptor, device.description.speed, startingAt: start)
    state.withLock { $0.port = port }
    if let sink {
      let bus = VirtualHostController().busNumber(of: port) ?? 0
      await device.record(
        with: USBTransferTap(
          of: device.description, bus: bus, device: sink.nextDeviceNumber(), to: sink))
    }
    do throws(Errno) {
      try await device.connect(pair.first)
    } catch {
      throw VirtualHostController.error(error, "attach a USB device")
    }
    guard let directory = discovery.directory, let first = ports.first else { return }
    // Without the link, clients find the device as a real one.
    let id = first.plugged.physicalPath.interfaceID
    try? USBPortLink.publish(id, at: port.physicalPath, in: directory)
    state.withLock { $0.linked = id }
  }

  func ready(_ port: USBPort, within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord {
    guard let place = state.withLock({ $0.port }) else { throw USBDevice.unplugged }
    let number = port.device.description.number(ofInterface: port.index)
    do throws(HIDBusError) {
      return try await discovery.waitForNodes(
        at: "\(place.physicalPath)/input\(number)", making: port.plugged.nodes, isRebound: false,
        until: .now.advanced(by: bound)
      ) { [weak self] in
        self?.state.withLock { $0.isUnplugged } == false ? .hopeful : .destroyed
      }
    } catch {
      let isStarted = await port.device.isStarted(interface: port.index)
      guard error.kind == .notStarted, !isStarted else { throw error }
      throw HIDBusError(
        .notStarted,
        """
        the kernel got the USB device, but did not read the report descriptor of interface \
        \(number) in time: read why in its log (sudo dmesg | grep -i -e usb -e hid)
        """)
    }
  }

  func isolate(_ record: HIDDeviceRecord) async throws(HIDBusError) -> DesktopGuard.Outcome {
    try await desktopGuard.isolate(record)
  }

  /// The messages of the kernel are valid.
  func noteFault(_ error: USBIPError) {}

  func unplug() {
    let (port, linked) = state.withLock { state in
      state.isUnplugged = true
      state.listening = nil
      return (state.port, state.linked)
    }
    // If the host has ended the connection, another device can have the port by now.
    if let port, let linked, let directory = discovery.directory {
      USBPortLink.remove(linked, at: port.physicalPath, in: directory)
    }
  }

  func waitForRemoval() async {
    guard let port = state.withLock({ $0.port }) else { return }
    let deadline = MonotonicTime.now.advanced(by: Self.removalBound)
    // No message reports this removal: udevd's messages need udevd, and the kernel's about HID
    // devices come before the USB device is gone.
    while MonotonicTime.now < deadline, VirtualHostController().hasDevice(on: port) {
      let isDue = Promise<Void>()
      USBDevice.loop.schedule(at: .now.advanced(by: .milliseconds(2))) { isDue.fulfill() }
      await isDue.get()
    }
  }
}
