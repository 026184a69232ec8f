// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// A client's end of the loopback bus: one connection to a device.
final class LoopbackPort: HIDClientPort {
  var loop: IOLoop { LoopbackClient.loop }
  let device: HIDDeviceRecord
  let lengths: HIDReportLengths
  private let connection: LoopbackClient
  private let turn = AsyncLock()

  private init(
    _ device: HIDDeviceRecord, _ lengths: HIDReportLengths, _ connection: LoopbackClient
  ) {
    self.device = device
    self.lengths = lengths
    self.connection = connection
  }

  deinit { close() }

  /// Opens a device.
  ///
  /// - Parameter prepare: Called with the connection before the open message is sent.
  static func open<Value>(
    _ device: HIDDeviceRecord, in directory: BusDirectory, _ prepare: (LoopbackClient) -> Value
  ) async throws(HIDBusError) -> (port: LoopbackPort, value: Value) {
    let port = try connect(to: device, in: directory)
    let value = prepare(port.connection)
    guard await port.connection.open() else { throw port.notOpened() }
    return (port, value)
  }

  /// Opens a device as `open` does, but blocks the calling thread meanwhile.
  static func openNow<Value>(
    _ device: HIDDeviceRecord, in directory: BusDirectory, _ prepare: (LoopbackClient) -> Value
  ) throws(HIDBusError) -> (port: LoopbackPort, value: Value) {
    let port = try connect(to: device, in: directory)
    let value = prepare(port.connection)
    guard port.connection.openNow() else { throw port.notOpened() }
    return (port, value)
  }

  /// Connects to a device, without opening it yet.
  private static func connect(
    to device: HIDDeviceRecord, in directory: BusDirectory
  ) throws(HIDBusError) -> LoopbackPort {
    try HIDBusError.check(LoopbackClient.loop, "open \(device.address)")
    let descriptor = try device.parsedDescriptor()
    do throws(Errno) {
      let socket = try SocketDescriptor.connected(
        to: DeviceEntry.socketName(of: device.id, on: .loopback), in: directory)
      let connection = LoopbackClient(socket)
      try connection.start()
      return LoopbackPort(device, HIDReportLengths(descriptor), connection)
    } catch {
      if error == .wouldBlock {
        throw HIDBusError(
          .busy,
          """
          open \(device.address): the process of the device accepts no connections; it may be \
          stopped, or have too many clients: continue it, or close other clients
          """,
          errorNumber: error.rawValue)
      }
      let isGone = [.noSuchFileOrDirectory, .connectionRefused].contains(error)
      let isLimit = HIDBusError.limits.contains(error)
      throw HIDBusError(
        isGone ? .gone : isLimit ? .limitReached : .unavailable,
        "open \(device.address): \(error)\(isGone ? "; the device is gone" : "")",
        errorNumber: error.rawValue)
    }
  }

  private func notOpened() -> HIDBusError {
    close()
    return HIDBusError(.gone, "open \(device.address): the device is gone")
  }

  func reports(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream {
    connection.subscribe(capacity: capacity, policy: policy)
  }

  func catchUp() { connection.catchUp() }

  func write(_ bytes: [UInt8]) async throws(HIDBusError) { try await write(bytes, until: nil) }

  private func write(
    _ bytes: [UInt8], until deadline: MonotonicTime?
  ) async throws(HIDBusError) {
    // hidraw.c refuses a write without a byte after the ID, or above HID_MAX_BUFFER_SIZE (6.12).
    guard bytes.count >= 2, bytes.count <= ReportRing.longestReport else {
      throw wrongLength("write")
    }
    try await takeTurn(until: deadline, "write \(device.address)")
    defer { turn.leave() }
    switch await connection.send(.write(bytes), until: deadline) {
    case .gone: throw gone("write")
    case .timedOut: throw Self.timedOut("write \(device.address)")
    case .answered, .refused: break
    }
  }

  func setReport(
    _ type: HIDReportType, _ report: [UInt8], timeout: Duration?
  ) async throws(HIDBusError) {
    let bytes = lengths.isNumbered(type) ? report : [0] + report
    // As in the kernel (uhid, 6.12), output reports are sent without waiting for an answer.
    if type == .output {
      return try await write(bytes, until: timeout.map { MonotonicTime.now.advanced(by: $0) })
    }
    guard bytes.count >= 2, bytes.count <= ReportRing.longestReport else {
      throw wrongLength("set \(type) report")
    }
    _ = try await request("set \(type) report", timeout) {
      .set(token: $0, type, bytes)
    }
  }

  func getReport(
    _ type: HIDReportType, _ id: HIDReportID?, timeout: Duration?
  ) async throws(HIDBusError) -> [UInt8] {
    try await request("get \(type) report", timeout) {
      .get(token: $0, type, number: id?.rawValue ?? 0)
    }
  }

  private func request(
    _ action: @autoclosure () -> String, _ timeout: Duration?,
    _ message: (UInt32) -> LoopbackMessage
  ) async throws(HIDBusError) -> [UInt8] {
    let deadline = timeout.map { MonotonicTime.now.advanced(by: $0) }
    try await takeTurn(until: deadline, "\(action()) \(device.address)")
    defer { turn.leave() }
    switch await connection.request(until: deadline, message) {
    case .answered(let report): return report
    case .refused:
      throw HIDBusError(
        .ioError,
        "\(action()) \(device.address): \(Errno.ioError); the device refused, or did not answer within 5 s",
        errorNumber: Errno.ioError.rawValue)
    case .timedOut: throw Self.timedOut("\(action()) \(device.address)")
    case .gone: throw gone(action())
    }
  }

  /// Waits until all earlier calls have ended.
  ///
  /// A cancelled task waits, too.
  ///
  /// - Throws: `timedOut` at the deadline, if the caller has to wait for others.
  private func takeTurn(
    until deadline: MonotonicTime?, _ action: @autoclosure () -> String
  ) async throws(HIDBusError) {
    guard await turn.enter(until: deadline, isCancellable: false) else {
      throw Self.timedOut(action())
    }
  }

  private static func timedOut(_ action: String) -> HIDBusError {
    HIDBusError(
      .timedOut, "\(action): \(Errno.timedOut); no answer came in time",
      errorNumber: Errno.timedOut.rawValue)
  }

  private func wrongLength(_ action: String) -> HIDBusError {
    HIDBusError(
      .invalidArgument,
      """
      \(action) \(device.address): \(Errno.invalidArgument); a report has 1 to \
      \(ReportRing.longestReport - 1) bytes without its ID
      """, errorNumber: Errno.invalidArgument.rawValue)
  }

  private func gone(_ action: String) -> HIDBusError {
    HIDBusError(.gone, "\(action) \(device.address): the device is gone")
  }

  func close() { connection.close() }
}
