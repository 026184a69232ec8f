// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor
public import IOLoop

/// What a device's end of the wire needs to know to plug a device: one interface of it.
public struct HIDPeripheralDescription: Sendable {
  /// Who the device says it is.
  public var identity: HIDDeviceIdentity
  /// Where it says it is.
  public var physicalPath: HIDPhysicalPath
  /// Its report descriptor.
  public let descriptor: HIDReportDescriptor

  /// Makes a description.
  ///
  /// - Parameters:
  ///   - identity: Who the device says it is.
  ///   - physicalPath: Where it says it is. It is marked here where input reports may be longer than declared.
  ///   - descriptor: The report descriptor. Where it allows long input, the device's port sends that.
  public init(
    identity: HIDDeviceIdentity, physicalPath: HIDPhysicalPath, descriptor: HIDReportDescriptor
  ) {
    self.identity = identity
    self.physicalPath = physicalPath
    self.physicalPath.allowsLongInput = descriptor.allowsLongInput
    self.descriptor = descriptor
  }
}

/// Who is told what a host does to a device.
public protocol HIDPeripheralHandler: AnyObject, Sendable {
  /// Takes what the host did since the last call, oldest first.
  ///
  /// Called on the port's loop. A request must be answered in time, here or later: its client is blocked until then.
  ///
  /// - Parameters:
  ///   - events: What happened. Valid during the call.
  ///   - port: The port it happened to.
  func receive(_ events: [HIDHostEventRecord], from port: any HIDPeripheralPort)

  /// Is told that the bus lost events of the host before the device could take them.
  func lost(_ count: Int, from port: any HIDPeripheralPort)
}

/// The device's end of a wire: one plugged interface.
///
/// The port is an actor on its bus' loop. From the loop its methods are called without a hop, by
/// `assumeIsolated`; from anywhere else with `await`, a batch at a time. Requests are answered from anywhere.
///
/// The device is gone when ``destroy()`` was called or the last reference is dropped.
public protocol HIDPeripheralPort: Actor {
  /// The bus the device is plugged into.
  nonisolated var bus: HIDBusKind { get }
  /// The loop that the port runs on, with those of all other devices of its bus in this process.
  nonisolated var loop: IOLoop { get }
  /// What was plugged.
  nonisolated var plugged: HIDPeripheralDescription { get }
  /// The declared lengths of the device's reports.
  nonisolated var lengths: HIDReportLengths { get }

  /// Whether the bus waits for every client that reads slowly.
  ///
  /// Where it does not, a client keeps a few dozen reports and loses the rest: who sends should not be
  /// faster than clients read.
  nonisolated var waitsForClients: Bool { get }

  /// How many input reports clients have lost so far, because they read too slowly: as far as the bus knows.
  var lostReports: Int { get }

  /// What keeps the device's input from a person's desktop, once it is ready.
  var isolation: HIDIsolation { get }

  /// Waits until the device can be used: every node its descriptor promises is there and opens.
  ///
  /// - Parameter bound: How long to wait.
  /// - Returns: The device as a client sees it.
  /// - Throws: `notStarted` if the bus did not take the descriptor or the driver gave up, `limitReached`
  ///   where the bus has no more room, `timedOut`; `permissionDenied` where the device would type into
  ///   somebody's windows.
  nonisolated func ready(within bound: Duration) async throws(HIDWireError) -> HIDDeviceRecord

  /// Sends one input report.
  ///
  /// - Parameter report: The bytes, the report ID first if the device numbers its input reports; exactly
  ///   as many as declared, and more only where the plugged descriptor allows it: at most 4,096, which is
  ///   what uhid takes.
  /// - Returns: Whether the report was taken; `false` when a client that makes progress has no room
  ///   for it now: wait for ``roomForInput()``.
  /// - Throws: `reportMismatch`, `gone`.
  func sendInput(_ report: Span<UInt8>) throws(HIDWireError) -> Bool

  /// Sends input reports in order, as many as there is room for.
  ///
  /// - Parameters:
  ///   - batch: The reports.
  ///   - range: Which of them to send.
  /// - Returns: The index of the first report that was not sent: the range's end when all were.
  /// - Throws: `reportMismatch` before any is sent, if one of them does not fit; `gone`.
  func sendInput(_ batch: HIDReportBatch, in range: Range<Int>) throws(HIDWireError) -> Int

  /// Waits until there is room for another input report, or the device is gone.
  nonisolated func roomForInput() async

  /// Answers a get-report request, from any thread. Answers to requests that are over are ignored.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - report: The report, its ID first if numbered; `nil` for an error, which the client sees as `EIO`.
  nonisolated func answerGet(_ request: HIDRequestID, _ report: [UInt8]?)

  /// Answers a set-report request, from any thread. Answers to requests that are over are ignored.
  nonisolated func answerSet(_ request: HIDRequestID, accepted: Bool)

  /// Hands on what the host has done by now, before it returns.
  ///
  /// A host that has written a report and ended has been heard then, though the device's end comes next.
  func catchUp()

  /// Unplugs the device, and returns when the bus has let go of it.
  ///
  /// Clients see it go; nothing is sent or received from the moment of the call.
  func destroy() async
}

extension HIDPeripheralPort {
  /// A bus that does not say so does not wait, as the kernel's: it knows nothing of other programs' clients.
  public nonisolated var waitsForClients: Bool { false }

  /// Sends the reports of a batch from one on, as many as there is room for.
  public func sendInput(_ batch: HIDReportBatch, from start: Int) throws(HIDWireError) -> Int {
    try sendInput(batch, in: start..<batch.count)
  }

  /// Sends all reports of a batch, waiting for room where a client has none.
  ///
  /// - Parameter progress: Is told after each step how many have been sent.
  /// - Throws: `reportMismatch` before any is sent, if one does not fit; `gone`.
  public nonisolated func send(
    _ batch: HIDReportBatch, progress: (_ sent: Int) -> Void = { _ in }
  ) async throws(HIDWireError) {
    var sent = 0
    while sent < batch.count {
      sent = try await sendInput(batch, from: sent)
      progress(sent)
      if sent < batch.count { await roomForInput() }
    }
  }
}
