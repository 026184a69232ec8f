// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import Synchronization

/// The last content of each report of a device, sent or received, as one client saw it.
///
/// An input report counts if a stream of notifications has read it, wanted by its consumer or not,
/// or if a request has returned it. Other streams do not record reports.
final class LastReports: Sendable {
  private struct Entry {
    var bytes = HIDReportBytes()
    var time = MonotonicTime(nanoseconds: 0)
    var isKnown = false
  }

  private let entries: Mutex<[Entry]>

  init(of model: DeviceModel) {
    entries = Mutex(Array(repeating: Entry(), count: model.reports.count))
  }

  /// Records a report, its ID first if it is numbered, unless a newer one is recorded.
  ///
  /// - Parameters:
  ///   - bytes: The report.
  ///   - index: The report's index in ``DeviceModel/reports``; `nil` for a report that is not
  ///     declared.
  ///   - time: The time at which the report was received or sent.
  func note(_ bytes: HIDReportBytes, _ index: Int?, at time: MonotonicTime) {
    guard let index else { return }
    entries.withLock { entries in
      guard entries.indices.contains(index), entries[index].time <= time else { return }
      entries[index].bytes = bytes
      entries[index].time = time
      entries[index].isKnown = true
    }
  }

  /// The last content of the report with this index; `nil` if the client has not seen the report.
  subscript(index: Int) -> HIDReportBytes? {
    entries.withLock { entries in
      entries.indices.contains(index) && entries[index].isKnown ? entries[index].bytes : nil
    }
  }
}
