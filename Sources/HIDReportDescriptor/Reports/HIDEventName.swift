// SPDX-License-Identifier: Apache-2.0

/// The name of an event of a device.
///
/// JSON, text and the comparison of traces have its raw value. Scripts, device files and recordings
/// have its ``word``. A trace has no `driver`, for example, and a script expects only events of
/// hosts.
public enum HIDEventName: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// The device sent an input report.
  case input
  /// The input report as the device sent it, before the recorder's kernel changed it.
  case original
  /// The host sent an output report, to which there is no answer.
  case output
  /// The host asked for a report.
  case get
  /// The host set a report, and waited for the answer.
  case set
  /// The first client opened the device.
  case opened
  /// The last client closed the device.
  case closed
  /// The device was plugged.
  case plugged
  /// The device was unplugged.
  case unplugged
  /// Reports were lost.
  case lost
  /// A packet went over the device's command link.
  case packet
  /// The host's request was delegated to the program that drives the device.
  case request
  /// A USB host did something that is not about a report.
  case usb
  /// The command link opened, or a client of it connected, disconnected or was refused.
  case link
  /// The kernel bound another driver.
  case driver
  /// The device became unusable.
  case unusable
  /// The host sent a report that a real device might have understood differently.
  case fidelity

  /// The word for the event in scripts, device files and recordings: `open` for `opened`.
  ///
  /// It is the raw value for all events except `opened`, `closed`, `plugged` and `unplugged`. These
  /// languages have used the infinitive since version 0.1.
  public var word: String {
    switch self {
    case .opened: "open"
    case .closed: "close"
    case .plugged: "plug"
    case .unplugged: "unplug"
    default: rawValue
    }
  }

  /// The raw value.
  public var description: String { rawValue }

  /// Returns the event with a word of scripts, device files and recordings.
  public init?(word: String) {
    switch word {
    case "open": self = .opened
    case "close": self = .closed
    case "plug": self = .plugged
    case "unplug": self = .unplugged
    default:
      guard let name = HIDEventName(rawValue: word), name.word == word else { return nil }
      self = name
    }
  }
}
