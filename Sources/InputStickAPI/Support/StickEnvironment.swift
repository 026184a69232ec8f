// SPDX-License-Identifier: Apache-2.0

/// What a manager needs of the machine: a clock, timers, random bytes, and sticks to connect to.
///
/// Tests give a manager one whose time they step themselves.
package protocol StickEnvironment: AnyObject, Sendable {
  /// The time in seconds since 1970.
  var unixTime: Int { get }

  /// Calls a body later, as a callback.
  ///
  /// - Returns: Cancels the call; after that the body is not called.
  func schedule(
    afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void

  /// Returns random bytes.
  func randomBytes(_ count: Int) -> [UInt8]

  /// Begins to look for sticks.
  ///
  /// - Parameter found: Is called back for each stick, again and again while it is there.
  func startScan(_ found: @escaping @Sendable (StickAdvertisement) -> Void)

  /// Ends looking for sticks.
  func stopScan()

  /// Whether an identifier is enough to connect, without a scan that finds the stick.
  func canConnect(to identifier: String) -> Bool

  /// Connects to a stick.
  ///
  /// - Parameters:
  ///   - identifier: The stick, as ``StickAdvertisement`` names it.
  ///   - event: Is called back with what happens to the link, in order.
  /// - Returns: The link, which is not there yet.
  func connect(
    to identifier: String, _ event: @escaping @Sendable (StickLinkEvent) -> Void
  ) -> any StickTransport
}

/// A stick that was found.
package struct StickAdvertisement: Hashable, Sendable {
  /// What it is connected to by.
  package let identifier: String
  /// Its Bluetooth name.
  package let name: String
  /// The strength of its signal, in dBm.
  package let rssi: Int

  /// Makes an advertisement.
  package init(identifier: String, name: String, rssi: Int) {
    self.identifier = identifier
    self.name = name
    self.rssi = rssi
  }
}

/// What happens to a link.
package enum StickLinkEvent: Hashable, Sendable {
  /// The stick is connected; it cannot be written to yet.
  case connected
  /// The link can be used: so many bytes can be written at once.
  case ready(pieceByteCount: Int)
  /// Bytes have come.
  case received([UInt8])
  /// The link has gone, or was never there.
  case closed
}

/// A link to a stick.
package protocol StickTransport: AnyObject, Sendable {
  /// Writes bytes, in order.
  func write(_ bytes: [UInt8])

  /// Ends the link; no event comes any more.
  func close()
}
