// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// The device nodes that the kernel makes for an interface.
public enum HIDDeviceNodes: String, Hashable, Sendable, CaseIterable {
  /// Those that its driver makes: a hidraw node, and in most cases evdev nodes.
  case any
  /// None: its driver serves other parts of the kernel, such as I2C or hwmon, or no driver takes
  /// the interface.
  case none
}

/// The description of one interface of a device, needed to plug it.
public struct HIDDeviceDescription: Sendable {
  /// The identity that the device reports.
  public var identity: HIDDeviceIdentity
  /// The physical path that the device reports.
  public var physicalPath: HIDPhysicalPath
  /// The device's report descriptor.
  public let descriptor: HIDReportDescriptor
  /// The nodes that the kernel makes for the interface.
  public var nodes = HIDDeviceNodes.any
  /// The settings of the USB device; a bus of USB devices takes those of the first interface.
  package var usb = USBSettings()
  /// The settings of the interface on a bus of USB devices.
  package var usbInterface = USBInterfaceSettings()

  /// Makes a description.
  ///
  /// - Parameters:
  ///   - identity: The identity that the device reports.
  ///   - physicalPath: The physical path that the device reports. Its
  ///     ``HIDPhysicalPath/allowsLongInput`` is taken from the descriptor.
  ///   - descriptor: The report descriptor. If it allows long input, the device may send input
  ///     reports longer than declared.
  public init(
    identity: HIDDeviceIdentity, physicalPath: HIDPhysicalPath, descriptor: HIDReportDescriptor
  ) {
    self.identity = identity
    self.physicalPath = physicalPath
    self.physicalPath.allowsLongInput = descriptor.allowsLongInput
    self.descriptor = descriptor
  }
}

/// The receiver of the host events of a device.
public protocol HIDDeviceHandler: AnyObject, Sendable {
  /// Called with the host events since the previous call, oldest first.
  ///
  /// The call is made on the port's loop. Each request must be answered in time, in this call or
  /// later, since its client is blocked until then.
  ///
  /// The loopback bus drops no events while the device is plugged. The kernel drops those that find
  /// its queue full, without notice.
  ///
  /// - Parameters:
  ///   - events: The events, at least one.
  ///   - port: The port that received them.
  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort)
}

/// The device's end of a bus: one plugged interface.
///
/// The port is an actor on its bus' loop. On the loop, call its methods through `assumeIsolated`,
/// without a thread change. From any other thread use `await`, with many reports in one call.
/// Requests can be answered from any thread.
///
/// The device is gone after ``destroy()``, or when the last reference is released.
public protocol HIDDevicePort: Actor {
  /// The bus the device is plugged into.
  nonisolated var bus: HIDBusKind { get }
  /// The loop that runs this port and all other ports of its bus in this process.
  nonisolated var loop: IOLoop { get }
  /// The description with which the interface was plugged.
  ///
  /// The kernel bus sets the ``HIDPhysicalPath/isLive`` of its path.
  nonisolated var plugged: HIDDeviceDescription { get }
  /// The declared lengths of the device's reports.
  nonisolated var lengths: HIDReportLengths { get }

  /// True if the bus waits for every client that reads slowly, as long as the client makes
  /// progress.
  ///
  /// Otherwise a client may keep only a few dozen reports and lose later ones, so a sender must not
  /// be faster than the clients read.
  nonisolated var waitsForClients: Bool { get }

  /// The number of input reports that slow clients have lost so far, as far as the bus can count
  /// them.
  ///
  /// On the loopback bus it includes reports that were not sent before the device was destroyed. On
  /// the kernel bus it is 0 once the device is gone.
  var lostReports: Int { get }

  /// The method that keeps the device's input away from a user's desktop; valid once the device is
  /// ready.
  var isolation: HIDIsolation { get }

  /// Waits until the device can be used: a driver is bound, its probe is over, and all nodes that
  /// it has made exist.
  ///
  /// With ``HIDDeviceNodes/none`` a device that no driver takes can be used, too.
  ///
  /// On the loopback bus there is no wait.
  ///
  /// - Parameter bound: The longest wait for the nodes. A grab of the nodes can take longer.
  /// - Returns: The record that client buses report for the device. If the driver makes no hidraw
  ///   node, they report none, and the address is the device's folder in sysfs.
  /// - Throws: `notStarted` if the bus did not accept the descriptor, the driver gave up, or the
  ///   time is over; `limitReached` if the bus is full, or if the process lacks descriptors, memory
  ///   or threads for a grab; `permissionDenied` if the device would type into a user's windows;
  ///   `gone` if the device was unplugged.
  nonisolated func ready(within bound: Duration) async throws(HIDBusError) -> HIDDeviceRecord

