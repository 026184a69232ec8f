// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// A row of the table of an interface's switches: the controls that each switch presses.
///
/// A switch is a pedal, key or button of the hardware that has no control of its own. The controls
/// that it presses depend on the state. When a switch goes down, the first row applies that names
/// it and whose conditions all hold.
public struct HIDSwitchRow: Hashable, Sendable {
  /// The controls of a switch, and their names as the device file writes them.
  public struct Entry: Hashable, Sendable {
    /// The name of the switch.
    public var name: String
    /// The name of each control: a name from the device file, or of a key, button or usage.
    public var controlNames: [String]
    /// The controls, in the order of ``controlNames``; all of them in input reports.
    public var controls: [HIDReportElement]

    /// Makes an entry.
    public init(name: String, controlNames: [String], controls: [HIDReportElement]) {
      self.name = name
      self.controlNames = controlNames
      self.controls = controls
    }
  }

  /// The conditions, all of which must hold; empty if the row always applies.
  public var conditions: [HIDBehaviour.Condition]
  /// The switches that the row has controls for.
  public var entries: [Entry]

  /// Makes a row.
  public init(conditions: [HIDBehaviour.Condition] = [], entries: [Entry]) {
    self.conditions = conditions
    self.entries = entries
  }
}

/// A rule for the strokes that the switches of an interface send while they are down.
///
/// When a switch goes down, the first rule applies whose conditions all hold. Without a rule the
/// controls stay pressed until the switch goes up. The host may repeat keys meanwhile.
public struct HIDSwitchRepeat: Hashable, Sendable {
  /// A time in a rule: fixed, or calculated from a state.
  public enum Time: Hashable, Sendable {
    /// A time that does not change.
    case fixed(Duration)
    /// The value of a state times this unit; the unit is more than 0 and at most 60 s.
    case multiple(state: String, unit: Duration)
    /// This time divided by the value of a state; the device does not repeat if the value is 0 or
    /// less.
    case part(state: String, of: Duration)
  }

  /// The action of a switch while it is down.
  public enum Action: Hashable, Sendable {
    /// The switch presses its controls and releases them at once.
    case once
    /// The device releases the controls and presses them again: first after the delay, then at
    /// every interval.
    case repeated(delay: Time, interval: Time)
  }

  /// The range of delays and intervals; a time outside it is replaced by the nearest bound.
  public static let times = Duration.milliseconds(1)...Duration.seconds(60)

  /// The conditions, all of which must hold; empty if the rule always applies.
  public var conditions: [HIDBehaviour.Condition]
  /// The action of a switch while it is down.
  public var action: Action

  /// Makes a rule.
  public init(conditions: [HIDBehaviour.Condition] = [], action: Action) {
    self.conditions = conditions
    self.action = action
  }
}
