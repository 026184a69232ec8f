// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import Synchronization

/// Hears of the connection.
public protocol InputStickConnectionNotificationObserver: AnyObject {
  /// The state of the connection has changed.
  func didUpdateInputStickConnectionState(_ notification: Notification!)
}

/// Hears of scans.
public protocol InputStickPeripheralScanNotificationObserver: AnyObject {
  /// The list of sticks has changed.
  func didUpdateInputStickPeripheralsList(_ notification: Notification!)
  /// A scan has begun.
  func didStartInputStickPeripheralScan()
  /// A scan has ended.
  func didFinishInputStickPeripheralScan()
  /// The time of a scan is over.
  func didTimeoutInputStickPeripheralScan()
}

/// Hears of buffers and lamps; each function may be left out.
public protocol InputStickStatusUpdateNotificationObserver: AnyObject {
  /// A status has come.
  func didUpdateInputStickHIDBuffersStateNotification(_ notification: Notification!)
  /// The lamps of the Lock keys have changed.
  func didUpdateInputStickKeyboardLEDsNotification(_ notification: Notification!)
  /// The host has taken all keyboard reports.
  func didEmptyInputStickKeyboardBufferNotification()
  /// The host has taken all mouse reports.
  func didEmptyInputStickMouseBufferNotification()
  /// The host has taken all reports of the consumer interface.
  func didEmptyInputStickConsumerBufferNotification()
  /// No keyboard reports wait here.
  func didEmptyInputStickKeyboardLocalBufferNotification()
  /// No mouse reports wait here.
  func didEmptyInputStickMouseLocalBufferNotification()
  /// No reports of the consumer interface wait here.
  func didEmptyInputStickConsumerLocalBufferNotification()
}

extension InputStickStatusUpdateNotificationObserver {
  /// Does nothing.
  public func didUpdateInputStickHIDBuffersStateNotification(_ notification: Notification!) {}
  /// Does nothing.
  public func didUpdateInputStickKeyboardLEDsNotification(_ notification: Notification!) {}
  /// Does nothing.
  public func didEmptyInputStickKeyboardBufferNotification() {}
  /// Does nothing.
  public func didEmptyInputStickMouseBufferNotification() {}
  /// Does nothing.
  public func didEmptyInputStickConsumerBufferNotification() {}
  /// Does nothing.
  public func didEmptyInputStickKeyboardLocalBufferNotification() {}
  /// Does nothing.
  public func didEmptyInputStickMouseLocalBufferNotification() {}
  /// Does nothing.
  public func didEmptyInputStickConsumerLocalBufferNotification() {}
}

/// Hears of packets.
public protocol InputStickPacketNotificationObserver: AnyObject {
  /// A packet has come.
  func didReceiveInputStickPacket(_ notification: Notification!)
}

/// The registrations of observers.
///
/// Linux has no selectors: a registration keeps the tokens of its center.
private let registrations = Mutex<[Registration]>([])

/// An observer of one family, and the tokens by which the center knows it.
///
/// The observer is called on the thread that posts, as one with a selector is; else it is only
/// compared. The tokens are only given back to their center, which can be called from any thread.
/// So both are safe to send.
private struct Registration: @unchecked Sendable {
  weak var observer: AnyObject?
  let center: NotificationCenter
  let family: String
  var tokens: [any NSObjectProtocol] = []

  func remove() { for token in tokens { center.removeObserver(token) } }
}

extension NotificationCenter {
  /// - Parameter typed: Returns the observer, or nil when it is gone. A cast from `AnyObject` does
  ///   not do: it fails for a conformance of the main actor where no task runs.
  private func register<Observer>(
    _ observer: AnyObject?, _ family: String, _ typed: @escaping @Sendable () -> Observer?,
    _ calls: KeyValuePairs<Notification.Name, @Sendable (Observer, Notification) -> Void>
  ) {
    guard let observer else { return }
    var registration = Registration(observer: observer, center: self, family: family)
    registration.tokens = calls.map { name, call in
      addObserver(forName: name, object: nil, queue: nil) { notification in
        if let observer = typed() { call(observer, notification) }
      }
    }
    let made = registration
    remove { $0.observer == nil }
    registrations.withLock { $0.append(made) }
  }

