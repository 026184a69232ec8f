// SPDX-License-Identifier: Apache-2.0

// The public declarations in this folder are hidsim's, and not Apple's. Programs reach them through
// one property, `hidsim`, of Apple's types.

import HIDBus
import IOLoop

/// The functions that hidsim adds to Apple's framework, below the name `hidsim` of a type.
///
/// A program that is also built for macOS must use them inside `#if os(Linux)`.
public struct HIDSimExtensions<Base: Sendable>: Sendable {
  let base: Base
}

extension HIDDeviceClient {
  /// The functions that hidsim adds to Apple's framework.
  public nonisolated var hidsim: HIDSimExtensions<HIDDeviceClient> { HIDSimExtensions(base: self) }
}

extension HIDVirtualDevice {
  /// The functions that hidsim adds to Apple's framework.
  public nonisolated var hidsim: HIDSimExtensions<HIDVirtualDevice> { HIDSimExtensions(base: self) }
}

extension HIDSimExtensions<HIDDeviceClient> {
  /// The address of the device: `/dev/hidraw3`, or `loopback:` and the ID of the device.
  ///
  /// For a client from ``HIDVirtualDevice/deviceReference`` it is `nil` before the device is
  /// plugged, if plugging failed, and after the device was released.
  public var node: String? { base.deviceReference.target.knownRecord?.node }

  /// The kernel's evdev nodes of the device, in the kernel's order.
  ///
  /// The list is empty on the loopback bus, and while `node` is `nil`.
  public var eventNodes: [String] { base.deviceReference.target.knownRecord?.eventNodes ?? [] }

  /// The number of reports that open streams have lost, because a reader or the bus was too slow.
  public var lostReports: HIDLossCount { base.outstanding.lost }

  /// A text about the last failure; `nil` if nothing failed.
  ///
  /// It names the operation and the error, and in most cases the device and a remedy. Errors that
  /// this module finds before it asks the bus, such as `badArgument` and `busy`, are not recorded.
  public var lastFailure: String? { base.connection.lastFailure?.message }

  /// Starts a stream of input reports, which is faster than a stream of notifications.
  ///
  /// If no stream or request of this client has opened the device yet, the stream begins with the
  /// first report that the device can send.
  ///
  /// The stream keeps the client alive. While another client has seized the device, the stream gets
  /// no reports.
  ///
  /// Nothing is allocated for a report of up to 64 bytes, and the reader is not suspended while
  /// there is a report. `withReports` of the stream's iterator gives up to 64 available reports to
  /// one call of a closure. The stream counts lost reports in its `lost`.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that the stream holds for a slow reader, rounded up to a
  ///     power of two; 1,048,576 at most.
  ///   - policy: The policy for reports that arrive while the stream is full.
  /// - Throws: ``HIDDeviceError``, as
  ///   ``HIDDeviceClient/dispatchGetReportRequest(type:id:timeout:)`` does for a device that cannot
  ///   be opened; `aborted` if the task is cancelled before the device is open.
  public func reports(
    capacity: Int = 1024, policy: HIDReportStream.Policy = .lossless
  ) async throws -> HIDReportStream {
    try await reports(capacity: capacity, policy: policy) { _ in }
  }

  /// Starts a stream of input reports, and reports when another client seizes or releases the
  /// device.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that the stream holds for a slow reader, rounded up to a
  ///     power of two; 1,048,576 at most.
  ///   - policy: The policy for reports that arrive while the stream is full.
  ///   - whenSeized: Called with true when another client seizes the device, or at once if one has
  ///     seized it already; called with false when that client releases it. It must not use the
  ///     client: a lock of the client is held during the call.
  package func reports(
    capacity: Int, policy: HIDReportStream.Policy = .lossless,
    whenSeized: @escaping @Sendable (Bool) -> Void
  ) async throws -> HIDReportStream {
    do throws(HIDBusError) {
      let stream = try await base.connection.reports(
        ClientConnection.Capacity(count: capacity, policy: policy))
      let fast = FastStream(base, stream, whenSeized)
      base.connection.begin(fast)
      return stream.keeping(fast)
    } catch {
      throw base.connection.note(error)
    }
  }

