// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDWire
import IOLoop

/// What a device still has to tell one client, and what to do when the client does not listen.
///
/// Lossless for a client that makes progress: there is room for a good many reports, and then the
/// device waits. A client that takes nothing for a second while the device waits loses the newest
/// reports instead, so that it cannot stop the device and everybody else; it is told how many. One whose
/// readers are slow says from time to time what they took: much of it may be at its end already.
///
/// With the kernel's fidelity the device never waits: what the client's readers have not taken, here, in
/// the socket and at its end, is what hidraw would keep for it, and what comes beyond that is dropped.
struct ClientOutbox: Sendable {
  /// How many bytes of reports wait for a client at most.
  static let capacity = 256 * 1024
  /// How many bytes of answers wait for a client at most before it is asked nothing more of.
  static let answerCapacity = 64 * 1024
  /// How long a client may take nothing before it loses reports.
  static let patience = Duration.seconds(1)
  /// How long a datagram of reports grows before the next is begun, in bytes.
  static let datagramByteCount = 16 * 1024
  /// How many reports hidraw keeps for a client (`HIDRAW_BUFFER_SIZE` less one, 6.12).
  static let kernelQueue = 63

  private let fidelity: LoopbackBus.Fidelity
  /// How many reports the client has not said its readers took.
  private var untaken = 0
  private var datagrams: Deque<[UInt8]> = []
  /// The memory of a datagram that was sent, for the next one of reports.
  private var spare: [UInt8] = []
  private var byteCount = 0
  private var answerByteCount = 0
  /// Since when the device waits for this client; `nil` while it does not.
  private(set) var waitingSince: MonotonicTime?
  /// Whether the client takes too long, and loses reports.
  private(set) var isLossy = false
  private var lost: UInt32 = 0
  /// How many reports were put in for this client, dropped ones included.
  private(set) var offered = 0
  /// How many of them were dropped.
  private(set) var lostInAll = 0

  init(_ fidelity: LoopbackBus.Fidelity = .lossless) { self.fidelity = fidelity }

  /// Whether nothing waits to be sent.
  var isEmpty: Bool { datagrams.isEmpty }

  /// Whether a report can be put in, or will be dropped: whether the device need not wait.
  var takesMore: Bool { fidelity == .kernel || isLossy || byteCount < Self.capacity }

  /// Whether the client has taken enough of its answers to ask for more.
  var takesRequests: Bool { answerByteCount < Self.answerCapacity }

  /// Adds a message that is not a report.
  ///
  /// Never refused: a client that does not take its answers is not listened to (``takesRequests``).
  mutating func append(_ message: LoopbackMessage) {
    let datagram = message.encoded
    answerByteCount += datagram.count
    append(datagram)
  }

  private mutating func append(_ datagram: [UInt8]) {
    byteCount += datagram.count
    datagrams.append(datagram)
  }

  /// Adds an input report, to the last datagram if it is one of reports and has room.
  mutating func append(report: Span<UInt8>) {
    offered += 1
    if fidelity == .kernel {
      guard untaken < Self.kernelQueue else {
        lostInAll += 1
        return
      }
    }
    guard !isLossy else {
      lost = lost == .max ? lost : lost + 1
      lostInAll += 1
      return
    }
    untaken += 1
    let needed = report.count + 2
    if let last = datagrams.last, last.first == LoopbackMessage.inputCode,
      last.count + needed <= Self.datagramByteCount
    {
      Self.put(report, into: &datagrams[datagrams.count - 1])
      byteCount += needed
    } else {
      var datagram: [UInt8] = []
      swap(&datagram, &spare)
      datagram.reserveCapacity(needed + 1)
      datagram.append(LoopbackMessage.inputCode)
      Self.put(report, into: &datagram)
      append(datagram)
    }
  }

  private static func put(_ report: Span<UInt8>, into datagram: inout [UInt8]) {
    datagram.append(UInt8(truncatingIfNeeded: report.count))
    datagram.append(UInt8(truncatingIfNeeded: report.count >> 8))
    for index in report.indices { datagram.append(report[index]) }
  }

  /// Notes that the client's readers have taken so many reports more.
  ///
  /// - Returns: Whether they can have: there were that many.
  mutating func noteTaken(_ count: UInt32) -> Bool {
    guard count > 0, count <= untaken else { return false }
    untaken -= Int(count)
    waitingSince = nil
    return true
  }

  /// How many reports wait to be sent.
  var unsentReports: Int {
    datagrams.reduce(0) { total, datagram in
      guard datagram.first == LoopbackMessage.inputCode else { return total }
      var count = 0
      var offset = 1
      while offset < datagram.count {
        offset += 2 + Int(datagram[offset]) + Int(datagram[offset + 1]) << 8
        count += 1
      }
      return total + count
    }
  }

  /// Sends the first datagram, and removes it unless that fails.
  mutating func sendFirst<Failure>(
    _ send: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    // Taken out, so that its memory has one owner and can be used again.
    var sent = datagrams.removeFirst()
    do throws(Failure) {
      try send(sent.span)
    } catch {
      datagrams.prepend(sent)
      throw error
    }
    byteCount -= sent.count
    if sent.first == LoopbackMessage.inputCode {
      sent.removeAll(keepingCapacity: true)
      swap(&sent, &spare)
    } else {
      answerByteCount -= sent.count
    }
    waitingSince = nil
    if isLossy, datagrams.isEmpty {
      isLossy = false
      append(.lost(lost))
      lost = 0
    }
  }

  /// Notes that the device waits for this client, and says from when on it need not.
  mutating func beginWaiting(at now: MonotonicTime) -> MonotonicTime {
    let since = waitingSince ?? now
    waitingSince = since
    return since.advanced(by: Self.patience)
  }

  /// Gives up on a client that has taken nothing for too long.
  ///
  /// - Returns: Whether it has just become lossy.
  mutating func giveUp(at now: MonotonicTime) -> Bool {
    guard !isLossy, let waitingSince, now.duration(since: waitingSince) >= Self.patience else {
      return false
    }
    isLossy = true
    return true
  }
}
