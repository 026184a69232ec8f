// SPDX-License-Identifier: Apache-2.0
package import SystemPackage

/// A client bus with additional calls that hidsim's own client library needs.
package protocol ClientHostBus: HIDClientBus {
  /// Opens a device, and starts a stream of its input reports that also gets the first reports.
  ///
  /// The call may block, so it needs a thread of its own. It never waits for work on the
  /// cooperative pool.
  func openNow(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream)

  /// The folder of the files that show which devices are seized; `nil` if it cannot be used.
  var exclusivityDirectory: BusDirectory? { get }

  /// Keeps a device's input from all programs that the bus serves beside hidsim's clients.
  ///
  /// The call may block, so it needs a thread of its own.
  ///
  /// - Returns: The object that keeps the input until ``HIDSeizure/release(_:)`` or until its last
  ///   reference is released; `nil` if the bus serves no other programs, or if the nodes of a
  ///   device that hidsim plugged are grabbed already, mostly by the process that plugged it.
  func seize(_ device: HIDDeviceRecord) throws(Errno) -> (any HIDSeizure)?
}

/// An object that keeps a device's input from other programs.
package protocol HIDSeizure: AnyObject, Sendable {
  /// Gives the input back to other programs, and calls `done` after that.
  func release(_ done: @escaping @Sendable () -> Void)
}
