// SPDX-License-Identifier: Apache-2.0

package import IOLoop

/// The reports that come after a client has opened a device and before its first stream.
///
/// hidraw keeps 63 reports for a reader that has opened a node and not read yet (hidraw.c, 6.12).
/// This buffer has room for more, since a device of the loopback bus may be much faster. Reports
/// without room are counted as lost.
package struct EarlyReports: Sendable {
  private static let capacity = 4096
  private static let byteCapacity = 1 << 20

  private var reports: [(bytes: [UInt8], time: MonotonicTime)] = []
  private var byteCount = 0
  private var lost = 0
  /// True if the count of lost reports includes every loss.
  private var isLossComplete = true

  /// The number of reports that wait.
  package var count: Int { reports.count }

  /// Makes an empty buffer.
  package init() {}

  /// Keeps a report, its ID first if it is numbered, with the time at which it came.
  package mutating func put(_ report: UnsafeRawBufferPointer, at time: MonotonicTime) {
    guard reports.count < Self.capacity, byteCount + report.count <= Self.byteCapacity else {
      lost += 1
      return
    }
    byteCount += report.count
    reports.append((Array(report), time))
  }

  /// Counts reports that were lost before they arrived.
  package mutating func countLost(_ count: Int) { lost += count }

  /// Notes that reports may be lost without being counted.
  package mutating func noteUncountableLosses() { isLossComplete = false }

  /// Puts the reports and the losses into the first stream's ring, and publishes the reports.
  ///
  /// Reports for which the ring has no room are counted as lost.
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
