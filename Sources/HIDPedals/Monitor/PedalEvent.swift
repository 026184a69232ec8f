// SPDX-License-Identifier: Apache-2.0

/// A device with pedals.
public struct Pedals: Hashable, Sendable, Identifiable {
  /// How a device was recognised.
  public enum Recognition: Hashable, Sendable {
    /// By ``PedalMonitor/Options/use``.
    case program
    /// By its name.
    case identity
    /// By its keys: it has keys that pedals send, and no others.
    case keys
  }

  /// The number of the device, as in CoreHID.
  public let id: UInt64
  /// The name of the product; nil if it has none.
  public let name: String?
  /// How the device was recognised.
  public let recognition: Recognition
}

/// A change of a pedal.
public struct PedalEvent: Hashable, Sendable {
  /// The kinds of changes.
  public enum Kind: Hashable, Sendable {
    /// The pedal has gone down: a stroke begins.
    case down
    /// The pedal counts as pressed: with 0 right after ``down``, with 1, 2… at each repeat.
    case press(repeat: Int)
    /// The pedal has gone up: the stroke ends. The number is that of its repeats.
    case up(repeats: Int)
    /// The stroke ends without a release: the device was unplugged, another client has seized it,
    /// the focus has moved, text input has begun, or the monitor was paused.
    case cancelled
  }

  /// The device.
  public let pedals: Pedals
  /// The number of the port, from 1.
  public let port: Int
  /// The kind of the change.
  public let kind: Kind
  /// When the report came; for a repeat of the monitor, when it was due.
  public let timestamp: SuspendingClock.Instant
}
