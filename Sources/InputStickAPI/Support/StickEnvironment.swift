// SPDX-License-Identifier: Apache-2.0

/// The services that a manager needs: a clock, timers, random bytes, and sticks to connect to.
///
/// A stick is a simulated InputStick: a USB device that a client drives by packets on a link.
///
/// Tests use an implementation whose time they advance themselves.
package protocol StickEnvironment: AnyObject, Sendable {
  /// The current time, in seconds since 1970.
  var unixTime: Int { get }

  /// Schedules a call of a body on the main queue.
  ///
  /// - Returns: A closure that cancels the call if it was not made yet.
  func schedule(
    afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void

  /// Returns random bytes.
  func randomBytes(_ count: Int) -> [UInt8]

  /// Starts a scan for sticks.
  ///
  /// - Parameter found: Called on the main queue for each stick, repeatedly while the stick exists.
  func startScan(_ found: @escaping @Sendable (StickAdvertisement) -> Void)

  /// Ends the scan for sticks.
  func stopScan()

  /// Returns whether the identifier is enough to connect, before a scan has found the stick.
  func canConnect(to identifier: String) -> Bool

  /// Connects to a stick.
  ///
  /// - Parameters:
  ///   - identifier: The stick's identifier in a ``StickAdvertisement``, or one with which
  ///     ``canConnect(to:)`` returns true.
  ///   - event: Called on the main queue with each event of the link, in order.
  /// - Returns: The link, which is not connected yet.
  func connect(
    to identifier: String, _ event: @escaping @Sendable (StickLinkEvent) -> Void
  ) -> any StickTransport
}

/// A stick that a scan has found.
package struct StickAdvertisement: Hashable, Sendable {
  /// The identifier, which ``StickEnvironment/connect(to:_:)`` takes.
  package let identifier: String
  /// The Bluetooth name of the stick; its address if it has no name.
  package let name: String
  /// The strength of the stick's signal, in dBm.
  package let rssi: Int

  /// Makes an advertisement.
  package init(identifier: String, name: String, rssi: Int) {
    self.identifier = identifier
    self.name = name
    self.rssi = rssi
  }
}

/// An event of a link.
package enum StickLinkEvent: Hashable, Sendable {
  /// The stick is connected, but does not accept bytes yet.
  case connected
  /// The stick accepts bytes, at most `pieceByteCount` in one call of ``StickTransport/write(_:)``.
  case ready(pieceByteCount: Int)
  /// The stick has sent bytes.
  case received([UInt8])
  /// The link has ended, or could not be made.
  case closed
}

/// A link to a stick.
package protocol StickTransport: AnyObject, Sendable {
  /// Writes bytes to the stick, in order, after ``StickLinkEvent/ready(pieceByteCount:)``.
  func write(_ bytes: [UInt8])

  /// Ends the link; no event follows.
  func close()
}