  /// Calls a handler with input reports on the thread that reads them, which is the fastest way.
  ///
  /// The handler gets the reports that a stream of ``reports(capacity:policy:)`` would get. It is
  /// not called when the device is unplugged.
  ///
  /// - Parameters:
  ///   - capacity: The number of reports that are held while the handler runs, rounded up to a
  ///     power of two; 1,048,576 at most.
  ///   - policy: The policy for reports that arrive while `capacity` reports are held.
  ///   - handler: Called with the reports, oldest first, which it must not keep. It must not block:
  ///     its thread reads the reports of all devices on the same bus.
  /// - Returns: An object that keeps the handler active. A call that is running when the object is
  ///   released continues to its end. If the object is not released on the thread of the handler,
  ///   one more call may begin.
  /// - Throws: ``HIDDeviceError``, as ``reports(capacity:policy:)`` does.
  public func handleReports(
    capacity: Int = 1024, policy: HIDReportStream.Policy = .lossless,
    _ handler: @escaping @Sendable (Span<HIDReport>) -> Void
  ) async throws -> HIDReportHandling {
    try await handle(reports(capacity: capacity, policy: policy), handler)
  }

  /// Calls a handler with the reports of a stream, from its first one on, as
  /// ``handleReports(capacity:policy:_:)`` does.
  package func handle(
    _ stream: HIDReportStream, _ handler: @escaping @Sendable (Span<HIDReport>) -> Void
  ) async throws -> HIDReportHandling {
    HIDReportHandling(stream, on: try await port().loop, handler)
  }

  /// Returns an executor for tasks on the thread that reads this device's reports.
  ///
  /// A task that waits for reports on that thread gets them without a change of threads. Such a
  /// change takes longer than anything else between the device and the task:
  ///
  /// ```swift
  /// try await withTaskExecutorPreference(client.hidsim.executor()) {
  ///   for await report in try await client.hidsim.reports() { … }
  /// }
  /// ```
  ///
  /// The task must not do long work, and must wait with `await` only: that thread reads the reports
  /// of all devices on the same bus. Start streams of notifications and seize devices elsewhere:
  /// seizing blocks the thread, and a stream that is started there does not wait until the device
  /// is open.
  ///
  /// - Throws: ``HIDDeviceError``, as ``reports(capacity:policy:)`` does.
  public func executor() async throws -> any TaskExecutor { try await port().loop.taskExecutor }

  private func port() async throws -> any HIDClientPort {
    do throws(HIDBusError) {
      return try await base.connection.port(until: nil)
    } catch {
      throw base.connection.note(error)
    }
  }
}

/// An object that keeps the client alive for a stream of reports, and mutes the stream while
/// another client has seized the device.
///
/// The consumer's stream keeps this object.
private final class FastStream: ClientStream {
  private let client: HIDDeviceClient
  // A control of the stream, and not the stream itself: the consumer's stream keeps this object.
  private let stream: HIDReportStream.Control
  private let whenSeized: @Sendable (Bool) -> Void

  init(
    _ client: HIDDeviceClient, _ stream: HIDReportStream,
    _ whenSeized: @escaping @Sendable (Bool) -> Void
  ) {
    self.client = client
    self.stream = stream.control
    self.whenSeized = whenSeized
  }

  deinit { client.outstanding.endStream(ObjectIdentifier(self)) }

  func noteSeized(_ isSeized: Bool) {
    stream.setMuted(isSeized)
    whenSeized(isSeized)
  }

  var lost: HIDLossCount { stream.lost }
}

extension HIDSimExtensions<HIDVirtualDevice> {
  /// Waits until the programs that its bus serves can use the device.
  ///
  /// On the kernel's bus, the nodes of the device then exist, and its driver has set it up.
  ///
  /// - Throws: ``HIDDeviceError``, such as `notReady` if the device was not activated, or the
  ///   kernel did not start it; `noResources` if the bus has no more room; `notPrivileged` if the
  ///   device would type into the windows of a user.
  public func waitUntilReady() async throws {
    guard await base.isActivated else { throw HIDDeviceError.notReady }
    do throws(HIDBusError) {
      _ = try await base.deviceReference.target.record()
    } catch {
      throw HIDDeviceError(error)
    }
  }

  /// The number of reports and requests of hosts that the delegate did not get.
  ///
  /// A report or request is lost if 4,096 others wait for the delegate. Reports for which the
  /// kernel has no room are lost too, but not counted.
  public var lostRequests: Int {
    get async { await base.lostRequests }
  }

  /// The address of the device for clients: `/dev/hidraw3`, or `loopback:` and its ID.
  ///
  /// It is `nil` while the device is not plugged, and if its driver makes no hidraw node.
  public var node: String? { base.deviceReference.target.knownRecord?.node }

  /// The kernel's evdev nodes of the device, in the kernel's order.
  ///
  /// The list is empty on the loopback bus, and while the device is not plugged.
  public var eventNodes: [String] { base.deviceReference.target.knownRecord?.eventNodes ?? [] }

  /// A text about the failure to plug the device; `nil` if nothing failed.
  ///
  /// It names the operation and the error, and in most cases a remedy.
  public var failure: String? { base.deviceReference.target.failure?.message }
}
