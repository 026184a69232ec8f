// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import Glibc
@testable import HIDBus
import HIDUsages
import IOLoop
import Synchronization
import SystemPackage

/// Fuzzes a loopback client: whatever a device sends, its streams end, and count missing reports if
/// their number can be known.
///
/// The first byte chooses the streams and a request. Each step sends datagrams, stores counts,
/// reads the streams, or asks for their losses.
@c(LLVMFuzzerTestOneInput)
public func loopbackDevice(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var steps = FuzzSteps(fuzzInput(start, count))
  guard let kind = steps.next() else { return 0 }
  var pair: [Int32] = [-1, -1]
  let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
  let result = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | flags, 0, &pair)
  expect(result == 0, "no sockets")
  let connection = LoopbackClient(
    SocketDescriptor(takingOwnershipOf: FileDescriptor(rawValue: pair[0])))
  var device = Device(
    SocketDescriptor(takingOwnershipOf: FileDescriptor(rawValue: pair[1])), connection)
  do { try connection.start() } catch { expect(false, "no watch: \(error)") }
  if kind & 4 == 0 { device.subscribe(kind) }
  let request = device.ask(kind)
  while let code = steps.next() { device.step(code, &steps) }
  if kind & 4 != 0 { device.subscribe(kind) }
  device.end()
  // libFuzzer's timeout ends a hang.
  while kind & 16 != 0, !request.isOver { sched_yield() }
  connection.close()
  return 0
}

/// A request of the client, and the state of its completion.
private final class Request: Sendable {
  private let done = Mutex(false)

  var isOver: Bool { done.withLock { $0 } }

  func end(_ outcome: LoopbackClient.Outcome) {
    if case .timedOut = outcome { expect(false, "the device is gone, and a request timed out") }
    done.withLock { $0 = true }
  }
}

/// A stream of the client, and its reader.
private struct Reader {
  let stream: HIDReportStream
  private var iterator: HIDReportStream.Iterator
  private(set) var count = 0

  init(_ stream: HIDReportStream) {
    self.stream = stream
    iterator = stream.makeAsyncIterator()
  }

  /// Reads all reports that are available.
  ///
  /// - Returns: True if the stream goes on.
  mutating func read() -> Bool {
    while true {
      switch iterator.look() {
      case .empty: return true
      case .over: return false
      case .more:
        _ = iterator.takeSome { reports in
          count += reports.count
          return reports.count
        }
      }
    }
  }
}

/// The other end of the client's socket.
private struct Device {
  private let connection: LoopbackClient
  /// The device's socket; `nil` once the device is gone.
  private var socket: Handle?
  private var readers: [Reader] = []
  private let counts: ReportCounts.Writer?
  private var hasSentCounts = false
  private var claim: (sent: UInt64, dropped: UInt64) = (0, 0)

  // The numbers of reports that the device has sent and announced as lost.
  private var reports: UInt64 = 0
  private var announced: UInt64 = 0
  private var isViolated = false
  /// True if the device has sent an empty datagram, which readers take for the end of the socket.
  private var isOver = false
  private var isLate = false

  private final class Handle: Sendable {
    let socket: SocketDescriptor
    init(_ socket: consuming SocketDescriptor) { self.socket = socket }
  }

  init(_ socket: consuming SocketDescriptor, _ connection: LoopbackClient) {
    self.connection = connection
    self.socket = Handle(socket)
    counts = try? ReportCounts.Writer()
  }

  mutating func subscribe(_ kind: UInt8) {
    isLate = kind & 4 != 0
    // Only the first stream gets the reports that came before it.
    let policy: HIDReportStream.Policy = kind & 1 == 0 ? .lossless : .dropNewest
    readers.append(Reader(connection.subscribe(capacity: 4, policy: policy)))
    guard kind & 6 == 2 else { return }
    readers.append(Reader(connection.subscribe(capacity: 64, policy: .dropNewest)))
  }

  func ask(_ kind: UInt8) -> Request {
    let request = Request()
    guard kind & 16 != 0 else { return request }
    let connection = connection
    let isSent = Mutex(false)
    Task.detached {
      let outcome = await connection.request(until: .now.advanced(by: .seconds(9))) { token in
        isSent.withLock { $0 = true }
        return .get(token: token, .feature, number: 0)
      }
      request.end(outcome)
    }
    // The client sends the request before the device sends anything.
    while !isSent.withLock({ $0 }) { sched_yield() }
    return request
  }

