// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDBus

/// A HID device that this program simulates.
///
/// The device is plugged from ``activate(delegate:)`` until the last reference to it is released.
/// On the loopback bus, its clients then have 5 s at most to receive what was sent.
///
/// The device is on the kernel's bus, for every program, if that bus can be used. Otherwise it is
/// on the loopback bus, for programs that use this module or hidsim. The bus of the task
/// (`HIDBus.$current`) or the environment variable `HIDSIM_BUS` selects another bus.
public actor HIDVirtualDevice {
  /// The reference to the device, from which this process can make clients of it.
  public nonisolated final let deviceReference: HIDDeviceClient.DeviceReference

  private let bus: HIDBus
  private let description_: HIDDeviceDescription
  private let lengths: HIDReportLengths
  private var requests: DelegateRequests?
  private let plugged = PluggedDevice()
  private var plugging: Task<any HIDDevicePort, any Error>?
  private var port: (any HIDDevicePort)?

  /// Makes a device that is not plugged yet.
  ///
  /// The result is `nil` if the selected bus cannot be used, or if the report descriptor is not
  /// valid or the bus refuses it. It is also `nil` if the version number needs more than 32 bits.
  ///
  /// - Parameter properties: The identity of the device.
  public init?(properties: Properties) {
    guard let bus = try? HIDBus.current ?? HIDBus(.fromEnvironment()),
      let descriptor = try? HIDReportDescriptor(parsing: Array(properties.descriptor)),
      bus.refusal(of: descriptor) == nil, let identity = properties.identity
    else { return nil }
    let id = bus.allocateDeviceID()
    self.bus = bus
    description_ = HIDDeviceDescription(
      identity: identity, physicalPath: HIDPhysicalPath(deviceID: id, interface: 0),
      descriptor: descriptor)
    lengths = HIDReportLengths(descriptor)
    deviceReference = HIDDeviceClient.DeviceReference(
      DeviceTarget(id, identity, descriptor.bytes, on: bus.clients))
  }

  deinit {
    deviceReference.target.settle(
      .failure(HIDBusError(.gone, "the virtual device was released")))
    plugged.unplug()
  }

  /// Plugs the device, and answers hosts from now on.
  ///
  /// The device can be used a short time after this call returns. Until then clients of this
  /// process wait. ``dispatchInputReport(data:timestamp:)`` waits too, except in a delegate that
  /// answers a host. If plugging fails, `hidsim.failure` has the reason. A device is activated
  /// once: a second call changes nothing.
  ///
  /// - Parameter delegate: The delegate that answers hosts. The device keeps it until the device is
  ///   released.
  public func activate(delegate: any HIDVirtualDeviceDelegate) {
    guard requests == nil else { return }
    let requests = DelegateRequests(self, delegate, lengths)
    self.requests = requests
    let target = deviceReference.target
    plugging = Task { [bus, description_, plugged] in
      do {
        let (port, record) = try await plugged.plug(description_, on: bus, handler: requests)
        target.settle(.success(record))
        // An input report that is sent next must reach the clients that were already opening the
        // device.
        await target.waitForOpenings()
        return port
      } catch {
        let error =
          error as? HIDBusError ?? HIDBusError(.other, "the device cannot be plugged: \(error)")
        target.settle(.failure(error))
        throw error
      }
    }
  }

  /// Sends an input report to all clients that have the device open.
  ///
  /// Returns when the bus has taken the report. It waits for clients that read slowly, as long as
  /// they make progress. On the kernel's bus these are the clients of hidsim only. A loopback bus
  /// that drops reports as the kernel does has no wait.
  ///
  /// - Parameters:
  ///   - data: The report, its ID first if the device numbers its input reports. A report that is
  ///     shorter than declared is filled up with zeros.
  ///   - timestamp: The time at which the report was made. Clients see the time at which they
  ///     received it: no bus carries another time.
  /// - Throws: ``HIDDeviceError``: `notReady` before ``activate(delegate:)``, and when the device
  ///   is gone; `messageTooLarge` for a report longer than declared; `badArgument` for an empty
  ///   report, or one that is not declared; the error with which plugging or sending failed.
  public func dispatchInputReport(data: Data, timestamp: SuspendingClock.Instant) async throws {
    let report = try padded(data)
    let port = try await activePort()
    do throws(HIDBusError) {
      while try await !port.send(report) { await port.roomForInput() }
    } catch {
      throw HIDDeviceError(error)
    }
  }

  /// The number of reports and requests of hosts that the delegate did not get.
  var lostRequests: Int { requests?.lost ?? 0 }

  /// True from the first call of ``activate(delegate:)`` on.
  var isActivated: Bool { requests != nil }

  private func activePort() async throws(HIDDeviceError) -> any HIDDevicePort {
    if let port { return port }
    // A delegate that answers a host must not wait until the device is ready: a driver may ask
    // while it starts, and the device is ready only after that answer.
    if DelegateRequests.isAnswering, let port = plugged.port { return port }
    guard let plugging else { throw .notReady }
    do {
      let port = try await plugging.value
      self.port = port
      return port
    } catch {
      throw (error as? HIDBusError).map(HIDDeviceError.init) ?? .deviceError
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

extension HIDDevicePort {
  fileprivate func send(_ report: [UInt8]) throws(HIDBusError) -> Bool {
    try sendInput(report.span)
  }
}

extension HIDVirtualDevice: Equatable, Hashable {
  /// Returns whether two devices are the same object.
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
