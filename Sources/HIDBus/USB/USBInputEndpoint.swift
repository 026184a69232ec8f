// SPDX-License-Identifier: Apache-2.0

import DequeModule
import HIDReportDescriptor
package import IOLoop

/// The transfers of an interrupt endpoint from a device to its host.
///
/// The host asks before there is a report, so a transfer is held until the device sends one. There
/// is no clock of a bus: the endpoint keeps its period itself, one packet in each.
package struct USBInputEndpoint: Sendable {
  /// The number of reports that wait for transfers of the host.
  package static let capacity = 64
  /// The number of free places for reports from which a sender that waits continues.
  private static let ampleRoom = 32
  /// The time after which a host that takes no reports loses those for which there is no room.
  package static let patience = Duration.seconds(1)
  /// The number of transfers that a host may leave with the endpoint at a time.
  package static let longestQueue = 1_024

  private struct Held: Sendable {
    let sequence: UInt32
    let length: Int
  }

  private let packetByteCount: Int
  /// The time of a packet, in nanoseconds.
  private let period: UInt64
  private var held: Deque<Held> = []
  /// The number of the transfer that was completed last; nil before the first.
  private var completed: UInt32?
  /// The lengths of the reports that the host has not taken.
  private var lengths: Deque<Int> = []
  /// The bytes of these reports, one report after the other, from ``start`` on.
  private var bytes: [UInt8] = []
  /// The index of the first report in `bytes`.
  private var start = 0
  /// The number of bytes of the first report that were sent.
  private var sent = 0
  /// The completed transfers that the host has not followed by another, oldest first: true for one
  /// with the end of a report.
  private var completions: Deque<Bool> = []
  /// The number of completions with the end of a report.
  private var unconfirmedCount = 0
  private var receivedCount = 0
  /// The time since when the host has taken no data, although there was some.
  private var idleSince = MonotonicTime(nanoseconds: 0)
  /// The number of reports that the host has lost because it took none for ``patience``.
  package private(set) var lostCount = 0
  /// The earliest time of the next packet.
  private var next = MonotonicTime(nanoseconds: 0)

  package init(packetByteCount: Int, period: Duration) {
    self.packetByteCount = max(packetByteCount, 1)
    self.period = MonotonicTime(nanoseconds: 0).advanced(by: period).nanoseconds
  }

  /// True if the device can send another report without waiting.
  package var hasRoom: Bool { lengths.count < Self.capacity }
  /// True if a sender that has waited for room should continue.
  ///
  /// The sender then sends several reports at a time. One wake-up takes longer than one report.
  package var hasAmpleRoom: Bool { lengths.count <= Self.capacity - Self.ampleRoom }
  /// The time in which a host makes ample room, if it takes a packet in each period.
  package var ampleRoomTime: Duration { .nanoseconds(Int64(clamping: period)) * Self.ampleRoom }
  /// True if the host waits for a report.
  package var isAsked: Bool { !held.isEmpty }
  /// The number of transfers by which the host waits for reports.
  package var heldCount: Int { held.count }
  /// The number of reports that the host has not taken, the one that it has taken in part included.
  package var waitingCount: Int { lengths.count }

  /// The number of reports that the host's drivers may not have received yet.
  package var pendingCount: Int { lengths.count + unconfirmedCount }

  /// Returns the number of reports that the host's drivers have received since the last call.
  ///
  /// A host asks again after its driver has received the data of the transfer before.
  package mutating func takeReceivedCount() -> Int {
    defer { receivedCount = 0 }
    return receivedCount
  }

  /// The time from which reports for which there is no room are lost; nil while there is room, and
  /// while the host waits for the period of a report.
  package var lossTime: MonotonicTime? {
    hasRoom || !held.isEmpty ? nil : idleSince.advanced(by: Self.patience)
  }

  /// Adds a report; returns false, and adds nothing, if there is no room.
  ///
  /// If there is no room and the host has taken none for ``patience``, the report is lost and
  /// counted, and the result is true.
  package mutating func add(_ report: Span<UInt8>, at now: MonotonicTime) -> Bool {
    guard hasRoom else {
      guard let lossTime, now >= lossTime else { return false }
      lostCount += 1
      return true
    }
    if lengths.isEmpty { idleSince = now }
    lengths.append(report.count)
    bytes.append(copying: report)
    return true
  }

  /// Adds a transfer; returns false, and adds nothing, if the host has left too many.
  package mutating func hold(_ sequence: UInt32, length: Int) -> Bool {
    guard held.count < Self.longestQueue else { return false }
    held.append(Held(sequence: sequence, length: length))
    if completions.popFirst() == true {
      unconfirmedCount -= 1
      receivedCount += 1
    }
    return true
  }

  /// Returns whether a transfer is the one that was completed last.
  ///
  /// A host that withdraws it has sent its message before it received the data.
  package func hasJustCompleted(_ sequence: UInt32) -> Bool { completed == sequence }

  /// Withdraws a transfer; returns false if it is not held.
  package mutating func withdraw(_ sequence: UInt32) -> Bool {
    guard let index = held.firstIndex(where: { $0.sequence == sequence }) else { return false }
    held.remove(at: index)
    return true
  }

  /// Withdraws all transfers, and returns their numbers in order.
  package mutating func withdrawAll() -> [UInt32] {
    defer { held = [] }
    return held.map(\.sequence)
  }

  /// Drops the reports that the host has not taken; called when it ceases to ask.
  package mutating func clear() {
    lengths = []
    bytes = []
    start = 0
    sent = 0
    completions = []
    unconfirmedCount = 0
  }

  /// Completes the next transfer, if there is one with data that is due.
  ///
  /// A report of several packets takes a period for each. A report that is longer than the transfer
  /// goes on in the next transfer.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - replies: The transfer and its data are appended.
  /// - Returns: True if a transfer was due.
  package mutating func complete(
    at now: MonotonicTime, to replies: inout USBIPReplies
  ) -> Bool {
    guard let length = lengths.first, let transfer = held.first, now >= next else { return false }
    held.removeFirst()
    completed = transfer.sequence
    idleSince = now
    let count = min(transfer.length, length - sent)
    let place = start + sent
    replies.appendSubmit(transfer.sequence, data: bytes.span.extracting(place..<place + count))
    sent += count
    let isWhole = sent == length
    if isWhole { removeFirst(length) }
    completions.append(isWhole)
    if isWhole { unconfirmedCount += 1 }
    let packets = UInt64(max(1, (count + packetByteCount - 1) / packetByteCount))
    // A late wake-up does not make the later packets late. After a pause the period begins anew.
    let last = now.nanoseconds - next.nanoseconds < period ? next : now
    next = MonotonicTime(nanoseconds: last.nanoseconds + period * packets)
    return true
  }

  /// Removes the first report, whose length is given.
  private mutating func removeFirst(_ length: Int) {
    lengths.removeFirst()
    start += length
    sent = 0
    if lengths.isEmpty {
      bytes.removeAll(keepingCapacity: true)
      start = 0
    } else if start > bytes.count / 2 {
      // Fewer bytes are moved than were removed.
      bytes.removeFirst(start)
      start = 0
    }
  }

  /// The time at which ``complete(at:to:)`` can complete a transfer; nil if one side waits for the
  /// other.
  package var due: MonotonicTime? { lengths.isEmpty || held.isEmpty ? nil : next }
}
