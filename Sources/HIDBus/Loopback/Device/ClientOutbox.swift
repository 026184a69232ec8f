// SPDX-License-Identifier: Apache-2.0

import DequeModule
import IOLoop

/// The messages that a device still has to send to one client, and the rules for a slow client.
///
/// Nothing is lost for a client that makes progress: the outbox holds up to 256 KiB, and then the
/// device waits. A client that takes nothing for a second while the device waits loses the newest
/// reports instead, and receives their count. So it cannot stop the device and the other clients. A
/// client with slow readers sends from time to time how many reports they took, because many
/// reports may wait in the client.
///
/// With the kernel's fidelity (``LoopbackBus/Fidelity/kernel``) the device never waits for room.
/// The reports that the client's readers have not taken, in the outbox, in the socket and in the
/// client, are 63 at most, as many as hidraw would keep. Further reports are dropped.
struct ClientOutbox: Sendable {
  /// The size of the waiting messages, in bytes, from which on the device waits.
  static let capacity = 256 * 1024
  /// The size of the waiting answers, in bytes, from which on no more requests are received.
  static let answerCapacity = 64 * 1024
  /// The time in which a client must take something, while the device waits for it, before it loses
  /// reports.
  static let patience = Duration.seconds(1)
  /// The size in bytes up to which reports are added to a datagram.
  ///
  /// A datagram with only one report can be 3 bytes longer.
  static let datagramByteCount = 16 * 1024
  /// The number of reports that hidraw keeps for a client (`HIDRAW_BUFFER_SIZE` less one, 6.12).
  static let kernelQueue = 63

  private let fidelity: LoopbackBus.Fidelity
  /// The number of reports that the client has not yet reported as taken by its readers.
  private var untaken = 0
  private var datagrams: Deque<[UInt8]> = []
  /// The memory of a datagram that was sent, reused for the next datagram of reports.
  private var spare: [UInt8] = []
  private var byteCount = 0
  private var answerByteCount = 0
  /// The time at which the client's timeout began; `nil` while none runs.
  ///
  /// The timeout begins while the device waits for this client, and stops when the client makes
  /// progress.
  private(set) var waitingSince: MonotonicTime?
  /// True while the client loses reports: from ``giveUp(at:)`` until all its messages are sent.
  private(set) var isLossy = false
  private var lost: UInt32 = 0
  /// The number of reports put in for this client, including dropped ones.
  private(set) var offered = 0
  /// The number of reports for this client that were dropped.
  private(set) var lostInAll = 0

  init(_ fidelity: LoopbackBus.Fidelity = .lossless) { self.fidelity = fidelity }

  /// True if nothing waits to be sent.
  var isEmpty: Bool { datagrams.isEmpty }

  /// True if the device need not wait: the next report finds room, or is dropped.
  var takesMore: Bool { fidelity == .kernel || isLossy || byteCount < Self.capacity }

  /// True if the answers and other messages that wait for the client are few enough, so that more
  /// requests are received from it.
  var takesRequests: Bool { answerByteCount < Self.answerCapacity }

  /// Adds a message that is not a report.
  ///
  /// It is never refused. Instead, no requests are received from a client that does not receive its
  /// answers (``takesRequests``).
  mutating func append(_ message: LoopbackMessage) {
    let datagram = message.encoded
    answerByteCount += datagram.count
    append(datagram)
  }

  private mutating func append(_ datagram: [UInt8]) {
    byteCount += datagram.count
    datagrams.append(datagram)
  }

  /// Adds an input report: to the last datagram if that has reports and room, else to a new one.
  ///
  /// The report is dropped and counted instead if the client is lossy (``isLossy``), or, with the
  /// kernel's fidelity, if 63 reports wait for the client's readers.
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

  /// Notes that the client's readers have taken `count` more reports, and stops the client's
  /// timeout.
  ///
  /// - Returns: True if the count is valid: at least one, and no more than the reports that were
  ///   not taken.
  mutating func noteTaken(_ count: UInt32) -> Bool {
    guard count > 0, count <= untaken else { return false }
    untaken -= Int(count)
    waitingSince = nil
    return true
  }

  /// The number of reports that wait to be sent.
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

  /// Sends the first datagram, removes it, and stops the client's timeout; changes nothing if that
  /// fails.
  ///
  /// If a lossy client has then got everything, a message with the number of its losses is added,
  /// and the client is lossy no longer. The outbox must not be empty.
  mutating func sendFirst<Failure>(
    _ send: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    // The datagram is removed first, so that its memory has one owner and can be used again.
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

  /// Notes that the device waits for this client, and returns the time at which to give it up: one
  /// second after its timeout has begun.
  mutating func beginWaiting(at now: MonotonicTime) -> MonotonicTime {
    let since = waitingSince ?? now
    waitingSince = since
    return since.advanced(by: Self.patience)
  }

  /// Makes the client lossy if it has taken nothing for too long.
  ///
  /// - Returns: True if it has just become lossy.
  mutating func giveUp(at now: MonotonicTime) -> Bool {
    guard !isLossy, let waitingSince, now.duration(since: waitingSince) >= Self.patience else {
      return false
    }
    isLossy = true
    return true
  }
}
