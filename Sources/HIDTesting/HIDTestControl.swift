// SPDX-License-Identifier: Apache-2.0

public import CoreHID

/// A control of a device, or a state that its file declares: `.led(.capsLock)`, or the name, as a
/// text in quotes.
@available(macOS 15, *)
public struct HIDTestControl: Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  enum Kind: Hashable, Sendable {
    case name(String)
    case usage(HIDUsage)
  }

  let kind: Kind

  /// Names a control as scripts do: `capsLock`, `led.capsLock`, `leftX`, `button 3`.
  public init(_ name: String) { kind = .name(name) }

  /// Names a control as scripts do.
  public init(stringLiteral name: String) { kind = .name(name) }

  /// Names the control that has a usage.
  public init(_ usage: HIDUsage) { kind = .usage(usage) }

  /// Names a lamp.
  public static func led(_ lamp: HIDUsage.LEDUsage) -> HIDTestControl { HIDTestControl(.led(lamp)) }

  /// The name, or the description of the usage.
  public var description: String {
    switch kind {
    case .name(let name): name
    case .usage(let usage): "\(usage)"
    }
  }
}

/// The value to which a control or state is set, or that is expected of it; an integer is a logical
/// value.
///
/// A state has no percentage, normalised or physical values: an action with one throws an error.
public enum HIDTestValue: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The logical maximum, or 1 for a state; in an expectation, any value except zero.
  case on
  /// Zero, or the logical minimum of a range without zero; in an expectation, zero.
  case off
  /// A logical value, as it is in the report, or the number of a state.
  case logical(Int)
  /// A percentage: from 0, the logical minimum, to 100, the logical maximum.
  case percent(Double)
  /// From -1 to 1, the ends of a logical range with negative values; from 0 to 1 for other ranges.
  case normalised(Double)
  /// A physical value, in the unit of the control's field.
  case physical(Double)

  /// Makes a logical value.
  public init(integerLiteral value: Int) { self = .logical(value) }
}
