// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// A client bus with additional calls that hidsim's own client library needs.
package protocol ClientHostBus: HIDClientBus {
  /// Opens a device, and starts a stream of its input reports from the opening on.
  ///
  /// The call may block, so it needs a thread of its own. It never waits for work on the
  /// cooperative pool.
  func openNow(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) throws(HIDBusError) -> (port: any HIDClientPort, reports: HIDReportStream)

  /// The folder of the files that show which devices are seized; `nil` if it cannot be used.
  var exclusivityDirectory: BusDirectory? { get }

  /// Grabs a device's evdev nodes, so that other programs receive no input from them.
  ///
  /// Programs can still read its hidraw node. The call may block, so it needs a thread of its own.
  ///
  /// - Returns: The object that keeps the grab until ``HIDSeizure/release(_:)`` or until its last
  ///   reference is released; `nil` if the bus has no evdev nodes, or if the nodes of a device that
  ///   hidsim plugged are grabbed already, mostly by the process that plugged it.
  /// - Throws: The `Errno` of the first node that cannot be grabbed.
  func seize(_ device: HIDDeviceRecord) throws(Errno) -> (any HIDSeizure)?
}

/// A grab of a device's evdev nodes, which keeps their input from other programs.
package protocol HIDSeizure: AnyObject, Sendable {
  /// Ends the grab, and then calls `done`, on any thread.
  func release(_ done: @escaping @Sendable () -> Void)
}
