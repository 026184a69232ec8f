// SPDX-License-Identifier: Apache-2.0

package import HIDWire
package import IOLoop
package import SystemPackage

/// What a bus does for hidsim's client library, beyond opening devices for those who can wait.
package protocol ClientHostBus: HIDHostBus {
  /// Opens a device, and starts a stream of its input reports before it can send any.
  ///
  /// It may wait: for a thread of its own. Nothing that it waits for needs a thread of the cooperative pool.
  func openNow(
    _ device: HIDDeviceRecord, capacity: Int, policy: HIDReportStream.Policy
  ) throws(HIDWireError) -> (port: any HIDHostPort, reports: HIDReportStream)

  /// Where the clients of a user agree on who has a device, if there is a folder for it.
  var exclusivityDirectory: BusDirectory? { get }

  /// Keeps a device's input from everybody whom the bus serves beside hidsim's clients.
  ///
  /// It may wait: for a thread of its own.
  ///
  /// - Returns: What keeps it, until the last reference goes; `nil` where there is nobody else.
  func keepToOneself(_ device: HIDDeviceRecord) throws(Errno) -> (any HIDKeeper)?
}

/// Keeps a device's input from others.
package protocol HIDKeeper: AnyObject, Sendable {
  /// Lets others have it again, and says when they do.
  func letGo(_ done: @escaping @Sendable () -> Void)
}
