// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FuzzSupport
import Glibc
@testable import HIDBus
import HIDReportDescriptor
import IOLoop
import Synchronization
import SystemPackage

/// Fuzzes a loopback device: whatever one client sends, the others get their reports and answers,
/// and every report is counted.
///
/// The first byte chooses the device's queues alone or its socket; the other bytes are the steps.
@c(LLVMFuzzerTestOneInput)
public func loopbackClient(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  checkMessage(bytes)
  guard let kind = bytes.first else { return 0 }
  let steps = FuzzSteps(Array(bytes.dropFirst()))
  let fidelity: LoopbackBus.Fidelity = kind & 2 == 0 ? .lossless : .kernel
  if kind & 1 == 0 {
    checkSocket(steps, fidelity, capacity: kind & 4 == 0 ? 64 : 4)
  } else {
    checkOutbox(steps, fidelity)
    checkQueue(steps)
  }
  return 0
}

private func checkMessage(_ bytes: [UInt8]) {
  guard let message = LoopbackMessage(decoding: bytes[...]) else { return }
  let again = LoopbackMessage(decoding: message.encoded[...])
  expect(again == message, "\(message) is read as another")
}

// MARK: The queue to a client

/// Checks that each report offered is sent, queued, or counted as lost.
private func checkOutbox(_ steps: FuzzSteps, _ fidelity: LoopbackBus.Fidelity) {
  var steps = steps
  var outbox = ClientOutbox(fidelity)
  var now = MonotonicTime(nanoseconds: 0)
  var (sent, announced, untaken) = (0, 0, 0)
  while let code = steps.next() {
    switch code & 7 {
    case 0, 1:
      let report = [UInt8](repeating: code, count: 1 + Int(steps.byte()) << Int(code >> 4 & 6))
      for _ in 0...Int(steps.byte()) where outbox.takesMore {
        let before = outbox.lostInAll
        outbox.append(report: report.span)
        if outbox.lostInAll == before { untaken += 1 }
      }
    case 2: outbox.append(.answer(token: UInt32(code), steps.bytes(Int(code >> 3))))
    case 3, 4:
      guard let datagram = takeFirst(from: &outbox, isSent: code & 64 == 0) else { break }
      expect(datagram.count <= LoopbackMessage.longest, "a datagram of \(datagram.count) bytes")
      if datagram.first == LoopbackMessage.inputCode {
        sent += reportCount(datagram)
      } else if case .lost(let count)? = LoopbackMessage(decoding: datagram[...]) {
        announced += Int(count)
      }
    case 5:
      let count = UInt32(truncatingIfNeeded: steps.number())
      let isTaken = outbox.noteTaken(count)
      expect(isTaken == (count > 0 && Int(count) <= untaken), "\(count) of \(untaken) were taken")
      if isTaken { untaken -= Int(count) }
    case 6:
      _ = outbox.beginWaiting(at: now)
      now = now.advanced(by: .milliseconds(Int64(steps.byte()) * 8))
    default: _ = outbox.giveUp(at: now)
    }
    let known = sent + outbox.unsentReports + outbox.lostInAll
    expect(outbox.offered == known, "\(outbox.offered) offered, \(known) sent, waiting or lost")
    expect(announced <= outbox.lostInAll, "\(announced) of \(outbox.lostInAll) lost are said")
    if fidelity == .kernel { expect(untaken <= ClientOutbox.kernelQueue, "\(untaken) are kept") }
  }
  // The announcements of a lossless device add up to all its losses, unless it still drops reports.
  guard fidelity == .lossless else { return }
  while let datagram = takeFirst(from: &outbox, isSent: true) {
    if case .lost(let count)? = LoopbackMessage(decoding: datagram[...]) { announced += Int(count) }
  }
  if !outbox.isLossy {
    expect(announced == outbox.lostInAll, "\(announced) of \(outbox.lostInAll) lost are said")
  }
}

