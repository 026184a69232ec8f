// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// A client's end of the kernel bus: one open hidraw node.
///
/// Reports are read on a loop, and by readers that are about to sleep. Opening, writing and
/// requests run on other threads, since each of them may wait for a request of another client.
final class HIDRawPort: HIDClientPort {
  /// The loop that reads every hidraw node of this process.
  private static let loop = IOLoop(name: "hidsim-hidraw", notesRests: true)
  var loop: IOLoop { Self.loop }

  /// An open node, closed when the last reference is released.
  private final class Node: Sendable {
    let descriptor: HIDRawDescriptor
    init(_ descriptor: consuming HIDRawDescriptor) { self.descriptor = descriptor }
  }

  private struct State: Sendable {
    /// The open node; `nil` once the port is closed.
    ///
    /// A call that still uses the node keeps it open.
    var node: Node?
    var watch: IOLoop.WatchID?
    /// The control socket of the device, while the port answers on it.
    ///
    /// Devices that hidsim has not plugged have no such socket.
    var control: (client: ControlClient, watch: IOLoop.WatchID)?
  }

  let device: HIDDeviceRecord
  let lengths: HIDReportLengths
  /// True if hidsim has plugged the device; stored because each answer needs it.
  private let isOurs: Bool
  private let lane: BlockingLane
  private let reader: HIDRawReader
  private let state: Mutex<State>

  private init(
    _ device: HIDDeviceRecord, _ lengths: HIDReportLengths, _ node: Node, _ lane: BlockingLane
  ) {
    self.device = device
    isOurs = device.isOurs
    self.lengths = lengths
    state = Mutex(State(node: node))
    self.lane = lane
    reader = HIDRawReader(
      descriptor: node.descriptor.pollDescriptor, lengths: lengths, loop: Self.loop)
  }

  deinit { close() }

  /// Opens a node on a thread of its own.
  ///
  /// - Parameters:
  ///   - device: The device of the node.
  ///   - directory: The folder with the control sockets of hidsim's devices, which report how many
  ///     reports they have sent; `nil` to read without them.
  static func open(
    _ device: HIDDeviceRecord, directory: BusDirectory?
  ) async throws(HIDBusError) -> HIDRawPort {
    try await Thread.call(to: "open \(device.address)") {
      Result { () throws(HIDBusError) in try openNow(device, directory: directory) }
    }.get()
  }

  /// Opens a node on the caller's thread, which may wait for a request of another client.
  static func openNow(
    _ device: HIDDeviceRecord, directory: BusDirectory?
  ) throws(HIDBusError) -> HIDRawPort {
    for loop in [loop, .housekeeping] {
      try HIDBusError.check(loop, "open \(device.address)")
    }
    let descriptor = try device.parsedDescriptor()
    let node: Node
    let lane: BlockingLane
    do throws(Errno) {
      node = Node(try HIDRawDescriptor(path: device.address))
      lane = try BlockingLane(name: "hidsim-request")
    } catch {
      throw HIDBusError.hidraw(error, "open", device.address)
    }
    let port = HIDRawPort(device, HIDReportLengths(descriptor), node, lane)
    do throws(Errno) {
      try port.startReading(node)
    } catch {
      throw HIDBusError.lacking(error, "open \(device.address)")
    }
    if device.isOurs, let directory { port.startCounting(in: directory) }
    return port
  }

  // MARK: Reading

  private func startReading(_ node: Node) throws(Errno) {
    let reader = reader
    let watch = try Self.loop.watch(node.descriptor.pollDescriptor, for: .read) {
      [weak self] readiness in
      // The node stays open while its watch exists.
      _ = node
      // The device is gone. Its last count request may be unread, and delivers its counts: without
      // them the final losses would be unknown.
      if !readiness.isDisjoint(with: .hangUp) { self?.answerLastQuestion() }
      reader.drain()
    }
    state.withLock { $0.watch = watch }
    reader.whenOver { [weak self] in self?.stopWatching() }
  }

  private func stopWatching() {
    let (watch, node) = state.withLock { state in
      defer { state.watch = nil }
      return (state.watch, state.node)
    }
    if let watch, let node { Self.loop.stopWatching(watch, node.descriptor.pollDescriptor) }
    stopCounting()
  }

  /// Starts to answer the device's count requests, which ask how many reports were read.
  private func startCounting(in directory: BusDirectory) {
    guard let client = ControlClient(to: device.id, in: directory) else { return }
    // The first count request can arrive before `state` has the client.
    let watch = try? Self.loop.watch(client.pollDescriptor, for: .read) { [weak self] _ in
      self?.answerQuestion(of: client)
    }
    guard let watch else { return }
    let isOver = state.withLock { state in
      if state.watch != nil { state.control = (client, watch) }
      return state.watch == nil
    }
    // The device may have gone in the meantime.
    if isOver { Self.loop.stopWatching(watch, client.pollDescriptor) }
  }