  private func unregister(_ observer: AnyObject?, _ family: String) {
    remove { $0.observer === observer && $0.family == family && $0.center === self }
  }

  private func remove(where isGone: (Registration) -> Bool) {
    let gone = registrations.withLock { list in
      let gone = list.filter(isGone)
      list.removeAll(where: isGone)
      return gone
    }
    for registration in gone { registration.remove() }
  }

  /// Calls an observer when the connection changes, until it is unregistered or gone.
  public func registerForInputStickConnectionNotifications(
    with observer: (any InputStickConnectionNotificationObserver)!
  ) {
    nonisolated(unsafe) weak let typed = observer
    register(
      observer, "Connection", { typed },
      [
        .stickConnection: { $0.didUpdateInputStickConnectionState($1) }
      ])
  }

  /// Ends the calls of ``registerForInputStickConnectionNotifications(with:)``.
  public func unregisterFromInputStickConnectionNotifications(
    with observer: (any InputStickConnectionNotificationObserver)!
  ) {
    unregister(observer, "Connection")
  }

  /// Calls an observer when a scan begins, finds sticks or ends, until it is unregistered or gone.
  public func registerForInputStickPeripheralScanNotifications(
    with observer: (any InputStickPeripheralScanNotificationObserver)!
  ) {
    nonisolated(unsafe) weak let typed = observer
    register(
      observer, "PeripheralScan", { typed },
      [
        .stickList: { $0.didUpdateInputStickPeripheralsList($1) },
        .stickScanStart: { observer, _ in observer.didStartInputStickPeripheralScan() },
        .stickScanFinish: { observer, _ in observer.didFinishInputStickPeripheralScan() },
        .stickScanTimeout: { observer, _ in observer.didTimeoutInputStickPeripheralScan() },
      ])
  }

  /// Ends the calls of ``registerForInputStickPeripheralScanNotifications(with:)``.
  public func unregisterFromInputStickPeripheralScanNotifications(
    with observer: (any InputStickPeripheralScanNotificationObserver)!
  ) {
    unregister(observer, "PeripheralScan")
  }

  /// Calls an observer when buffers or lamps change, until it is unregistered or gone.
  public func registerForInputStickStatusUpdateNotifications(
    with observer: (any InputStickStatusUpdateNotificationObserver)!
  ) {
    nonisolated(unsafe) weak let typed = observer
    register(
      observer, "StatusUpdate", { typed },
      [
        .stickBuffers: { $0.didUpdateInputStickHIDBuffersStateNotification($1) },
        .stickLEDs: { $0.didUpdateInputStickKeyboardLEDsNotification($1) },
        .stickKeyboardEmpty: { observer, _ in
          observer.didEmptyInputStickKeyboardBufferNotification()
        },
        .stickMouseEmpty: { observer, _ in observer.didEmptyInputStickMouseBufferNotification() },
        .stickConsumerEmpty: { observer, _ in
          observer.didEmptyInputStickConsumerBufferNotification()
        },
        .stickKeyboardLocalEmpty: { observer, _ in
          observer.didEmptyInputStickKeyboardLocalBufferNotification()
        },
        .stickMouseLocalEmpty: { observer, _ in
          observer.didEmptyInputStickMouseLocalBufferNotification()
        },
        .stickConsumerLocalEmpty: { observer, _ in
          observer.didEmptyInputStickConsumerLocalBufferNotification()
        },
      ])
  }

  /// Ends the calls of ``registerForInputStickStatusUpdateNotifications(with:)``.
  public func unregisterFromInputStickStatusUpdateNotifications(
    with observer: (any InputStickStatusUpdateNotificationObserver)!
  ) {
    unregister(observer, "StatusUpdate")
  }

  /// Calls an observer when a packet comes, until it is unregistered or gone.
  public func registerForInputStickPacketNotifications(
    with observer: (any InputStickPacketNotificationObserver)!
  ) {
    nonisolated(unsafe) weak let typed = observer
    register(
      observer, "Packet", { typed },
      [
        .stickPacket: { $0.didReceiveInputStickPacket($1) }
      ])
  }

  /// Ends the calls of ``registerForInputStickPacketNotifications(with:)``.
  public func unregisterFromInputStickPacketNotifications(
    with observer: (any InputStickPacketNotificationObserver)!
  ) {
    unregister(observer, "Packet")
  }
}