/// Takes the first datagram out of `outbox`, as a socket does.
///
/// - Returns: The datagram, or `nil` if there is none or if `isSent` is `false`: the socket has no
///   room then, and `outbox` must keep the datagram.
private func takeFirst(from outbox: inout ClientOutbox, isSent: Bool) -> [UInt8]? {
  guard !outbox.isEmpty else { return nil }
  var taken: [UInt8] = []
  do {
    try outbox.sendFirst { (datagram) throws(SocketRefusal) in
      guard isSent else { throw SocketRefusal() }
      for index in datagram.indices { taken.append(datagram[index]) }
    }
  } catch {
    expect(!outbox.isEmpty, "a datagram that was not sent is gone")
    return nil
  }
  return taken
}

private struct SocketRefusal: Error {}

/// Counts the reports in a datagram from the device.
private func reportCount(_ datagram: [UInt8]) -> Int {
  var count = 0
  var offset = 1
  while offset + 2 <= datagram.count {
    offset += 2 + Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
    count += 1
  }
  expect(offset == datagram.count, "a datagram that ends within a report")
  return count
}

// MARK: The queue to the device

/// Checks that requests start in order, one at a time, and that each client has its own limit.
private func checkQueue(_ steps: FuzzSteps) {
  var steps = steps
  var queue = RequestQueue()
  var waiting: [RequestQueue.Request] = []
  while let code = steps.next() {
    let client = Int(code >> 3 & 3)
    switch code & 7 {
    case 0, 1:
      for _ in 0...(code & 1 == 0 ? 0 : Int(steps.byte())) {
        let token = UInt32(steps.byte() & 15)
        let request = RequestQueue.Request(
          client: client, token: token, action: .get(.feature, number: 0))
        let count = waiting.count { $0.client == client }
        let isAdded = queue.add(request)
        expect(isAdded == (count < RequestQueue.capacity), "a client with \(count) asks more")
        if isAdded { waiting.append(request) }
      }
    case 2, 3:
      let isFree = queue.current == nil
      let started = queue.start()
      expect(started?.request == (isFree ? waiting.first : nil), "a request is out of turn")
      if started != nil { waiting.removeFirst() }
    case 4:
      let id = HIDRequestID(rawValue: UInt32(truncatingIfNeeded: steps.number()))
      let isCurrent = queue.current?.id == id
      expect((queue.finish(id) != nil) == isCurrent, "another request is over")
    case 5:
      guard let (request, id) = queue.current else { break }
      expect(queue.finish(id) == request && queue.current == nil, "a request is not over")
    case 6:
      let token = UInt32(steps.byte() & 15)
      queue.cancel(client: client, token: token)
      waiting.removeAll { $0.client == client && $0.token == token }
    default:
      queue.removeAll(of: client)
      waiting.removeAll { $0.client == client }
      expect(queue.current?.request.client != client, "a request of a client that has gone")
    }
  }
}

// MARK: At the socket

/// The bus folder and the device of all inputs; its reports have 8 bytes each way, and no ID.
private enum Rig {
  static let directory: BusDirectory = {
    guard let directory = try? BusDirectory.temporary() else { fatalError("no folder") }
    folder.withLock { $0 = directory }
    atexit { folder.withLock { $0?.removeAll() } }
    return directory
  }()
  private static let folder = Mutex<BusDirectory?>(nil)
  static let description: HIDDeviceDescription = {
    let bytes: [UInt8] = [
      0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95,
      0x08, 0x09, 0x01, 0x81, 0x02, 0x09, 0x01, 0x91, 0x02, 0x09, 0x01, 0xb1, 0x02, 0xc0,
    ]
    guard let descriptor = try? HIDReportDescriptor(parsing: bytes) else {
      fatalError("no descriptor")
    }
    return HIDDeviceDescription(
      identity: HIDDeviceIdentity(name: "fuzz", vendorID: 0x1209, productID: 1),
      physicalPath: HIDPhysicalPath(
        deviceID: HIDDeviceID(rawValue: 1 << 63 | 1 << 8), interface: 0),
      descriptor: descriptor)
  }()
}