  mutating func step(_ code: UInt8, _ steps: inout FuzzSteps) {
    switch code & 7 {
    case 0, 1: send(steps.bytes(Int(steps.byte())), times: code & 7 == 0 ? 1 : Int(code >> 3) + 1)
    case 2:
      // Copies of a report of any length: as many as the step asks for and as fit into a datagram.
      let length = Int(steps.byte()) | Int(steps.byte()) << 8
      let report =
        [UInt8(length & 0xff), UInt8(length >> 8)] + [UInt8](repeating: 5, count: length)
      let room = (LoopbackMessage.longest - 1) / report.count
      let count = min(Int(code >> 3) + 1, room)
      send([LoopbackMessage.inputCode] + (0..<count).flatMap { _ in report })
    case 3: for index in readers.indices { _ = readers[index].read() }
    case 4: say((steps.number(), steps.number()))
    case 5:
      // True counts: all that was sent and announced, and up to 31 reports dropped without notice.
      say((reports &+ announced &+ UInt64(code >> 3), announced &+ UInt64(code >> 3)))
    case 6:
      guard let counts, let socket, !hasSentCounts else { return }
      let message = LoopbackMessage.opened(isCounted: code & 8 != 0).encoded
      guard !isViolated, !isOver else { return }
      hasSentCounts = retry { () throws(Errno) in
        try counts.send(with: message.span, through: socket.socket)
      }
    default: for reader in readers { _ = reader.stream.lost }
    }
  }

  /// Stores the counts, unless the client will not read them again.
  private mutating func say(_ claim: (sent: UInt64, dropped: UInt64)) {
    guard !isViolated, !isOver else { return }
    self.claim = claim
    counts?.store(sent: claim.sent, dropped: claim.dropped)
  }

  /// Calls `body` until the socket has room; the streams are read meanwhile.
  ///
  /// - Returns: True if the datagram was sent; false if the client has closed the socket.
  private mutating func retry(_ body: () throws(Errno) -> Void) -> Bool {
    while true {
      do throws(Errno) {
        try body()
        return true
      } catch {
        guard error == .wouldBlock else { return false }
        for index in readers.indices { _ = readers[index].read() }
        // The socket is full. The client reads it when its streams have room, or closes it.
        sched_yield()
      }
    }
  }

  private mutating func send(_ datagram: [UInt8], times: Int = 1) {
    for _ in 0..<times {
      guard let socket, !isViolated, !isOver else { return }
      let isSent = retry { () throws(Errno) in try socket.socket.send(datagram.span) }
      guard isSent else { return expect(false, "the client closed a sound connection") }
      account(datagram)
    }
  }

  /// Notes the effect of a datagram on the client: reports, losses, the end, or a violation.
  private mutating func account(_ datagram: [UInt8]) {
    isOver = datagram.isEmpty
    guard datagram.first == LoopbackMessage.inputCode else {
      if isOver { return }
      switch LoopbackMessage(decoding: datagram[...]) {
      case .answer: break
      case .lost(let count): announced += UInt64(count)
      default: isViolated = true
      }
      return
    }
    var offset = 1
    while offset < datagram.count {
      guard offset + 2 <= datagram.count else {
        isViolated = true
        return
      }
      let count = Int(datagram[offset]) | Int(datagram[offset + 1]) << 8
      guard (1...ReportRing.longestReport).contains(count), offset + 2 + count <= datagram.count
      else {
        isViolated = true
        return
      }
      reports += 1
      offset += 2 + count
    }
  }

  /// Closes the device's socket, and checks that each stream ends with correct losses.
  mutating func end() {
    socket = nil
    for index in readers.indices {
      while readers[index].read() { sched_yield() }  // libFuzzer's timeout ends a hang
      check(readers[index])
    }
  }

  private func check(_ reader: Reader) {
    let lost = reader.stream.lost
    expect(lost.count >= 0, "\(lost.count) are lost")
    let known = reports + announced
    let isSound = hasSentCounts && claim.sent >= known && claim.sent - known < 1 << 48
    let what = "\(reports) came, \(announced) were said to be lost, \(claim) in the counts"
    expect(lost.isComplete == isSound, "lost \(lost); \(what)")
    let missing = isSound ? claim.sent - known : 0
    expect(
      UInt64(reader.count + lost.count) == known + missing,
      "\(reader.count) read, \(lost) lost; \(what)")
    let isTold = reader.stream.failure != nil
    expect(isTold == isViolated || isLate && !isTold, "violation: \(isViolated), told: \(isTold)")
  }
}
