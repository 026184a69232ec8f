// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// The places of an added control that has different ones in different reports of one ID.
///
/// The first place whose conditions hold applies, for reading and for setting the control. If none
/// holds, the control is where its `HIDAddedField` says.
public struct HIDControlAlternatives: Hashable, Sendable {
  /// A place of the control, and when the control is there.
  public struct Place: Hashable, Sendable {
    /// The pattern of the report, its ID first if it is numbered; `nil` for any report.
    public var bytes: HIDBytePattern?
    /// The conditions on states of the device, all of which must hold.
    public var conditions: [HIDBehaviour.Condition]
    /// The first bit, counted from the start of the payload, without the report ID.
    public var bitOffset: Int

    /// True if the conditions are of states only.
    ///
    /// The value of a control would depend on its own place. A place with such a condition never
    /// applies.
    var isOfStates: Bool {
      conditions.allSatisfy { if case .state = $0.name { true } else { false } }
    }

    /// Creates a place from its parts.
    public init(
      bytes: HIDBytePattern?, conditions: [HIDBehaviour.Condition] = [], bitOffset: Int
    ) {
      self.bytes = bytes
      self.conditions = conditions
      self.bitOffset = bitOffset
    }
  }

  /// The name of the control in the device file.
  public var control: String
  /// The field of the control.
  public var field: HIDAddedField
  /// The places, in the order in which they are tried.
  public var places: [Place]

  /// Creates the places of a control.
  public init(control: String, field: HIDAddedField, places: [Place]) {
    self.control = control
    self.field = field
    self.places = places
  }
}
