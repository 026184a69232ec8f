// SPDX-License-Identifier: Apache-2.0

package import HIDSystem
import HIDWire

/// Finds the HID devices of the system, real and virtual ones, and tells when they come and go.
public actor HIDDeviceManager {
  /// A device that came or went.
  public enum Notification: Sendable {
    /// A device that matches is there.
    case deviceMatched(HIDDeviceClient.DeviceReference)
    /// A device that was matched before is gone.
    case deviceRemoved(HIDDeviceClient.DeviceReference)
  }

  /// Where devices are looked for, as whoever made the manager has it.
  private let given: HIDHosts?

  /// Makes a manager.
  public init() { given = HIDBus.current?.clients }

  /// Makes a manager of the devices of some buses.
  package init(on hosts: HIDHosts) { given = hosts }

  /// Starts a stream of the devices that match: those that are there first, at once, then changes.
  ///
  /// A device that matches several criteria is told once. Any number of streams can be open; each ends when its consumer
  /// is cancelled or lets go of it. A stream that nobody reads leaves devices out that have come and gone, when more than
  /// 1,024 notifications wait.
  ///
  /// Devices are looked for on the bus of the task, if it has one (`HIDBus.$current`), else on that of the task that made
  /// the manager, else on those that the environment variable `HIDSIM_BUS` names: by default all.
  ///
  /// - Parameter matchingCriteria: What devices are looked for: those that meet any of these. An empty list stands for
  ///   every device.
  /// - Returns: A stream that throws a ``HIDDeviceError`` if devices cannot be watched at all.
  public func monitorNotifications(
    matchingCriteria: [DeviceMatchingCriteria]
  ) -> AsyncThrowingStream<Notification, any Error> {
    let subscription = MatchSubscription(
      matchingCriteria, on: Result { () throws(HIDWireError) in try hosts() })
    return AsyncThrowingStream { try await subscription.next() }
  }

  /// The buses of the caller's task, else those that the manager was made for, else those of the environment.
  func hosts() throws(HIDWireError) -> HIDHosts {
    if let hosts = HIDBus.current?.clients ?? given { return hosts }
    return try HIDBus.forClients(.fromEnvironment())
  }
}

extension HIDDeviceManager: Equatable, Hashable {
  /// Whether two managers are the same.
  public static func == (first: HIDDeviceManager, second: HIDDeviceManager) -> Bool {
    first === second
  }

  /// Feeds the manager's identity to `hasher`.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
