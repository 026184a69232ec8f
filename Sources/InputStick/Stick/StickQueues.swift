// SPDX-License-Identifier: Apache-2.0

/// The reports that wait in a simulated InputStick for the host's polls, in one queue for each
/// interface.
package struct StickQueues: Sendable {
  private var waiting: [[StickReport]] = StickReport.Interface.allCases.map { _ in [] }
  private var sent: [Int] = StickReport.Interface.allCases.map { _ in 0 }
  private let firmware: StickFirmware

  /// Makes empty queues with the capacities of a firmware version.
  package init(_ firmware: StickFirmware) { self.firmware = firmware }

  /// Returns the number of reports that wait for an interface.
  package func count(_ interface: StickReport.Interface) -> Int {
    waiting[interface.rawValue].count
  }

  /// Returns the largest number of reports that can wait for an interface.
  package func capacity(_ interface: StickReport.Interface) -> Int { firmware.capacity(interface) }

  /// Returns whether all these reports fit; the stick queues a packet's reports all or none.
  package func fits(_ reports: [StickReport]) -> Bool {
    StickReport.Interface.allCases.allSatisfy { interface in
      let added = reports.count { $0.interface == interface }
      return added == 0 || count(interface) + added <= capacity(interface)
    }
  }

  /// Adds reports at the ends of their queues.
  package mutating func add(_ reports: [StickReport]) {
    for report in reports { waiting[report.interface.rawValue].append(report) }
  }

  /// Removes and returns the next report of an interface for a poll of the host; nil if none waits.
  package mutating func next(_ interface: StickReport.Interface) -> StickReport? {
    guard !waiting[interface.rawValue].isEmpty else { return nil }
    sent[interface.rawValue] += 1
    return waiting[interface.rawValue].removeFirst()
  }

  /// Removes the reports of an interface.
  package mutating func clear(_ interface: StickReport.Interface) {
    waiting[interface.rawValue] = []
  }

  /// Returns the number of reports that the host has taken since the last call, at most 255.
  package mutating func takeSent(_ interface: StickReport.Interface) -> UInt8 {
    defer { sent[interface.rawValue] = 0 }
    return UInt8(clamping: sent[interface.rawValue])
  }
}
