// SPDX-License-Identifier: Apache-2.0

import HIDWire

/// A stretch of a trace, ready to be played.
struct TracePiece: Sendable {
  /// Input reports of one device, one after the other.
  struct Run: Sendable {
    let device: Int
    /// The place after its last report.
    var end: Int
    /// Comes before its first report.
    var change: Change?
  }

  /// A device comes or goes, or a round begins.
  struct Change: Sendable {
    enum Kind: Sendable {
      case plug
      case unplug
      case round
    }
    let kind: Kind
    /// Nanoseconds since the start.
    let due: Int64
  }

  /// A report that is not as long as declared.
  struct Odd: Sendable {
    /// Its place among the reports.
    let place: Int
    /// Whether it is longer; else it was filled up.
    let isLong: Bool
  }

  /// How many reports a piece has at most, which is a number of whole turns; and how many bytes before it is full.
  static let capacity = 2 * HIDTracePlayer.turn
  static let byteCapacity = 256 * 1024

  private(set) var reports = HIDReportBatch()
  /// When each report is due, in nanoseconds since the start; empty where none is due at a time of its own.
  private(set) var dueTimes: [Int64] = []
  private(set) var runs: [Run] = []
  /// The reports that are not as long as declared, in their order.
  private(set) var odd: [Odd] = []
  /// The round that the piece ends in, from 1.
  var round = 0
  private let isTimed: Bool

  init(isTimed: Bool) { self.isTimed = isTimed }

  var isEmpty: Bool { runs.isEmpty }

  var isFull: Bool {
    reports.count >= Self.capacity || reports.byteCount >= Self.byteCapacity
      || runs.count >= Self.capacity
  }

  /// Adds a report, with zeros up to a length.
  @inline(__always)
  mutating func append(
    _ report: Span<UInt8>, filledUpTo count: Int, device: Int, due: @autoclosure () -> Int64
  ) {
    reports.append(report)
    if count > report.count { reports.extendLast(to: count) }
    if isTimed { dueTimes.append(due()) }
    let last = runs.count - 1
    if last >= 0, runs[last].device == device {
      runs[last].end += 1
    } else {
      runs.append(Run(device: device, end: reports.count))
    }
  }

  /// Notes that the last report is not as long as declared.
  mutating func noteOdd(isLong: Bool) {
    odd.append(Odd(place: reports.count - 1, isLong: isLong))
  }

  /// Adds that a device comes or goes, or a round begins.
  mutating func append(_ change: Change, device: Int) {
    runs.append(Run(device: device, end: reports.count, change: change))
  }

  /// Takes everything out, and keeps the memory.
  mutating func removeAll() {
    reports.removeAll()
    dueTimes.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    odd.removeAll(keepingCapacity: true)
    round = 0
  }
}
