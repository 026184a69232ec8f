// SPDX-License-Identifier: Apache-2.0

/// The name of an event of a device, which is the same in JSON, text, scripts, files and traces.
///
/// Not each of these has all events: a trace has no `driver`, and a script expects only events of
/// hosts.
public enum HIDEventName: String, Hashable, Sendable, CaseIterable {
  /// The device sends an input report.
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
  /// A packet on the device's command link.
  case packet
  /// The host's request was delegated to the program that drives the device.
  case request
  /// An event of a USB host that is not about a report.
  case usb
  /// The command link opened, or a client of it connected, disconnected or was refused.
  case link
  /// The kernel has bound another driver.
  case driver
  /// The device cannot be used any more.
  case unusable
  /// A report that a real device might have understood differently.
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

  /// Returns the event with a word of scripts, device files and recordings.
  public init?(word: String) {
    guard let name = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = name
  }
}
