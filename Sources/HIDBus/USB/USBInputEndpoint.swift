// SPDX-License-Identifier: Apache-2.0

import DequeModule
package import IOLoop

/// The transfers of an interrupt endpoint from a device to its host.
///
/// The host asks before there is a report, so a transfer is held until the device sends one. There
/// is no clock of a bus: the endpoint keeps its period itself, one packet in each.
package struct USBInputEndpoint: Sendable {
  /// The number of reports that wait for transfers of the host.
  package static let capacity = 64
  /// The time after which a host that takes no reports loses those for which there is no room.
  package static let patience = Duration.seconds(1)
  /// The number of transfers that a host may leave with the endpoint at a time.
  package static let longestQueue = 1_024

  /// A transfer that has data for the host.
  package struct Completion: Hashable, Sendable {
    /// The number of the transfer.
    package let sequence: UInt32
    package let data: [UInt8]
  }

  private struct Held: Sendable {
    let sequence: UInt32
    let length: Int
  }

  private let packetByteCount: Int
  private let period: Duration
  private var held: Deque<Held> = []
  /// The number of the transfer that was completed last; nil before the first.
  private var completed: UInt32?
  private var reports: Deque<[UInt8]> = []
  /// The number of bytes of the first report that were sent.
  private var sent = 0
  /// The completed transfers that the host has not followed by another, oldest first: true for one
  /// with the end of a report.
  private var completions: Deque<Bool> = []
  private var receivedCount = 0
  /// The time since when the host has taken no data, although there was some.
  private var idleSince = MonotonicTime(nanoseconds: 0)
  /// The number of reports that the host has lost because it took none for ``patience``.
  package private(set) var lostCount = 0
  /// The earliest time of the next packet.
  private var next = MonotonicTime(nanoseconds: 0)

  package init(packetByteCount: Int, period: Duration) {
    self.packetByteCount = max(packetByteCount, 1)
    self.period = period
  }

  /// True if the device can send another report without waiting.
  package var hasRoom: Bool { reports.count < Self.capacity }
  /// True if the host waits for a report.
  package var isAsked: Bool { !held.isEmpty }
  /// The number of reports that the host has not taken, the one that it has taken in part included.
  package var waitingCount: Int { reports.count }

  /// The number of reports that the host's drivers may not have received yet.
  package var pendingCount: Int { reports.count + completions.count(where: \.self) }

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
  package mutating func add(_ report: [UInt8], at now: MonotonicTime) -> Bool {
    guard hasRoom else {
      guard let lossTime, now >= lossTime else { return false }
      lostCount += 1
      return true
    }
    if reports.isEmpty { idleSince = now }
    reports.append(report)
    return true
  }

  /// Adds a transfer; returns false, and adds nothing, if the host has left too many.
  package mutating func hold(_ sequence: UInt32, length: Int) -> Bool {
    guard held.count < Self.longestQueue else { return false }
    held.append(Held(sequence: sequence, length: length))
    if completions.popFirst() == true { receivedCount += 1 }
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
    reports = []
    completions = []
    sent = 0
  }

  /// Completes the next transfer, if there is one with data that is due.
  ///
  /// A report of several packets takes a period for each. A report that is longer than the transfer
  /// goes on in the next transfer.
  ///
  /// - Parameter now: The present time.
  /// - Returns: The transfer and its data; nil if none is due.
  package mutating func complete(at now: MonotonicTime) -> Completion? {
    guard let report = reports.first, let transfer = held.first, now >= next else { return nil }
    held.removeFirst()
    completed = transfer.sequence
    idleSince = now
    let count = min(transfer.length, report.count - sent)
    let data = Array(report[sent..<sent + count])
    sent += count
    let isWhole = sent == report.count
    if isWhole {
      reports.removeFirst()
      sent = 0
    }
    completions.append(isWhole)
    let packets = max(1, (count + packetByteCount - 1) / packetByteCount)
    // A late wake-up does not make the later packets late. After a pause the period begins anew.
    let last = now.duration(since: next) < period ? next : now
    next = last.advanced(by: period * packets)
    return Completion(sequence: transfer.sequence, data: data)
  }

  /// The time at which ``complete(at:)`` can complete a transfer; nil if one side waits for the
  /// other.
  package var due: MonotonicTime? { reports.isEmpty || held.isEmpty ? nil : next }
}
