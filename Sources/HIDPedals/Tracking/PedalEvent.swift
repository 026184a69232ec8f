// SPDX-License-Identifier: Apache-2.0

/// A device with pedals.
public struct Pedals: Hashable, Sendable, Identifiable {
  /// The way in which a device was recognised.
  public enum Recognition: Hashable, Sendable {
    /// By ``PedalMonitor/Options/use``, whose function returns this case.
    case program
    /// By its name.
    case identity
    /// By its usages.
    ///
    /// The device is a keyboard with the usages of ports 1 and 3 of a ``PedalMode``. Its other keys
    /// are modifier keys, or keys that some mode uses.
    case keys
  }

  /// The ID of the device: the `deviceID` of its reference in CoreHID.
  public let id: UInt64
  /// The name of the product; nil if it has none.
  public let name: String?
  /// The way in which the device was recognised.
  public let recognition: Recognition
}

/// A change of a pedal.
public struct PedalEvent: Hashable, Sendable {
  /// The kinds of changes.
  public enum Kind: Hashable, Sendable {
    /// The pedal was pressed down: a stroke begins.
    case down
    /// The pedal counts as pressed: `repeat` is 0 right after ``down``, and 1, 2… at each repeat.
    case press(repeat: Int)
    /// The pedal was released: the stroke ends after this number of repeats.
    case up(repeats: Int)
    /// The stroke ends for the reader of the stream, without a release.
    ///
    /// The device was unplugged or cannot be read any more, another client has seized it, another
    /// focus was taken, the focus was released, text input has begun, or the monitor was paused.
    case cancelled
  }

  /// The device.
  public let pedals: Pedals
  /// The number of the port, from 1: the socket of the device that the pedal is plugged into.
  public let port: Int
  /// The kind of the change.
  public let kind: Kind
  /// The time of the change.
  ///
  /// It is the time of the report that caused the change. A repeat by the monitor, or an `up` after
  /// the window of `PedalRepeat.device`, has the time at which it was due. A cancellation has the
  /// time at which it happened.
  public let timestamp: SuspendingClock.Instant
}
