// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

extension HIDDeviceClient {
  /// What a client hears of its device.
  public enum Notification: Sendable {
    /// The device sent a report.
    ///
    /// `data` begins with the report's ID where the device numbers its reports; `id` is `nil` where it does not. The
    /// time is when this process took the report from the bus.
    case inputReport(id: HIDReportID?, data: Data, timestamp: SuspendingClock.Instant)
    /// A report came that holds monitored elements, whether their values changed or not.
    case elementUpdates(values: [HIDElement.Value])
    /// Another client has the device for itself: nothing more is heard until it lets go.
    case deviceSeized
    /// The other client has let go.
    case deviceUnseized
    /// The device is gone; the stream ends.
    case deviceRemoved
  }

  /// Starts a stream of what the device reports, from now on.
  ///
  /// Any number of streams can be open at once; each hears everything that it asks for. A stream that falls more than
  /// 1,024 reports behind loses the newest. It ends after ``Notification/deviceRemoved``, and when its consumer is
  /// cancelled or lets go of it.
  ///
  /// - Parameters:
  ///   - reportIDsToMonitor: The IDs of the reports that are wanted. Where a device does not number its reports, they are
  ///     wanted if there is any ID here, or if `elementsToMonitor` is empty as well.
  ///   - elementsToMonitor: The elements whose values are wanted, of ``elements``; those of other clients are left out.
  /// - Returns: A stream that throws a ``HIDDeviceError`` if the device cannot be opened: `notPrivileged`, `notReady`,
  ///   `noResources`. It throws `deviceError` if the device sends an invalid message of its bus.
  public func monitorNotifications(
    reportIDsToMonitor: [ClosedRange<HIDReportID>], elementsToMonitor: [HIDElement]
  ) -> AsyncThrowingStream<Notification, any Error> {
    let subscription = ReportSubscription(
      self, ReportFilter(reportIDsToMonitor, elementsToMonitor.filter { $0.client === self }))
    connection.subscribe(subscription)
    return AsyncThrowingStream {
      // Asked here, and not in a call that may wait: that alone would cost as much.
      let supply = subscription.supply()
      return supply.isOfNow ? try supply.notification() : try await subscription.next()
    }
  }
}