  /// Sends one input report.
  ///
  /// - Parameter report: The bytes, the report ID first if the device numbers its input reports.
  ///   The length must be the declared one. It may be greater, up to 4,096 bytes (uhid's limit),
  ///   only if the plugged descriptor allows that.
  /// - Returns: True if the report was sent; a client for which the bus does not wait can still
  ///   lose it. `false` if a client that the bus waits for has no room for it now: wait for
  ///   ``roomForInput()``.
  /// - Throws: `reportMismatch`, `gone`; any other error of `/dev/uhid`.
  func sendInput(_ report: Span<UInt8>) throws(HIDBusError) -> Bool

  /// Sends input reports in order, as many as there is room for.
  ///
  /// - Parameters:
  ///   - batch: The reports.
  ///   - range: The indices of the reports to send.
  /// - Returns: The index of the first report that was not sent; the range's end if all were.
  /// - Throws: `reportMismatch` before any is sent, if one of them has an undeclared ID or length;
  ///   `gone`; any other error of `/dev/uhid`.
  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int

  /// Sends input reports like ``sendInput(_:in:)``, from a job on the loop that may send more.
  ///
  /// The bus may send the reports after the job has ended. They are sent in the order of the calls,
  /// also those of other devices. By default they are sent at once.
  func sendInputSoon(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDBusError) -> Int

  /// Waits until there is room for another input report, or the device is gone.
  nonisolated func roomForInput() async

  /// Answers a get-report request, from any thread.
  ///
  /// The answer is ignored if the request has ended, or was a set-report request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - report: The report, its ID first if numbered; `nil` for an error, which the client
  ///     receives as `EIO`. A report that is longer than the client's buffer is cut, on the kernel
  ///     bus also one that is longer than 4,096 bytes.
  nonisolated func answerGet(_ request: HIDRequestID, _ report: [UInt8]?)

  /// Answers a set-report request, from any thread.
  ///
  /// The answer is ignored if the request has ended, or was a get-report request. The client
  /// receives a refusal as `EIO`.
  nonisolated func answerSet(_ request: HIDRequestID, accepted: Bool)

  /// Passes all host events so far to the handler before it returns.
  ///
  /// So a report that a host wrote before it exited is received, even if the device is destroyed
  /// next.
  func catchUp()

  /// Unplugs the device, and returns when the bus has released it.
  ///
  /// Clients see the device disappear. From the moment of the call no more reports are accepted,
  /// and the handler gets no more events. Clients of the loopback bus still get the reports that
  /// were sent before, for 5 s at most. A second call returns at once.
  func destroy() async
}

extension HIDDevicePort {
  /// False by default: the kernel's bus, for example, has no list of the clients of other programs.
  public nonisolated var waitsForClients: Bool { false }

  /// Sends input reports at once, with ``sendInput(_:in:)``.
  public func sendInputSoon(
    _ batch: HIDReportBatch, in range: Range<Int>
  ) throws(HIDBusError) -> Int {
    try sendInput(batch, in: range)
  }

  /// Sends the reports of a batch from an index on, as many as there is room for.
  ///
  /// - Returns: The index of the first report that was not sent; the number of reports if all were.
  /// - Throws: The errors of ``sendInput(_:in:)``.
  public func sendInput(_ batch: HIDReportBatch, from start: Int) throws(HIDBusError) -> Int {
    try sendInput(batch, in: start..<batch.count)
  }

  /// Sends the reports of a batch from an index on, and waits whenever a client has no room.
  ///
  /// - Parameters:
  ///   - batch: The reports.
  ///   - start: The index of the first report to send; by default all are sent.
  ///   - progress: Called after each step with the number of reports sent so far.
  /// - Throws: The errors of ``sendInput(_:in:)``.
  public nonisolated func send(
    _ batch: HIDReportBatch, from start: Int = 0, progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDBusError) {
    var sent = start
    while sent < batch.count {
      sent = try await sendInput(batch, from: sent)
      progress(sent)
      if sent < batch.count { await roomForInput() }
    }
  }
}
