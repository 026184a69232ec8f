// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// A difference between two traces: a missing, added or changed device, descriptor or event.
public struct HIDTraceDifference: Hashable, Sendable {
  /// The kind of the difference.
  public enum Change: String, Hashable, Sendable {
    /// Only the first trace has the subject.
    case missing
    /// Only the second trace has the subject.
    case added
    /// Both traces have the subject, with different content or, for an event, at different times.
    case changed
  }

  /// The subject of the difference.
  public enum Subject: Hashable, Sendable {
    /// A device: its properties, its presence in a trace, or report descriptors that cannot be
    /// compared.
    case device
    /// A difference between the two report descriptors of a device that a host can see.
    case descriptor(HIDDescriptorDifference)
    /// An event of a device.
    case event
  }

  /// An event with its time.
  public struct Moment: Hashable, Sendable {
    /// The event.
    public let event: HIDTraceEvent
    /// The time in microseconds since the first event of its trace.
    public let time: Int64
  }

  /// A control whose value differs.
  public struct Value: Hashable, Sendable, CustomStringConvertible {
    /// The control's name.
    public let name: String
    /// The value in the first trace; nil if that trace has none.
    public let before: Int64?
    /// The value in the second trace; nil if that trace has none.
    public let after: Int64?
    /// True if the value means on or off: see `HIDReportDescriptor.isSwitch(_:in:)`.
    public let isSwitch: Bool

    /// The change as text: `genericDesktop.x 5 -> 7`, `button 1 on`.
    public var description: String {
      "\(name) " + [before, after].compactMap { $0.map(word) }.joined(separator: " -> ")
    }

    private func word(_ value: Int64) -> String {
      isSwitch ? (value == 0 ? "off" : "on") : "\(value)"
    }
  }

  /// The kind of the difference.
  public let change: Change
  /// The subject of the difference.
  public let subject: Subject
  /// The label of the device: its name in the first trace, or in the second for an added device or
  /// event.
  public let device: String
  /// The event in the first trace; nil if that trace has none, or the subject is not an event.
  public let before: Moment?
  /// The event in the second trace; nil if that trace has none, or the subject is not an event.
  public let after: Moment?
  /// The properties that differ, without the controls in `values`.
  ///
  /// For a device: those of its name, its IDs, its serial number and its version that both traces
  /// have, or the lengths of report descriptors that cannot be compared. For an event: its time.
  /// If `values` is empty and both reports have the same length, also the indices of up to eight
  /// bytes that differ. There is none for an event without details.
  public let aspects: [HIDDescriptorDifference.Aspect]
  /// The values of the report's controls, up to sixteen.
  ///
  /// For a changed report: the controls whose values differ, if both traces have the same report
  /// descriptor. For a missing or added report: the controls that it changes, compared with the
  /// previous report of its type and ID, or with zeros if none was kept.
  public let values: [Value]
  /// The number of further controls that are not in `values`.
  public let furtherValueCount: Int
  /// The event as text: as in the first trace, then as in the second trace.
  ///
  /// There is one element if only one trace has the event, or if only its time differs. There is
  /// none for a device, a report descriptor, or a difference without details.
  let words: [String]
}

extension HIDTraceDifference: CustomStringConvertible {
  /// The difference as one line: `-`, `+` or `~`, the device, and the details.
  ///
  /// For an event, its time comes before the device, and its text after the device.
  public var description: String {
    let mark =
      switch change {
      case .missing: "-"
      case .added: "+"
      case .changed: "~"
      }
    let said = aspects.map { aspect in
      [aspect.name, [aspect.before, aspect.after].compactMap { $0 }.joined(separator: " -> ")]
        .joined(separator: " ")
    }
    switch subject {
    case .device:
      return "\(mark) \(device)" + (said.isEmpty ? "" : ": " + said.joined(separator: ", "))
    case .descriptor(let difference):
      return "\(mark) \(device): report descriptor: \(difference)"
    case .event:
      let time = (before ?? after).map { secondsText($0.time) } ?? ""
      var details = said + values.map(\.description)
      if furtherValueCount > 0 { details.append("\(furtherValueCount) more") }
      return "\(mark) \(time)  \(device): \(words.joined(separator: " -> "))"
        + (details.isEmpty ? "" : "  " + details.joined(separator: ", "))
    }
  }
}
