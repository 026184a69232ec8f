// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// A rule by which a device does what its descriptor cannot say.
///
/// One event, one behaviour: of an interface's behaviours the first is carried out whose trigger and
/// conditions match. It changes the state, then answers and sends, with the state as it is by then.
public struct HIDBehaviour: Hashable, Sendable {
  /// What has to happen.
  public enum Trigger: Hashable, Sendable {
    /// The device is being plugged: before any driver asks. What is sent goes out once the device is ready.
    case plug
    /// The first client opens the device; the kernel's own drivers count as clients.
    case open
    /// The last client closes the device.
    case close
    /// So much time has passed since the device was ready, or since the last time.
    case timer(Duration)
    /// The host sent an output report: one that matches, its ID first where it is numbered; `nil` for any.
    case output(HIDBytePattern?)
    /// The host asks for a report.
    case get(HIDReportType, HIDReportID?)
    /// The host asks the device to take a report, and waits: one that matches, as for `output`.
    case set(HIDReportType, HIDReportID?, HIDBytePattern?)
  }

  /// What must hold besides.
  public struct Condition: Hashable, Sendable {
    /// Whose value is looked at.
    public var name: HIDValueName
    /// The values for which the condition holds: any of these ranges.
    public var values: [ClosedRange<Int64>]

    /// Creates a condition from its parts.
    public init(_ name: HIDValueName, in values: [ClosedRange<Int64>]) {
      self.name = name
      self.values = values
    }
  }

  /// A change of the state.
  public struct Change: Hashable, Sendable {
    /// The name of the state.
    public var name: String
    /// What becomes of it.
    public var value: Value

    /// What becomes of a state; numbers wrap around in its type.
    public enum Value: Hashable, Sendable {
      /// This number.
      case integer(Int64)
      /// So much more than it was.
      case step(Int64)
      /// What a term of a template stands for.
      case term(HIDReportTemplate.Integer)
      /// These bytes, cut or filled up with zeros to its length.
      case bytes(HIDReportTemplate)
    }

    /// Creates a change from its parts.
    public init(_ name: String, to value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// How a request is answered.
  public enum Answer: Hashable, Sendable {
    /// As without the rule: with what the device remembers, or with success where the report is declared.
    case usual
    /// With an error.
    case error
    /// Never: the host waits until its own time is over.
    case never
    /// A get request with these bytes, after the report's ID, and zeros to the declared length.
    case reply(HIDReportTemplate)
    /// A get request with exactly these bytes: the whole answer, however long it is.
    case exactReply(HIDReportTemplate)
  }

  /// An input report to be sent.
  public struct Sending: Hashable, Sendable {
    /// The report's ID; `nil` for an un-numbered report.
    public var id: HIDReportID?
    /// The bytes after the ID, and zeros to the declared length; `nil` for the report as it is, with its stamps.
    public var bytes: HIDReportTemplate?
    /// How much later it is sent than the behaviour's delay says.
    public var delay: Duration

    /// Creates a sending from its parts.
    public init(id: HIDReportID?, bytes: HIDReportTemplate?, after delay: Duration = .zero) {
      self.id = id
      self.bytes = bytes
      self.delay = delay
    }
  }

  /// A device that is pulled out.
  public struct Detachment: Hashable, Sendable {
    /// After what time it is plugged in again; `nil` for never.
    public var pause: Duration?

    /// Creates a detachment.
    public init(pause: Duration? = nil) { self.pause = pause }
  }

  /// What the rule is for.
  public var trigger: Trigger
  /// What must hold besides, all of it.
  public var conditions: [Condition]
  /// What becomes of the state, in order.
  public var changes: [Change]
  /// How the request is answered, where it is one.
  public var answer: Answer
  /// The input reports that are sent, in order.
  public var sendings: [Sending]
  /// How much later than at once it is answered, sent and pulled out.
  public var delay: Duration
  /// Whether the device is pulled out.
  public var detachment: Detachment?

  /// Creates a rule from its parts.
  public init(
    trigger: Trigger, conditions: [Condition] = [], changes: [Change] = [],
    answer: Answer = .usual, sendings: [Sending] = [], delay: Duration = .zero,
    detachment: Detachment? = nil
  ) {
    self.trigger = trigger
    self.conditions = conditions
    self.changes = changes
    self.answer = answer
    self.sendings = sendings
    self.delay = delay
    self.detachment = detachment
  }
}

extension HIDBehaviour.Trigger {
  /// Whether every event that triggers another trigger triggers this one.
  ///
  /// Each timer is a clock of its own: none covers another.
  func covers(_ other: Self) -> Bool {
    switch (self, other) {
    case (.plug, .plug), (.open, .open), (.close, .close): true
    case (.get(let type, let id), .get(let otherType, let otherID)):
      type == otherType && id == otherID
    case (.output(let pattern), .output(let otherPattern)):
      HIDBytePattern.covers(pattern, otherPattern)
    case (.set(let type, let id, let pattern), .set(let otherType, let otherID, let otherPattern)):
      type == otherType && id == otherID && HIDBytePattern.covers(pattern, otherPattern)
    default: false
    }
  }
}
