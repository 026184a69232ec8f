// SPDX-License-Identifier: Apache-2.0

/// The tags of HID 1.11 by name.
///
/// The raw value is the item's first byte without the size: tag in bits 7…4, type in bits 3…2.
///
/// Source: HID 1.11, sections 6.2.2.4 to 6.2.2.8.
public enum HIDItemTag: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  // Main items.
  case input = 0x80
  case output = 0x90
  case collection = 0xa0
  case feature = 0xb0
  case endCollection = 0xc0

  // Global items.
  case usagePage = 0x04
  case logicalMinimum = 0x14
  case logicalMaximum = 0x24
  case physicalMinimum = 0x34
  case physicalMaximum = 0x44
  case unitExponent = 0x54
  case unit = 0x64
  case reportSize = 0x74
  case reportID = 0x84
  case reportCount = 0x94
  case push = 0xa4
  case pop = 0xb4

  // Local items.
  case usage = 0x08
  case usageMinimum = 0x18
  case usageMaximum = 0x28
  case designatorIndex = 0x38
  case designatorMinimum = 0x48
  case designatorMaximum = 0x58
  case stringIndex = 0x78
  case stringMinimum = 0x88
  case stringMaximum = 0x98
  case delimiter = 0xa8

  /// The item's name in HID 1.11, as one word: `usagePage`.
  public var name: String {
    switch self {
    case .input: "input"
    case .output: "output"
    case .collection: "collection"
    case .feature: "feature"
    case .endCollection: "endCollection"
    case .usagePage: "usagePage"
    case .logicalMinimum: "logicalMinimum"
    case .logicalMaximum: "logicalMaximum"
    case .physicalMinimum: "physicalMinimum"
    case .physicalMaximum: "physicalMaximum"
    case .unitExponent: "unitExponent"
    case .unit: "unit"
    case .reportSize: "reportSize"
    case .reportID: "reportID"
    case .reportCount: "reportCount"
    case .push: "push"
    case .pop: "pop"
    case .usage: "usage"
    case .usageMinimum: "usageMinimum"
    case .usageMaximum: "usageMaximum"
    case .designatorIndex: "designatorIndex"
    case .designatorMinimum: "designatorMinimum"
    case .designatorMaximum: "designatorMaximum"
    case .stringIndex: "stringIndex"
    case .stringMinimum: "stringMinimum"
    case .stringMaximum: "stringMaximum"
    case .delimiter: "delimiter"
    }
  }

  /// Creates the tag with this name, which is case-sensitive; `nil` if no tag has it.
  ///
  /// - Parameter name: A name as ``name`` returns it.
  public init?(name: String) {
    guard let tag = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = tag
  }

  /// The same as ``name``.
  public var description: String { name }

  /// True if the item's data is a signed number.
  public var isSigned: Bool {
    switch self {
    case .logicalMinimum, .logicalMaximum, .physicalMinimum, .physicalMaximum, .unitExponent: true
    default: false
    }
  }
}
