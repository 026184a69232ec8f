// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// Something that one trace has and another has not, or has otherwise.
public struct HIDTraceDifference: Hashable, Sendable {
  /// What became of it.
  public enum Change: String, Hashable, Sendable {
    /// Only the first trace has it.
    case missing
    /// Only the second trace has it.
    case added
    /// Both have it, and it says something else.
    case changed
  }

  /// What it is.
  public enum Subject: Hashable, Sendable {
    /// A device: who it is, or whether it is there.
    case device
    /// Something that a host sees in the report descriptor of a device.
    case descriptor(HIDDescriptorDifference)
    /// Something that happened to a device.
    case event
  }

  /// An event with its time.
  public struct Moment: Hashable, Sendable {
    /// What happened.
    public let event: HIDTraceEvent
    /// When, in microseconds since the first event of its trace.
    public let time: Int64
  }

  /// A control whose value differs.
  public struct Value: Hashable, Sendable, CustomStringConvertible {
    /// The control's name.
    public let name: String
    /// Its value in the first trace; nil where that has none.
    public let before: Int64?
    /// Its value in the second trace; nil where that has none.
    public let after: Int64?
    /// Whether the control has only the values 0 and 1.
    public let isSwitch: Bool

    /// `genericDesktop.x 5 -> 7`, `button 1 on`.
    public var description: String {
      "\(name) " + [before, after].compactMap { $0.map(word) }.joined(separator: " -> ")
    }

    private func word(_ value: Int64) -> String {
      isSwitch ? (value == 0 ? "off" : "on") : "\(value)"
    }
  }

  /// What became of it.
  public let change: Change
  /// What it is.
  public let subject: Subject
  /// What people are told of the device: its name in the first trace, in the second for what is added.
  public let device: String
  /// The event in the first trace.
  public let before: Moment?
  /// The event in the second trace.
  public let after: Moment?
  /// What else differs: of a device its name and ids, of an event its time, its length, its answer.
  public let aspects: [HIDDescriptorDifference.Aspect]
  /// Of a changed report the controls that have another value, of another one those that it changes; up to sixteen.
  public let values: [Value]
  /// How many controls there are beyond those.
  public let furtherValueCount: Int
  /// What happened, in words, in the first trace or, of what is added, in the second; then in the second.
  let words: [String]
}

extension HIDTraceDifference: CustomStringConvertible {
  /// A line: `-`, `+` or `~`, the time, the device, what happened, and what differs.
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
