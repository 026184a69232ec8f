// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A section of a trace that is ready to be played.
struct TracePiece: Sendable {
  /// Consecutive input reports of one device.
  struct Run: Sendable {
    let device: Int
    /// The index after its last report.
    var end: Int
    /// The change before its first report; nil if there is none.
    var change: Change?
  }

  /// A plugged or unplugged device, or the start of a round.
  struct Change: Sendable {
    enum Kind: Sendable {
      case plug
      case unplug
      case round
    }
    let kind: Kind
    /// The due time in nanoseconds since the start.
    let due: Int64
  }

  /// A report whose length is not as declared.
  struct Odd: Sendable {
    /// Its index among the reports.
    let place: Int
    /// True if the report is longer than declared, false if it was filled up with zeros.
    let isLong: Bool
  }

  /// The start of a round.
  struct RoundStart: Sendable {
    /// The number of the round, counted from 1.
    let round: Int
    /// The number of reports before it.
    let place: Int
    /// The number of runs before it.
    let run: Int
  }

  /// The number of reports, or of runs, at which a piece is full: a multiple of the player's
  /// `turn`.
  static let capacity = 2 * HIDTracePlayer.turn
  /// The number of bytes at which a piece is full.
  static let byteCapacity = 256 * 1024

  private(set) var reports = HIDReportBatch()
  /// The due time of each report, in nanoseconds since the start.
  ///
  /// It is empty if the pace is instant.
  private(set) var dueTimes: [Int64] = []
  private(set) var runs: [Run] = []
  /// The reports whose lengths are not as declared, in order.
  private(set) var odd: [Odd] = []
  /// The rounds that begin in the piece, in order; of several at one position only the last.
  private(set) var roundStarts: [RoundStart] = []
  /// The round in which the piece ends, counted from 1.
  var round = 0
  private let isTimed: Bool

  init(isTimed: Bool) { self.isTimed = isTimed }

  var isEmpty: Bool { runs.isEmpty }

  var isFull: Bool {
    reports.count >= Self.capacity || reports.byteCount >= Self.byteCapacity
      || runs.count >= Self.capacity
  }

  /// Adds a report and fills it up with zeros to a length.
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

  /// Marks the last report as one whose length is not as declared.
  mutating func noteOdd(isLong: Bool) {
    odd.append(Odd(place: reports.count - 1, isLong: isLong))
  }

  /// Adds a plugged or unplugged device, or the start of a round.
  mutating func append(_ change: Change, device: Int) {
    runs.append(Run(device: device, end: reports.count, change: change))
  }

  /// Marks the start of a round.
  mutating func begin(round: Int) {
    if let last = roundStarts.last, last.place == reports.count, last.run == runs.count {
      roundStarts.removeLast()
    }
    roundStarts.append(RoundStart(round: round, place: reports.count, run: runs.count))
  }

  /// Removes all content and keeps the memory.
  mutating func removeAll() {
    reports.removeAll()
    dueTimes.removeAll(keepingCapacity: true)
    runs.removeAll(keepingCapacity: true)
    odd.removeAll(keepingCapacity: true)
    roundStarts.removeAll(keepingCapacity: true)
    round = 0
  }
}
