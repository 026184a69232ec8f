// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import IOLoop
import Synchronization

/// What a client last saw of each report of its device, whichever way it went.
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

  /// Notes a report, its ID first if it is numbered, unless a newer one was seen.
  ///
  /// - Parameters:
  ///   - bytes: The report.
  ///   - index: Its place among those of the descriptor; `nil` for one that is not declared.
  ///   - time: When it came or went.
  func note(_ bytes: HIDReportBytes, _ index: Int?, at time: MonotonicTime) {
    guard let index else { return }
    entries.withLock { entries in
      guard entries.indices.contains(index), entries[index].time <= time else { return }
      entries[index].bytes = bytes
      entries[index].time = time
      entries[index].isKnown = true
    }
  }

  /// The last report; `nil` before there was one.
  subscript(index: Int) -> HIDReportBytes? {
    entries.withLock { entries in
      entries.indices.contains(index) && entries[index].isKnown ? entries[index].bytes : nil
    }
  }
}
