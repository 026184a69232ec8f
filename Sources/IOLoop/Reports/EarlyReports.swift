// SPDX-License-Identifier: Apache-2.0

/// Reports that come between a client's opening of a device and its first stream.
///
/// hidraw keeps 63 for a reader that has opened a node and not read yet (hidraw.c, 6.12); here there is room
/// for more, since a device of the loopback bus may be a good deal faster. What finds no room is counted.
package struct EarlyReports: Sendable {
  private static let capacity = 4096
  private static let byteCapacity = 1 << 20

  private var reports: [(bytes: [UInt8], time: MonotonicTime)] = []
  private var byteCount = 0
  private var lost = 0
  /// Whether every lost report was counted with ``countLost(_:)``.
  private var isLossComplete = true

  /// How many reports wait.
  package var count: Int { reports.count }

  /// Begins without a report.
  package init() {}

  /// Keeps a report, its ID first if it is numbered, with the time it came at.
  package mutating func put(_ report: UnsafeRawBufferPointer, at time: MonotonicTime) {
    guard reports.count < Self.capacity, byteCount + report.count <= Self.byteCapacity else {
      lost += 1
      return
    }
    byteCount += report.count
    reports.append((Array(report), time))
  }

  /// Counts reports that did not come.
  package mutating func countLost(_ count: Int) { lost += count }

  /// Notes that reports may be lost without being counted.
  package mutating func noteUncountableLosses() { isLossComplete = false }

  /// Hands the reports on to the first stream's ring, and publishes them.
  package func hand(to ring: ReportRing) {
    var lost = lost
    for (bytes, time) in reports where !bytes.withUnsafeBytes({ ring.put($0, at: time) }) {
      lost += 1
    }
    if lost > 0 { ring.countLost(lost) }
    if !isLossComplete { ring.noteUncountableLosses() }
    ring.commit()
  }
}