  private func answerLastQuestion() {
    if let client = state.withLock({ $0.control?.client }) { answerQuestion(of: client) }
  }

  /// Answers the next count request of the device, if one has arrived.
  private func answerQuestion(of client: ControlClient) {
    do throws(Errno) {
      guard let question = try client.question() else { return }
      reader.ask(question, client.counts) { room, lost in
        client.answer(question.sent, room: room, lost: lost)
      }
    } catch {
      stopCounting()
    }
  }

  private func stopCounting() {
    let control = state.withLock { state in
      defer { state.control = nil }
      return state.control
    }
    if let control { Self.loop.stopWatching(control.watch, control.client.pollDescriptor) }
  }

  func reports(capacity: Int, policy: HIDReportStream.Policy) -> HIDReportStream {
    reader.subscribe(capacity: capacity, policy: policy)
  }

  func catchUp() { reader.drain(toTheEnd: true) }

  // MARK: Writing and asking

  func write(_ bytes: [UInt8]) async throws(HIDBusError) {
    try await call(until: nil, "write") { node throws(Errno) in try node.descriptor.write(bytes) }
  }

  func setReport(
    _ type: HIDReportType, _ report: [UInt8], timeout: Duration?
  ) async throws(HIDBusError) {
    let bytes = lengths.isNumbered(type) ? report : [0] + report
    guard bytes.count <= HIDRawDescriptor.longestRequest else {
      throw HIDBusError.hidraw(.invalidArgument, "set \(type) report", device.address)
    }
    try await call(until: timeout, "set \(type) report") { node throws(Errno) in
      try node.descriptor.setReport(type, bytes)
    }
  }

  func getReport(
    _ type: HIDReportType, _ id: HIDReportID?, timeout: Duration?
  ) async throws(HIDBusError) -> [UInt8] {
    let declared = lengths.byteCount(type, id)
    let capacity = lengths.requestCapacity(type, id)
    let answer = try await call(until: timeout, "get \(type) report") { node throws(Errno) in
      try node.descriptor.getReport(type, number: id?.rawValue ?? 0, capacity: capacity)
    }
    return id == nil && startsWithNumber(answer, declared) ? Array(answer.dropFirst()) : answer
  }

  /// Returns whether the answer to a request for an unnumbered report begins with a 0 that is not
  /// part of the report.
  ///
  /// The kernel's drivers for USB and I2C add the 0; the driver for Bluetooth does not. For
  /// hidsim's devices the transport decides, for all others the length of the answer.
  private func startsWithNumber(_ answer: [UInt8], _ declared: Int?) -> Bool {
    guard answer.first == 0 else { return false }
    if isOurs { return device.identity.transport.numbersAnswers }
    return declared.map { answer.count == $0 + 1 } ?? false
  }

  private func call<Value: Sendable>(
    until timeout: Duration?, _ action: @autoclosure () -> String,
    _ body: @escaping @Sendable (Node) throws(Errno) -> Value
  ) async throws(HIDBusError) -> Value {
    guard let node = state.withLock({ $0.node }) else {
      throw HIDBusError(.gone, "\(action()) \(device.address): the port was closed")
    }
    let deadline = timeout.map { MonotonicTime.now.advanced(by: $0) }
    let result: Result<Value, Errno>
    do throws(BlockingLane.Interruption) {
      result = try await lane.run(until: deadline) {
        Result { () throws(Errno) in try body(node) }
      }
    } catch {
      throw HIDBusError.interrupted(error, action(), device.address)
    }
    switch result {
    case .success(let value): return value
    case .failure(let errno):
      // uhid answers an interrupted wait with EIO, other transports with EINTR.
      if let deadline, MonotonicTime.now >= deadline, errno == .ioError || errno == .interrupted {
        throw HIDBusError.hidraw(.timedOut, action(), device.address)
      }
      if errno == .interrupted || (errno == .ioError && state.withLock({ $0.node == nil })) {
        throw HIDBusError(.gone, "\(action()) \(device.address): the port was closed")
      }
      throw HIDBusError.hidraw(errno, action(), device.address)
    }
  }

  func close() {
    stopWatching()
    let node = state.withLock { state in
      defer { state.node = nil }
      return state.node
    }
    guard let node else { return }
    // The node stays open until the reader has read the reports that the kernel has queued.
    withExtendedLifetime(node) { reader.finish() }
    lane.stop()
  }
}
