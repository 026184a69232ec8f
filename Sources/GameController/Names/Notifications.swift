// SPDX-License-Identifier: Apache-2.0

import CoreHaptics

extension NSNotification.Name {
  /// Posted on the main thread when the first keyboard is connected; the object is the
  /// ``GCKeyboard`` of all keyboards.
  ///
  /// The first use of the name begins the search for devices: a keyboard that is there already is
  /// posted 20 ms later.
  public static var GCKeyboardDidConnect: NSNotification.Name {
    Registry.current.announce(.keyboard)
    return keyboardDidConnect
  }

  /// Posted on the main thread when the last keyboard is disconnected.
  public static var GCKeyboardDidDisconnect: NSNotification.Name {
    Registry.current.start()
    return keyboardDidDisconnect
  }

  /// Posted on the main thread for each mouse that is connected; the object is the ``GCMouse``.
  ///
  /// The first use of the name begins the search for devices: each mouse that is there already is
  /// posted 20 ms later.
  public static var GCMouseDidConnect: NSNotification.Name {
    Registry.current.announce(.mouse)
    return mouseDidConnect
  }

  /// Posted on the main thread for each mouse that is disconnected.
  public static var GCMouseDidDisconnect: NSNotification.Name {
    Registry.current.start()
    return mouseDidDisconnect
  }

  /// Posted on the main thread when a mouse becomes the one that was used last.
  ///
  /// The first use of the name begins the search for devices: a mouse that is the current one
  /// already is posted 20 ms later.
  public static var GCMouseDidBecomeCurrent: NSNotification.Name {
    Registry.current.announceCurrent(.mouse)
    return mouseDidBecomeCurrent
  }

  /// Posted on the main thread when a mouse is not the one that was used last any more.
  public static var GCMouseDidStopBeingCurrent: NSNotification.Name {
    Registry.current.announceCurrent(.mouse)
    return mouseDidStopBeingCurrent
  }

  /// Posted on the main thread for each controller that is connected; the object is the
  /// ``GCController``.
  ///
  /// The first use of the name begins the search for devices: each controller that is there already
  /// is posted 20 ms later.
  public static var GCControllerDidConnect: NSNotification.Name {
    Registry.current.announce(.controller)
    return controllerDidConnect
  }

  /// Posted on the main thread for each controller that is disconnected.
  public static var GCControllerDidDisconnect: NSNotification.Name {
    Registry.current.start()
    return controllerDidDisconnect
  }

  /// Posted on the main thread when a controller becomes the one that was used last.
  ///
  /// The first use of the name begins the search for devices: a controller that is the current one
  /// already is posted 20 ms later.
  public static var GCControllerDidBecomeCurrent: NSNotification.Name {
    Registry.current.announceCurrent(.controller)
    return controllerDidBecomeCurrent
  }

  /// Posted on the main thread when a controller is not the one that was used last any more.
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
  /// The notifications of a name, from now on.
  ///
  /// It is in Apple's Foundation, and not in Linux's.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - object: The object that posts them; nil for any.
  public func notifications(
    named name: Notification.Name, object: AnyObject? = nil
  ) -> Notifications { Notifications(self, name, object) }

  /// Notifications, one after the other.
  ///
  /// Of those that wait for a slow program the newest 1,024 are kept.
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

    /// Begins at the notification that waits longest.
    public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

    /// Waits for one notification after the other.
    public struct Iterator: AsyncIteratorProtocol {
      private var iterator: AsyncStream<Handed<Notification>>.Iterator

      fileprivate init(_ iterator: AsyncStream<Handed<Notification>>.Iterator) {
        self.iterator = iterator
      }

      /// The next notification; nil when the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Notification? {
        await iterator.next(isolation: actor)?.value
      }
    }
  }
}
