// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The type of an input event: one of the `EV_` numbers of Linux.
///
/// Source: Linux 6.12, `include/uapi/linux/input-event-codes.h`.
public enum EvdevEventType: UInt8, CaseIterable, Sendable {
  /// The end of a set of events, `EV_SYN`; every node has it.
  case synchronization = 0x00
  /// A key or button, `EV_KEY`.
  case key = 0x01
  /// A movement, `EV_REL`.
  case relative = 0x02
  /// A position, `EV_ABS`.
  case absolute = 0x03
  /// Other input data, such as scan codes and serial numbers, `EV_MSC`.
  case miscellaneous = 0x04
  /// A light, `EV_LED`.
  case led = 0x11
  /// Repetition of held keys by the kernel, `EV_REP`.
  case autorepeat = 0x14

  /// The kernel's name: `EV_KEY`.
  public var name: String {
    switch self {
    case .synchronization: "EV_SYN"
    case .key: "EV_KEY"
    case .relative: "EV_REL"
    case .absolute: "EV_ABS"
    case .miscellaneous: "EV_MSC"
    case .led: "EV_LED"
    case .autorepeat: "EV_REP"
    }
  }

  /// The highest code of the type: `KEY_MAX`, `REL_MAX` and so on.
  var maximumNumber: Int {
    switch self {
    case .synchronization: 0xf
    case .key: 0x2ff
    case .relative: 0xf
    case .absolute: 0x3f
    case .miscellaneous: 0x7
    case .led: 0xf
    case .autorepeat: 0x1
    }
  }
}

/// The code of an input event: a type, and a number of that type.
///
/// Source: Linux 6.12, `include/uapi/linux/input-event-codes.h`.
public struct EvdevCode: Hashable, Sendable {
  /// The type.
  public let type: EvdevEventType
  /// The number of the code among the codes of its type.
  public let number: UInt16

  /// Creates a code from its numbers.
  public init(_ type: EvdevEventType, _ number: UInt16) {
    self.type = type
    self.number = number
  }

  /// Finds a code by a name in the kernel, or by type and number, as in the ``description`` of a
  /// code without a name.
  ///
  /// - Parameter name: A name such as `KEY_A`, `BTN_SOUTH` or its alias `BTN_A`; or `EV_KEY 0x10a`.
  /// - Returns: The code; `nil` for an unknown name, and for the kernel's names of codes of
  ///   `EV_SYN` and `EV_REP`, such as `SYN_REPORT`.
  public init?(named name: String) {
    if let code = EvdevCodeNames.codes[name] {
      self = code
      return
    }
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2,
      let type = EvdevEventType.allCases.first(where: { $0.name == words[0] }),
      let number = NumberText.hexadecimal(words[1], as: UInt16.self), number <= type.maximumNumber
    else { return nil }
    self.init(type, number)
  }

  /// The kernel's name, such as `KEY_A` or `ABS_X`; `nil` for a number without one, and for all
  /// codes of `EV_SYN` and `EV_REP`.
  ///
  /// For a code with several names, this is one of them: `BTN_LEFT`, not `BTN_MOUSE`.
  public var name: String? { EvdevCodeNames.names[self] }
}

extension EvdevCode: Comparable, CustomStringConvertible {
  /// Returns whether a code comes before another: by the number of its type, then by its own.
  public static func < (left: Self, right: Self) -> Bool {
    (left.type.rawValue, left.number) < (right.type.rawValue, right.number)
  }

  /// The name; for a code without one, the type's name and the number: `EV_KEY 0x10a`.
  public var description: String {
    name ?? "\(type.name) \(hexadecimal(UInt32(number), digitCount: 2))"
  }
}