/// A handler that answers each request at once.
private final class Answering: HIDDeviceHandler {
  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {
    for record in events {
      switch record.event {
      case .getReport(let id, _, _): port.answerGet(id, [UInt8](repeating: 7, count: 8))
      case .setReport(let id, _, _, _): port.answerSet(id, accepted: true)
      default: break
      }
    }
  }
}

private func checkSocket(_ steps: FuzzSteps, _ fidelity: LoopbackBus.Fidelity, capacity: Int) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    do { try await run(steps, fidelity, capacity) } catch { expect(false, "\(error)") }
    done.signal()
  }
  done.wait()  // libFuzzer's timeout ends a hang
}

/// The connection of a hostile client to a device.
private final class Hostile {
  private let socket: SocketDescriptor

  init?(_ device: HIDDeviceRecord) {
    let name = DeviceEntry.socketName(of: device.id, on: .loopback)
    do { socket = try SocketDescriptor.connected(to: name, in: Rig.directory) } catch { return nil }
  }

  /// Sends a datagram.
  ///
  /// - Returns: `false` if the socket had no room; `true` if the datagram was sent, or if another
  ///   error occurred, as after the device has closed the socket.
  func send(_ datagram: [UInt8]) -> Bool {
    do { try socket.send(datagram.span) } catch { return error != .wouldBlock }
    return true
  }

  func read() { _ = try? socket.receive(atMost: LoopbackMessage.longest) }
}

private func run(
  _ steps: FuzzSteps, _ fidelity: LoopbackBus.Fidelity, _ capacity: Int
) async throws {
  var steps = steps
  let bus = LoopbackBus(directory: Rig.directory, fidelity: fidelity)
  let handler = Answering()
  let device = try await bus.plug(Rig.description, handler: handler)
  let record = try await device.ready(within: .seconds(1))
  let (client, stream) = try await bus.open(record, capacity: capacity, policy: .lossless)
  let reader = Task {
    var count = 0
    for await _ in stream { count += 1 }
    return count
  }
  var hostile = Hostile(record)
  // The hostile client opens the device first, as an honest one does.
  _ = hostile?.send(LoopbackMessage.open.encoded)
  var sent = 0
  // The device sends fewer reports than fill the outbox of a client that reads none.
  while let code = steps.next(), sent < 4000 {
    switch code & 7 {
    case 0, 1, 2:
      let datagram = steps.bytes(Int(steps.byte()))
      for _ in 0...(code & 7 == 2 ? Int(code >> 3) : 0) {
        guard hostile?.send(datagram) == false else { continue }
        try await checkAnswer(client)
        _ = hostile?.send(datagram)
      }
    case 3:
      var batch = HIDReportBatch()
      for number in 0...steps.byte() { batch.append([number, 0, 0, 0, 0, 0, 0, 0]) }
      try await device.send(batch)
      sent += batch.count
    case 4: for _ in 0...code >> 3 { hostile?.read() }
    case 5: try await checkAnswer(client)
    case 6:
      hostile = nil
      hostile = Hostile(record)
      if code & 8 == 0 { _ = hostile?.send(LoopbackMessage.open.encoded) }
    default: hostile = nil
    }
  }
  try await checkAnswer(client)
  // A device that ends waits a second for a client that reads nothing. Only the tests cover that
  // case; here, the hostile client leaves first.
  hostile = nil
  try await checkAnswer(client)
  await device.destroy()
  let received = await reader.value
  let lost = stream.lost
  expect(lost.isComplete, "the losses are not known")
  expect(
    received + lost.count == sent,
    "\(sent) reports were sent, \(received) received and \(lost.count) lost")
  if fidelity == .lossless { expect(lost.count == 0, "\(lost.count) are lost") }
  client.close()
}

private func checkAnswer(_ client: any HIDClientPort) async throws {
  let answer = try await client.getReport(.feature, nil, timeout: .seconds(8))
  expect(answer.first == 7, "another answer: \(answer)")
}
