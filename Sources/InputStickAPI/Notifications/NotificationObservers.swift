// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals

public import Foundation
import Synchronization

/// An observer of the connection.
public protocol InputStickConnectionNotificationObserver: AnyObject {
  /// Called when the state of the connection has changed.
  func didUpdateInputStickConnectionState(_ notification: Notification!)
}

/// An observer of scans.
public protocol InputStickPeripheralScanNotificationObserver: AnyObject {
  /// Called when a scan begins, and when its list of sticks (simulated InputSticks) has changed.
  func didUpdateInputStickPeripheralsList(_ notification: Notification!)
  /// Called when a scan has begun.
  func didStartInputStickPeripheralScan()
  /// Called when a scan has ended.
  func didFinishInputStickPeripheralScan()
  /// Called when a scan has reached its time limit.
  func didTimeoutInputStickPeripheralScan()
}

/// An observer of buffers and LEDs; each function has an empty default implementation.
public protocol InputStickStatusUpdateNotificationObserver: AnyObject {
  /// Called when the stick has sent a status.
  func didUpdateInputStickHIDBuffersStateNotification(_ notification: Notification!)
  /// Called when a status of the stick reports other LEDs than before.
  ///
  /// At the start of a connection, all LEDs count as off.
  func didUpdateInputStickKeyboardLEDsNotification(_ notification: Notification!)
  /// Called when a status has made ``InputStickHIDBuffersManager/keyboardBufferEmpty`` true.
  func didEmptyInputStickKeyboardBufferNotification()
  /// Called when a status has made ``InputStickHIDBuffersManager/mouseBufferEmpty`` true.
  func didEmptyInputStickMouseBufferNotification()
  /// Called when a status has made ``InputStickHIDBuffersManager/consumerBufferEmpty`` true.
  func didEmptyInputStickConsumerBufferNotification()
  /// Called when the last keyboard report that waited in this library was sent, or was removed by
  /// a clear function.
  func didEmptyInputStickKeyboardLocalBufferNotification()
  /// Called when the last mouse report that waited in this library was sent, or was removed by a
  /// clear function.
  func didEmptyInputStickMouseLocalBufferNotification()
  /// Called when the last report of the consumer interface that waited in this library was sent,
  /// or was removed by a clear function.
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

/// An observer of packets.
public protocol InputStickPacketNotificationObserver: AnyObject {
  /// Called when the stick has sent a packet.
  func didReceiveInputStickPacket(_ notification: Notification!)
}

/// The registrations of observers.
///
/// Linux has no selectors, so a registration keeps the tokens of its center.
private let registrations = Mutex<[Registration]>([])

/// An observer of one family of notifications, and its tokens in the center.
///
/// It is safe to send. The observer is called on the thread that posts, as an observer with a
/// selector is; otherwise it is only compared. The tokens are only returned to their center, which
/// any thread can call.
private struct Registration: @unchecked Sendable {
  weak var observer: AnyObject?
  let center: NotificationCenter
  let family: String
  var tokens: [any NSObjectProtocol] = []

  func remove() { for token in tokens { center.removeObserver(token) } }
}

extension NotificationCenter {
  /// Registers an observer for a family of notifications.
  ///
  /// - Parameter typed: Returns the observer with its type; nil once it is released. A cast of
  ///   `observer` would fail where no task runs, if its conformance is isolated to the main actor.
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

  /// Registers an observer that is called when the connection changes, until it is unregistered or
  /// released.
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

  /// Unregisters an observer of ``registerForInputStickConnectionNotifications(with:)``.
  public func unregisterFromInputStickConnectionNotifications(
    with observer: (any InputStickConnectionNotificationObserver)!
  ) {
    unregister(observer, "Connection")
  }

  /// Registers an observer that is called when a scan begins, changes its list of sticks or ends,
  /// until it is unregistered or released.
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

  /// Unregisters an observer of ``registerForInputStickPeripheralScanNotifications(with:)``.
  public func unregisterFromInputStickPeripheralScanNotifications(
    with observer: (any InputStickPeripheralScanNotificationObserver)!
  ) {
    unregister(observer, "PeripheralScan")
  }

  /// Registers an observer that is called at each status of the stick, when a buffer becomes empty,
  /// and when LEDs change, until it is unregistered or released.
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

  /// Unregisters an observer of ``registerForInputStickStatusUpdateNotifications(with:)``.
  public func unregisterFromInputStickStatusUpdateNotifications(
    with observer: (any InputStickStatusUpdateNotificationObserver)!
  ) {
    unregister(observer, "StatusUpdate")
  }

  /// Registers an observer that is called for each packet, until it is unregistered or released.
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

  /// Unregisters an observer of ``registerForInputStickPacketNotifications(with:)``.
  public func unregisterFromInputStickPacketNotifications(
    with observer: (any InputStickPacketNotificationObserver)!
  ) {
    unregister(observer, "Packet")
  }
}
