// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

extension NSNotification.Name {
  /// Posted on the main queue when the first keyboard is connected; the object is the
  /// ``GCKeyboard`` of all keyboards.
  ///
  /// The first use of the name starts the search for devices. A keyboard that is already connected
  /// is posted at least 20 ms later.
  public static var GCKeyboardDidConnect: NSNotification.Name {
    Registry.current.announce(.keyboard)
    return keyboardDidConnect
  }

  /// Posted on the main queue when the last keyboard is disconnected; the object is the
  /// ``GCKeyboard`` of all keyboards.
  ///
  /// The first use of the name starts the search for devices.
  public static var GCKeyboardDidDisconnect: NSNotification.Name {
    Registry.current.start()
    return keyboardDidDisconnect
  }

  /// Posted on the main queue for each mouse that is connected; the object is the ``GCMouse``.
  ///
  /// The first use of the name starts the search for devices. Each mouse that is already connected
  /// is posted at least 20 ms later.
  public static var GCMouseDidConnect: NSNotification.Name {
    Registry.current.announce(.mouse)
    return mouseDidConnect
  }

  /// Posted on the main queue for each mouse that is disconnected; the object is the ``GCMouse``.
  ///
  /// The first use of the name starts the search for devices.
  public static var GCMouseDidDisconnect: NSNotification.Name {
    Registry.current.start()
    return mouseDidDisconnect
  }

  /// Posted on the main queue when a mouse becomes the current one: the mouse that was used or
  /// connected last.
  ///
  /// The object is the ``GCMouse``. The first use of the name starts the search for devices. A
  /// mouse that is already the current one is posted at least 20 ms later.
  public static var GCMouseDidBecomeCurrent: NSNotification.Name {
    Registry.current.announceCurrent(.mouse)
    return mouseDidBecomeCurrent
  }

  /// Posted on the main queue when a mouse is no longer the current one; the object is the
  /// ``GCMouse``.
  ///
  /// The first use of the name starts the search for devices.
  public static var GCMouseDidStopBeingCurrent: NSNotification.Name {
    Registry.current.announceCurrent(.mouse)
    return mouseDidStopBeingCurrent
  }

  /// Posted on the main queue for each controller that is connected; the object is the
  /// ``GCController``.
  ///
  /// The first use of the name starts the search for devices. Each controller that is already
  /// connected is posted at least 20 ms later.
  public static var GCControllerDidConnect: NSNotification.Name {
    Registry.current.announce(.controller)
    return controllerDidConnect
  }

  /// Posted on the main queue for each controller that is disconnected; the object is the
  /// ``GCController``.
  ///
  /// The first use of the name starts the search for devices.
  public static var GCControllerDidDisconnect: NSNotification.Name {
    Registry.current.start()
    return controllerDidDisconnect
  }

  /// Posted on the main queue when a controller becomes the current one: the controller that was
  /// used or connected last.
  ///
  /// The object is the ``GCController``. The first use of the name starts the search for devices. A
  /// controller that is already the current one is posted at least 20 ms later.
  public static var GCControllerDidBecomeCurrent: NSNotification.Name {
    Registry.current.announceCurrent(.controller)
    return controllerDidBecomeCurrent
  }

  /// Posted on the main queue when a controller is no longer the current one; the object is the
  /// ``GCController``.
  ///
  /// The first use of the name starts the search for devices.
  public static var GCControllerDidStopBeingCurrent: NSNotification.Name {
    Registry.current.announceCurrent(.controller)
    return controllerDidStopBeingCurrent
  }

  static let controllerDidConnect = NSNotification.Name("GCControllerDidConnectNotification")
  static let controllerDidDisconnect = NSNotification.Name(
    "GCControllerDidDisconnectNotification")
  static let controllerDidBecomeCurrent = NSNotification.Name(
    "GCControllerDidBecomeCurrentNotification")
  static let controllerDidStopBeingCurrent = NSNotification.Name(
    "GCControllerDidStopBeingCurrentNotification")
  static let keyboardDidConnect = NSNotification.Name("GCKeyboardDidConnectNotification")
  static let keyboardDidDisconnect = NSNotification.Name("GCKeyboardDidDisconnectNotification")
  static let mouseDidConnect = NSNotification.Name("GCMouseDidConnectNotification")
  static let mouseDidDisconnect = NSNotification.Name("GCMouseDidDisconnectNotification")
  static let mouseDidBecomeCurrent = NSNotification.Name("GCMouseDidBecomeCurrentNotification")
  static let mouseDidStopBeingCurrent = NSNotification.Name(
    "GCMouseDidStopBeingCurrentNotification")
}

extension NotificationCenter {
  /// Returns the notifications with a name, from now on.
  ///
  /// Apple's Foundation has this function; Linux's Foundation does not.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - object: The object that posts them; nil for any.
  public func notifications(
    named name: Notification.Name, object: AnyObject? = nil
  ) -> Notifications { Notifications(self, name, object) }

  /// A sequence of notifications.
  ///
  /// If the program is slow, the newest 1,024 of the waiting notifications are kept.
  public final class Notifications: AsyncSequence, Sendable {
    private let stream: AsyncStream<Handed<Notification>>

    fileprivate init(
      _ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?
    ) {
      let (stream, continuation) = AsyncStream<Handed<Notification>>.makeStream(
        bufferingPolicy: .bufferingNewest(1024))
      let observer = center.addObserver(forName: name, object: object, queue: nil) {
        continuation.yield(Handed(value: $0))
      }
      let (handedCenter, handedObserver) = (Handed(value: center), Handed(value: observer))
      continuation.onTermination = { _ in
        handedCenter.value.removeObserver(handedObserver.value)
      }
      self.stream = stream
    }

    /// Makes an iterator that begins at the oldest waiting notification.
    public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

    /// An iterator that waits for each notification.
    public struct Iterator: AsyncIteratorProtocol {
      private var iterator: AsyncStream<Handed<Notification>>.Iterator

      fileprivate init(_ iterator: AsyncStream<Handed<Notification>>.Iterator) {
        self.iterator = iterator
      }

      /// Returns the next notification; nil when the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Notification? {
        await iterator.next(isolation: actor)?.value
      }
    }
  }
}
