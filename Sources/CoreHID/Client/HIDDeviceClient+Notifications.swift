// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDDeviceClient {
  /// An event of a device that its client gets.
  public enum Notification: Sendable {
    /// The device sent a report.
    ///
    /// `data` begins with the report's ID if the device numbers its input reports; `id` is `nil` if
    /// it does not. The time stamp is the time at which this process took the report from the bus.
    case inputReport(id: HIDReportID?, data: Data, timestamp: SuspendingClock.Instant)
    /// A report with monitored elements arrived, whether their values changed or not.
    case elementUpdates(values: [HIDElement.Value])
    /// Another client has seized the device: no more reports arrive until it releases the device.
    case deviceSeized
    /// The other client has released the device.
    case deviceUnseized
    /// The device is gone; the stream ends.
    case deviceRemoved
  }

  /// Starts a stream of the device's notifications from now on.
  ///
  /// Any number of streams can be open at once, and each gets everything that it asks for. A stream
  /// that falls more than 1,024 reports behind loses the newest. It ends after
  /// ``Notification/deviceRemoved``, when its consumer's task is cancelled, or when its consumer
  /// releases it.
  ///
  /// If the device is plugged but not open yet, the call blocks until it is, for 200 ms at most. On
  /// the thread of `hidsim.executor()` it does not block.
  ///
  /// - Parameters:
  ///   - reportIDsToMonitor: The IDs of the wanted reports. Unnumbered reports are wanted if this
  ///     list is not empty, or if both lists are empty.
  ///   - elementsToMonitor: The elements whose values are wanted, from ``elements``. Elements of
  ///     other clients, and of output and feature reports, give no values.
  /// - Returns: A stream that throws a ``HIDDeviceError`` if the device cannot be opened, such as
  ///   `notPrivileged`, `notReady` or `noResources`. It throws `deviceError` if the device sends an
  ///   invalid message of its bus, and `noResources` if this process lacks resources to read on.
  public func monitorNotifications(
    reportIDsToMonitor: [ClosedRange<HIDReportID>], elementsToMonitor: [HIDElement]
  ) -> AsyncThrowingStream<Notification, any Error> {
    let filter = ReportFilter(reportIDsToMonitor, elementsToMonitor, of: self)
    let subscription = ReportSubscription(self, filter)
    connection.subscribe(subscription)
    return AsyncThrowingStream {
      // `supply` is called here and not in an `async` function, because that call would take as
      // long as all other work for a notification.
      let supply = subscription.supply()
      return supply.isOfNow ? try supply.notification() : try await subscription.next()
    }
  }
}
