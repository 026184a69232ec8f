// SPDX-License-Identifier: Apache-2.0

// Everything public in this folder is hidsim's, and not Apple's: it hangs on one name, `hidsim`, of Apple's types. `HIDBus` is
// there for its `current`, and for tests.

@_exported public import struct HIDSystem.HIDBus
@_exported public import struct IOLoop.HIDLossCount
@_exported public import struct IOLoop.HIDReport
@_exported public import struct IOLoop.HIDReportBytes
@_exported public import class IOLoop.HIDReportHandling
@_exported public import struct IOLoop.HIDReportStream
import HIDWire

/// What hidsim offers beyond Apple's framework, by the name `hidsim` of one of its types.
///
/// Programs that are built for macOS as well leave it to `#if os(Linux)`.
public struct HIDSimExtensions<Base: Sendable>: Sendable {
  let base: Base
}

extension HIDDeviceClient {
  /// What hidsim offers beyond Apple's framework.
  public nonisolated var hidsim: HIDSimExtensions<HIDDeviceClient> { HIDSimExtensions(base: self) }
}

extension HIDVirtualDevice {
  /// What hidsim offers beyond Apple's framework.
  public nonisolated var hidsim: HIDSimExtensions<HIDVirtualDevice> { HIDSimExtensions(base: self) }
}

extension HIDSimExtensions<HIDDeviceClient> {
  /// Where the device is opened: `/dev/hidraw3`, or `loopback:` and its number; `nil` before it is plugged.
  public var node: String? { base.deviceReference.target.knownRecord?.address }

  /// The kernel's evdev nodes of the device, in the kernel's order.
  public var eventNodes: [String] { base.deviceReference.target.knownRecord?.eventNodes ?? [] }

  /// How many reports the open streams have lost, because a reader or the bus was too slow.
  public var lostReports: HIDLossCount { base.outstanding.lost }

  /// What failed last, in words: what was tried, on what, the answer, and what to do; `nil` if nothing did.
  public var lastFailure: String? { base.connection.lastFailure?.message }

  /// Starts a stream of input reports as they come: the fast way.
  ///
  /// Of a device that no stream or request of this client has opened yet, it begins with the first report that the device
  /// can send.
  ///
  /// It keeps the client. While another client has seized the device, nothing comes.
  ///
  /// Nothing is allocated for a report of up to 64 bytes, and the reader is not suspended while there is one. Its
  /// iterator's `withReports` lends all that are there at once. What the stream lost is in its `lost`.
  ///
  /// - Parameters:
  ///   - capacity: How many reports the stream holds for a slow reader.
  ///   - policy: What happens when it holds that many.
  /// - Throws: ``HIDDeviceError``, as ``HIDDeviceClient/dispatchGetReportRequest(type:id:timeout:)`` does for a device that
  ///   cannot be opened.
  public func reports(
    capacity: Int = 1024, policy: HIDReportStream.Policy = .lossless
  ) async throws -> HIDReportStream {
    try await reports(capacity: capacity, policy: policy) { _ in }
  }

  /// The same, and tells when another client seizes the device, or lets go of it.
  package func reports(
    capacity: Int, policy: HIDReportStream.Policy = .lossless,
    whenSeized: @escaping @Sendable (Bool) -> Void
  ) async throws -> HIDReportStream {
    do throws(HIDWireError) {
      let stream = try await base.connection.reports(
        ClientConnection.Capacity(count: capacity, policy: policy))
      let fast = FastStream(base, stream, whenSeized)
      base.connection.begin(fast)
      return stream.keeping(fast)
    } catch {
      throw base.connection.note(error)
    }
  }

  /// Calls a handler with input reports as they come, on the thread that reads them: what takes the least time of all.
  ///
  /// It begins as ``reports(capacity:policy:)`` does, and says nothing of the device's end.
  ///
  /// - Parameters:
  ///   - capacity: How many reports are held while the handler runs.
  ///   - policy: What happens when there are more.
  ///   - handler: Looks at the reports, oldest first, and does not keep them. It must not wait: the reports of all devices
  ///     of this process come on that thread.
  /// - Returns: What keeps it going: when that is dropped, the handler is not called again, but for a call under way.
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

  /// The thread that reads this device's reports, as an executor that a task may prefer.
  ///
  /// A task that waits for reports there hears of them without a change of threads, which takes longer than anything else
  /// on their way:
  ///
  /// ```swift
  /// try await withTaskExecutorPreference(client.hidsim.executor()) {
  ///   for await report in try await client.hidsim.reports() { … }
  /// }
  /// ```
  ///
  /// It must not do anything that takes long, nor wait but with `await`: the reports of all devices of this process come on
  /// that thread. Start streams and seize devices elsewhere, since both wait a little.
  ///
  /// - Throws: ``HIDDeviceError``, as ``reports(capacity:policy:)`` does.
  public func executor() async throws -> any TaskExecutor { try await port().loop.taskExecutor }

  private func port() async throws -> any HIDHostPort {
    do throws(HIDWireError) {
      return try await base.connection.port(until: nil)
    } catch {
      throw base.connection.note(error)
    }
  }
}

/// What goes with a stream of reports while somebody has it: its client, and what that has under way.
private final class FastStream: ClientStream {
  private let client: HIDDeviceClient
  // Not the stream that its consumer has, which keeps this.
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
  /// Waits until the device can be used by everybody: its nodes are there, and its driver is done with it.
  ///
  /// - Throws: ``HIDDeviceError``: `notReady` if it was not activated, or the kernel did not start it; `noResources` where
  ///   the bus has no more room; `notPrivileged` where it would type into somebody's windows.
  public func waitUntilReady() async throws {
    guard await base.isActivated else { throw HIDDeviceError.notReady }
    do throws(HIDWireError) {
      _ = try await base.deviceReference.target.record()
    } catch {
      throw HIDDeviceError(error)
    }
  }

  /// How many reports and requests of hosts the delegate did not get, because it was too slow or the kernel had no room.
  public var lostRequests: Int {
    get async { await base.lostRequests }
  }

  /// Where clients open the device: `/dev/hidraw3`, or `loopback:` and its number; `nil` while it is not there.
  public var node: String? { base.deviceReference.target.knownRecord?.address }

  /// The kernel's evdev nodes of the device, in the kernel's order.
  public var eventNodes: [String] { base.deviceReference.target.knownRecord?.eventNodes ?? [] }

  /// Why the device could not be plugged, in words: what was tried, the answer, and what to do; `nil` if nothing failed.
  public var failure: String? { base.deviceReference.target.failure?.message }
}
