// SPDX-License-Identifier: Apache-2.0

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
  public static var GCMouseDidBecomeCurrent: NSNotification.Name {
    Registry.current.start()
    return mouseDidBecomeCurrent
  }

  /// Posted on the main thread when a mouse is not the one that was used last any more.
  public static var GCMouseDidStopBeingCurrent: NSNotification.Name {
    Registry.current.start()
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
  public static var GCControllerDidBecomeCurrent: NSNotification.Name {
    Registry.current.start()
    return controllerDidBecomeCurrent
  }

  /// Posted on the main thread when a controller is not the one that was used last any more.
  public static var GCControllerDidStopBeingCurrent: NSNotification.Name {
    Registry.current.start()
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
