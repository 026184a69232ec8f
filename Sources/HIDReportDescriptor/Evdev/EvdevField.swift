// SPDX-License-Identifier: Apache-2.0

/// The properties of a field that Linux uses to map the field's usages, in the kernel's own widths.
struct EvdevField: Sendable {
  let type: HIDReportType
  /// The usages of the innermost application, physical and logical collections around the field; 0
  /// for none.
  let around: EvdevCollections.Usages
  /// True if the collection of the field is a named array of programmable buttons.
  ///
  /// For a field outside all collections, the first collection counts.
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
  /// The index of the first wireless radio button; `nil` if there is none, and outside the
  /// application for such buttons.
  ///
  /// In a field with this button, Linux reads the elements after the button as relative. Linux then
  /// releases the button itself.
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

  /// True if Linux maps usages of the field at all.
  var isMapped: Bool { type != .feature && !flags.contains(.constant) && count >= 1 }

  /// Returns whether the kernel reads an element's values as changes.
  func isRelative(at index: Int) -> Bool {
    if flags.contains(.relative) { return true }
    guard let radioButtonIndex else { return false }
    return index > radioButtonIndex
  }

  /// Returns the units of an axis per millimetre or per radian; 0 if the descriptor does not give
  /// them, and for an axis that is no length or angle.
  ///
  /// 32-bit numbers wrap, as in the kernel. If a product wraps to a smaller one, the result is 0.
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
    // Both loops end: after at most 32 steps, the 32-bit product is 0, which is smaller than the
    // number before.
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

/// The collections of a descriptor, with the data that the kernel uses.
struct EvdevCollections: Sendable {
  /// The usages of the innermost collections of three kinds; 0 for none, or for a collection
  /// without a usage.
  struct Usages: Hashable, Sendable {
    var application: UInt32 = 0
    var physical: UInt32 = 0
    var logical: UInt32 = 0
  }

  /// The number of application collections, including nested ones.
  let applicationCount: Int
  /// True if any application or physical collection has a usage that Linux takes for input.
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

  /// Returns the usages of a collection and those around it; for `nil`, all usages are 0.
  func around(_ collection: Int?) -> Usages { collection.map { usages[$0] } ?? Usages() }

  /// Returns whether a collection holds programmable buttons.
  ///
  /// For a field outside all collections, the kernel checks the first collection.
  func isProgrammableButtons(_ collection: Int?) -> Bool {
    let index = collection ?? 0
    return index < programmable.count && programmable[index]
  }
}
