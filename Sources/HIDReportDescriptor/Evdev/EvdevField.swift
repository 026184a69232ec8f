// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming

/// What Linux looks at in a field when it maps the field's usages, in the kernel's own widths.
struct EvdevField: Sendable {
  let type: HIDReportType
  /// The usages of the innermost application, physical and logical collections around; 0 for none.
  let around: EvdevCollections.Usages
  /// Whether its collection is a named array of programmable buttons.
  let hasProgrammableButtons: Bool
  let flags: HIDFieldFlags
  let bitSize: Int
  let count: Int
  let logicalMinimum: Int32
  let logicalMaximum: Int32
  let physicalMinimum: Int32
  let physicalMaximum: Int32
  let unit: UInt32
  let unitExponent: Int32
  /// The place of the first wireless radio button: Linux reads the rest of such a field as relative, to
  /// release the button by itself.
  private let radioButtonIndex: Int?

  init(_ field: HIDReportField, type: HIDReportType, in collections: EvdevCollections) {
    self.type = type
    around = collections.around(field.collection)
    hasProgrammableButtons = collections.isProgrammableButtons(field.collection)
    flags = field.flags
    bitSize = field.bitSize
    count = field.count
    logicalMinimum = Int32(truncatingIfNeeded: field.logicalMinimum)
    logicalMaximum = Int32(truncatingIfNeeded: field.logicalMaximum)
    physicalMinimum = Int32(truncatingIfNeeded: field.physicalMinimum)
    physicalMaximum = Int32(truncatingIfNeeded: field.physicalMaximum)
    unit = field.unit
    unitExponent = Int32(truncatingIfNeeded: field.unitExponent)
    radioButtonIndex =
      around.application == EvdevUsage.wirelessRadioControls
      ? field.usages.firstIndex(of: HIDUsage(extended: EvdevUsage.wirelessRadioButton)) : nil
  }

  /// Whether Linux maps usages of the field at all.
  var isMapped: Bool { type != .feature && !flags.contains(.constant) && count >= 1 }

  /// Whether the kernel takes an element's values as changes.
  func isRelative(at index: Int) -> Bool {
    if flags.contains(.relative) { return true }
    guard let radioButtonIndex else { return false }
    return index > radioButtonIndex
  }

  /// The units of an axis in a millimetre or a radian, 0 where the descriptor does not say.
  ///
  /// Numbers wrap, and give up on what has grown smaller by it, as the kernel's do.
  ///
  /// Source: Linux 6.12, `hidinput_calc_abs_res`.
  func resolution(of axis: EvdevCode) -> Int32 {
    var logical = logicalMaximum &- logicalMinimum
    var physical = physicalMaximum &- physicalMinimum
    var exponent = unitExponent
    guard logical > 0, physical > 0 else { return 0 }
    func grow(_ extent: inout Int32, by factor: Int32) -> Bool {
      let grown = extent &* factor
      defer { extent = grown }
      return grown >= extent
    }
    switch axis {
    // Lengths.
    case .x, .y, .z, .positionX, .positionY, .toolX, .toolY, .touchMajor, .touchMinor:
      switch unit {
      case 0x11: exponent &+= 1  // centimetres
      case 0x13:  // inches
        guard grow(&physical, by: 254) else { return 0 }
        exponent &-= 1
      default: return 0
      }
    // Angles.
    case .rx, .ry, .rz, .steering, .tiltX, .tiltY:
      switch unit {
      case 0x14:  // degrees
        guard grow(&logical, by: 573) else { return 0 }
        exponent &+= 1
      case 0x12: break  // radians
      default: return 0
      }
    default: return 0
    }
    // Both loops end: after at most 32 steps no bit of the number is left, and 0 is smaller.
    while exponent < 0 {
      guard grow(&logical, by: 10) else { return 0 }
      exponent += 1
    }
    while exponent > 0 {
      guard grow(&physical, by: 10) else { return 0 }
      exponent -= 1
    }
    return (logical &+ physical / 2) / physical
  }
}

/// The collections of a descriptor as the kernel looks them up.
struct EvdevCollections: Sendable {
  /// The usages of the innermost collections of three kinds; 0 for none, or for one without a usage.
  struct Usages: Hashable, Sendable {
    var application: UInt32 = 0
    var physical: UInt32 = 0
    var logical: UInt32 = 0
  }

  /// The number of application collections, nested ones too.
  let applicationCount: Int
  /// Whether any collection is one that input comes from.
  let hasInput: Bool
  private let usages: [Usages]
  private let programmable: [Bool]

  init(_ collections: HIDCollections) {
    var all: [Usages] = []
    for collection in collections {
      var usages = collection.parent.map { all[$0] } ?? Usages()
      let usage = collection.usage?.extended ?? 0
      switch collection.kind {
      case .application: usages.application = usage
      case .physical: usages.physical = usage
      case .logical: usages.logical = usage
      default: break
      }
      all.append(usages)
    }
    usages = all
    programmable = collections.map {
      $0.kind == .namedArray && $0.usage?.extended == EvdevUsage.programmableButtons
    }
    applicationCount = collections.count { $0.kind == .application }
    hasInput = collections.contains {
      ($0.kind == .application || $0.kind == .physical)
        && EvdevUsage.isInputApplication($0.usage?.extended ?? 0)
    }
  }

  /// The collections around a place; `nil` is outside all.
  func around(_ collection: Int?) -> Usages { collection.map { usages[$0] } ?? Usages() }

  /// Whether a collection holds programmable buttons; outside all, the kernel looks at the first.
  func isProgrammableButtons(_ collection: Int?) -> Bool {
    let index = collection ?? 0
    return index < programmable.count && programmable[index]
  }
}
