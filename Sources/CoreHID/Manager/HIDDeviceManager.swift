// SPDX-License-Identifier: Apache-2.0

package import HIDBus

/// A manager that finds the HID devices of the system, real and virtual, and reports changes.
public actor HIDDeviceManager {
  /// A change in the devices that match.
  public enum Notification: Sendable {
    /// A matching device is plugged.
    case deviceMatched(HIDDeviceClient.DeviceReference)
    /// A device that matched before is gone, or cannot be used at present, for example while its
    /// driver changes.
    ///
    /// In the latter case, another ``deviceMatched(_:)`` follows once it can be used again.
    case deviceRemoved(HIDDeviceClient.DeviceReference)
  }

  /// The buses that the manager's creator chose, for callers whose task has no bus.
  ///
  /// `nil` stands for the buses that the environment names.
  private let given: HIDDeviceCatalog?

  /// Makes a manager.
  public init() { given = HIDBus.current?.clients }

  /// Makes a manager of the devices of the given buses.
  package init(on catalog: HIDDeviceCatalog) { given = catalog }

  /// Starts a stream of matching devices: those that are plugged already, and all changes.
  ///
  /// On each bus, the devices that are plugged already come first. A device that matches several
  /// criteria is reported once. Any number of streams can be open. Each one ends when its
  /// consumer's task is cancelled, or when its consumer releases it. Without a bus to search it
  /// ends at once. While 1,024 or more notifications wait to be read, the stream leaves out devices
  /// that come and go before the consumer reads about them.
  ///
  /// The search uses the bus of the caller's task (`HIDBus.$current`). If the task has none, it
  /// uses the bus of the task that made the manager. If that task had none either, it uses the
  /// buses that the environment variable `HIDSIM_BUS` names: by default all.
  ///
  /// - Parameter matchingCriteria: The criteria, of which a device must meet at least one. An empty
  ///   list stands for every device.
  /// - Returns: A stream that throws a ``HIDDeviceError`` if the devices of one of the buses cannot
  ///   be watched, or if `HIDSIM_BUS` is not valid.
  public func monitorNotifications(
    matchingCriteria: [DeviceMatchingCriteria]
  ) -> AsyncThrowingStream<Notification, any Error> {
    let subscription = MatchSubscription(
      matchingCriteria, on: Result { () throws(HIDBusError) in try catalog() })
    return AsyncThrowingStream { try await subscription.next() }
  }

  /// Returns the buses of the caller's task, else those of the manager, else those of the
  /// environment.
  func catalog() throws(HIDBusError) -> HIDDeviceCatalog {
    if let catalog = HIDBus.current?.clients ?? given { return catalog }
    return try HIDBus.forClients(.fromEnvironment())
  }
}

extension HIDDeviceManager: Equatable, Hashable {
  /// Returns whether two managers are the same object.
  public static func == (first: HIDDeviceManager, second: HIDDeviceManager) -> Bool {
    first === second
  }

  /// Feeds the manager's identity to `hasher`.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
