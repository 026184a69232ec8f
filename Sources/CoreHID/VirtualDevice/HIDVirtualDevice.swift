// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDSystem
import HIDWire
import IOLoop

/// A HID device that this program plays.
///
/// It is there from ``activate(delegate:)`` on, until the last reference to it is gone and its clients have what was
/// sent: on the kernel's bus for every program, where that can be used, else on the loopback bus for programs that use this module or hidsim. The bus of the
/// task (`HIDBus.$current`) or the environment variable `HIDSIM_BUS` choose another.
public actor HIDVirtualDevice {
  /// The device, to make clients of it in this process.
  public nonisolated final let deviceReference: HIDDeviceClient.DeviceReference

  private let bus: HIDBus
  private let description_: HIDPeripheralDescription
  private let lengths: HIDReportLengths
  private var requests: DelegateRequests?
  private let plugged = PluggedDevice()
  private var plugging: Task<any HIDPeripheralPort, any Error>?
  private var port: (any HIDPeripheralPort)?

  /// Makes a device, which is not there yet; `nil` if no bus can be used, the report descriptor is refused, or a property
  /// has no place on the bus.
  ///
  /// - Parameter properties: Who the device is.
  public init?(properties: Properties) {
    guard let bus = try? HIDBus.current ?? HIDBus(.fromEnvironment()),
      let descriptor = try? HIDReportDescriptor(parsing: Array(properties.descriptor)),
      bus.refusal(of: descriptor) == nil, let identity = properties.identity
    else { return nil }
    let id = bus.allocateDeviceID()
    self.bus = bus
    description_ = HIDPeripheralDescription(
      identity: identity, physicalPath: HIDPhysicalPath(deviceID: id, interface: 0),
      descriptor: descriptor)
    lengths = HIDReportLengths(descriptor)
    deviceReference = HIDDeviceClient.DeviceReference(
      DeviceTarget(id, identity, descriptor.bytes, on: bus.clients))
  }

  deinit {
    deviceReference.target.settle(
      .failure(HIDWireError(.gone, "the virtual device was released")))
    plugged.unplug()
  }

  /// Plugs the device, and answers hosts from now on.
  ///
  /// It can be used a moment later; ``dispatchInputReport(data:timestamp:)`` and clients of this process wait for that,
  /// but for the delegate while it answers. A device is activated once: a second call changes nothing.
  ///
  /// - Parameter delegate: Who answers, kept until the device is gone.
  public func activate(delegate: any HIDVirtualDeviceDelegate) {
    guard requests == nil else { return }
    let requests = DelegateRequests(self, delegate, lengths)
    self.requests = requests
    let target = deviceReference.target
    plugging = Task { [bus, description_, plugged] in
      do {
        let (port, record) = try await plugged.plug(description_, on: bus, handler: requests)
        target.settle(.success(record))
        // What is sent next shall reach clients that were here first.
        await target.waitForOpenings()
        return port
      } catch {
        let error =
          error as? HIDWireError ?? HIDWireError(.other, "the device cannot be plugged: \(error)")
        target.settle(.failure(error))
        throw error
      }
    }
  }

  /// Sends an input report to everybody who has the device open.
  ///
  /// Returns when the bus has taken the report; on the loopback bus it waits for clients that read slowly, as long as they
  /// make progress.
  ///
  /// - Parameters:
  ///   - data: The report, its ID first where the device numbers its reports. What it lacks to the declared length is
  ///     filled with zeros.
  ///   - timestamp: When the report was made. Clients see the time at which they got it: no bus carries another.
  /// - Throws: ``HIDDeviceError``: `notReady` before ``activate(delegate:)``, and when the device is gone;
  ///   `messageTooLarge` for more than declared; `badArgument` for none, or a report that is not declared; what plugging
  ///   failed with.
  public func dispatchInputReport(data: Data, timestamp: SuspendingClock.Instant) async throws {
    let report = try padded(data)
    let port = try await activePort()
    do throws(HIDWireError) {
      while try await !port.send(report) { await port.roomForInput() }
    } catch {
      throw HIDDeviceError(error)
    }
  }

  /// How many reports and requests of hosts the delegate did not get.
  var lostRequests: Int { requests?.lost ?? 0 }

  /// Whether somebody has activated the device.
  var isActivated: Bool { requests != nil }

  private func activePort() async throws(HIDDeviceError) -> any HIDPeripheralPort {
    if let port { return port }
    // Whoever answers a host is not kept waiting for what may wait for that answer: a driver that asks while it starts.
    if DelegateRequests.isAnswering, let port = plugged.port { return port }
    guard let plugging else { throw .notReady }
    do {
      let port = try await plugging.value
      self.port = port
      return port
    } catch {
      throw (error as? HIDWireError).map(HIDDeviceError.init) ?? .deviceError
    }
  }

  private func padded(_ data: Data) throws(HIDDeviceError) -> [UInt8] {
    var report = [UInt8](data)
    let id = lengths.isNumbered(.input) ? report.first.flatMap(HIDReportID.init(rawValue:)) : nil
    guard !report.isEmpty, let byteCount = lengths.byteCount(.input, id) else { throw .badArgument }
    guard report.count <= byteCount else { throw .messageTooLarge }
    report += repeatElement(0, count: byteCount - report.count)
    return report
  }
}

extension HIDPeripheralPort {
  fileprivate func send(_ report: [UInt8]) throws(HIDWireError) -> Bool {
    try sendInput(report.span)
  }
}

extension HIDVirtualDevice: Equatable, Hashable {
  /// Whether two devices are the same.
  public static func == (first: HIDVirtualDevice, second: HIDVirtualDevice) -> Bool {
    first === second
  }

  /// Feeds the device's identity to `hasher`.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension HIDVirtualDevice: CustomStringConvertible {
  /// The device's name and number.
  public nonisolated var description: String { deviceReference.description(of: "HIDVirtualDevice") }
}
