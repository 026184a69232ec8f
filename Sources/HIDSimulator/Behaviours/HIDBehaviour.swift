// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// A rule for an action of a device that its descriptor cannot express.
///
/// An event carries out at most one behaviour of an interface: the first whose trigger and
/// conditions match. The behaviour changes the state first. It then answers and sends with the
/// changed state. A request that a script, a trace or a driving program answers carries out none.
public struct HIDBehaviour: Hashable, Sendable {
  /// The event that triggers a behaviour.
  public enum Trigger: Hashable, Sendable {
    /// The device is being plugged, and no driver has asked for a report yet.
    ///
    /// The reports of the behaviour are sent once the device is ready.
    case plug
    /// The first client opens the device; the kernel's own drivers count as clients.
    case open
    /// The last client closes the device.
    case close
    /// This time has passed since the device became ready, or since the timer last ran out.
    ///
    /// A timer that is late runs out once for all periods that have ended meanwhile.
    case timer(Duration)
    /// An event of a USB host that the pattern selects, on the USB bus only.
    ///
    /// Each interface of a device reacts to an event that
    /// concerns the whole device.
    case usb(USBEventPattern)
    /// The host has sent an output report that matches the pattern; `nil` matches any report.
    ///
    /// The pattern begins with the ID if the report is numbered. Without a route, the trigger
    /// fires for both.
    case output(HIDBytePattern?, by: HIDOutputRoute? = nil)
    /// The host asks for a report.
    case get(HIDReportType, HIDReportID?)
    /// The host asks the device to take a report, and waits for the answer.
    ///
    /// The report matches the pattern, as for `output`.
    case set(HIDReportType, HIDReportID?, HIDBytePattern?)
  }

  /// A condition that must hold in addition to the trigger.
  public struct Condition: Hashable, Sendable {
    /// The name of the value that is compared.
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
    /// The new value of the state.
    public var value: Value

    /// The new value of a state.
    ///
    /// A number wraps around in the range of the state's type. For a state of type bool, every
    /// number except 0 becomes 1.
    public enum Value: Hashable, Sendable {
      /// This number.
      case integer(Int64)
      /// The old value plus this number.
      case step(Int64)
      /// The value of a term of a template.
      case term(HIDReportTemplate.Integer)
      /// These bytes, cut or filled with zeros to the length of the state.
      case bytes(HIDReportTemplate)
    }

    /// Creates a change from its parts.
    public init(_ name: String, to value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The answer to a request.
  public enum Answer: Hashable, Sendable {
    /// The answer that the device gives without the rule.
    ///
    /// A get request gets the remembered report, or an error if there is none. A set request
    /// succeeds if the report is declared.
    case usual
    /// An error.
    case error
    /// No answer: the host waits until its own timeout.
    ///
    /// Where an optional answer is expected, `.none` alone is nil.
    case none
    /// A report for a get request: these bytes after its ID, cut or filled with zeros to the
    /// declared length.
    case reply(HIDReportTemplate)
    /// The whole answer to a get request: exactly these bytes, the first 4,096 at most.
    case exactReply(HIDReportTemplate)
  }

  /// An input report that a behaviour sends.
  public struct Sending: Hashable, Sendable {
    /// The report's ID; `nil` for an unnumbered report.
    public var id: HIDReportID?
    /// The bytes after the ID, cut or filled with zeros to the declared length.
    ///
    /// If it is `nil`, the report is sent with the values that it has at that time, and with its
    /// stamps. Relative controls are zero in it.
    public var bytes: HIDReportTemplate?
    /// The delay in addition to the delay of the behaviour.
    public var delay: Duration

    /// Creates a sending from its parts.
    public init(id: HIDReportID?, bytes: HIDReportTemplate?, after delay: Duration = .zero) {
      self.id = id
      self.bytes = bytes
      self.delay = delay
    }
  }

  /// A detachment: the device unplugs itself.
  public struct Detachment: Hashable, Sendable {
    /// The time after which the device is plugged again; `nil` if it stays unplugged.
    public var pause: Duration?

    /// Creates a detachment.
    public init(pause: Duration? = nil) { self.pause = pause }
  }

  /// The event that triggers the rule.
  public var trigger: Trigger
  /// The conditions, all of which must hold.
  public var conditions: [Condition]
  /// The changes of the state, in order.
  public var changes: [Change]
  /// The answer, if the trigger is a request.
  public var answer: Answer
  /// The input reports that are sent, in order.
  public var sendings: [Sending]
  /// The delay of the answer, of the reports and of the detachment.
  public var delay: Duration
  /// The detachment; `nil` if the device stays plugged.
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

/// The way by which a host sends an output report.
public enum HIDOutputRoute: String, Hashable, Sendable, CaseIterable {
  /// An output report, which gets no answer.
  case output
  /// A request to take a report, of type output; the host waits for the answer.
  case set
}

extension HIDBehaviour.Trigger {
  /// Returns whether this trigger matches every event that another trigger matches.
  ///
  /// A timer covers no other timer, because every timer runs out by itself. For an output report, a
  /// pattern of an ID and `...` does not cover a trigger without a pattern, which matches any ID.
  func covers(_ other: Self) -> Bool {
    switch (self, other) {
    case (.plug, .plug), (.open, .open), (.close, .close): true
    case (.get(let type, let id), .get(let otherType, let otherID)):
      type == otherType && id == otherID
    case (.usb(let pattern), .usb(let other)): pattern.covers(other)
    case (.output(let pattern, let route), .output(let otherPattern, let otherRoute)):
      (route == nil || route == otherRoute) && HIDBytePattern.covers(pattern, otherPattern)
    case (.set(.output, let id, let pattern), .output(let otherPattern?, by: .set)):
      HIDBytePattern.covers(pattern ?? HIDBytePattern.anyReport(id), otherPattern)
    case (.output(let pattern, let route), .set(.output, let id, let otherPattern)):
      route != .output
        && HIDBytePattern.covers(pattern, otherPattern ?? HIDBytePattern.anyReport(id))
    case (.set(let type, let id, let pattern), .set(let otherType, let otherID, let otherPattern)):
      type == otherType && id == otherID
        && HIDBytePattern.covers(pattern, otherPattern ?? HIDBytePattern.anyReport(id))
    default: false
    }
  }
}
