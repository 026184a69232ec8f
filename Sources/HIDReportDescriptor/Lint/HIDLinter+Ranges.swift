// SPDX-License-Identifier: Apache-2.0

// Findings about a field's logical and physical range, unit and values.

extension HIDLinter {
  // MARK: Logical range

  mutating func lintLogicalRange(_ field: HIDLintField) {
    guard field.logical.minimum > field.logical.maximum else { return }
    let items = [globals.logicalMinimum.item, globals.logicalMaximum.item].compactMap(\.self)
    guard items.filter({ isNew($0) }).count > 0 else { return }
    collector.add(
      .logicalRangeReversed(
        offset: field.item.offset, minimum: field.logical.minimum, maximum: field.logical.maximum),
      fix: Self.fixOfReversal(field))
  }

  private static func fixOfReversal(_ field: HIDLintField) -> String {
    // A negative minimum makes Linux read the maximum as signed: 26 00 80 is then -32768.
    if let item = field.globals.logicalMaximum.item, field.logical.minimum < 0,
      Int64(item.data) >= 0, item.signedData < 0,
      let wider = HIDItem(shortest: .logicalMaximum, value: Int64(item.data))
    {
      return "if \(item.data) is meant, write Logical Maximum (\(item.data)) as \(bytes(wider))"
    }
    return "write the smaller number as Logical Minimum"
  }

  mutating func lintRanges(_ field: HIDLintField) {
    lintLogicalItems(field)
    lintMaximumSign(
      .logicalMaximumSign, globals.logicalMaximum, field.logical.maximum, field.representable)
    lintPhysicalRange(field)
    lintUnit(field)
  }

  private mutating func lintLogicalItems(_ field: HIDLintField) {
    let (minimum, maximum) = field.logical
    guard minimum <= maximum else { return }
    let minimumItem = globals.logicalMinimum.item
    let maximumItem = globals.logicalMaximum.item
    if minimumItem == nil || maximumItem == nil {
      if toldRules.insert(.logicalRangeMissing).inserted {
        let what =
          minimumItem == nil && maximumItem == nil
          ? "logical range" : minimumItem == nil ? "Logical Minimum" : "Logical Maximum"
        collector.add(
          .logicalRangeMissing, at: field.item.offset,
          "there is no \(what) before this field; Linux reads \(minimum) to \(maximum)",
          fix:
            "add \(what == "logical range" ? "Logical Minimum and Logical Maximum" : what) before it"
        )
      }
      return
    }
    if minimum == maximum {
      // An array of one usage has one value.
      if !field.isVariable, field.usageCount == 1 { return }
      if let maximumItem, isNew(maximumItem) {
        collector.add(
          .logicalRangeEmpty, at: field.item.offset,
          "the logical range is \(minimum) to \(maximum), so the field has only one value",
          fix: "set the Logical Minimum and Logical Maximum that you mean")
      }
      return
    }
    guard let held = field.representable else { return }
    // A maximum above 31 bits is the unsigned reading of a sign bit, which has its own finding.
    if let item = maximumItem, maximum > Int32.max, maximum != Int64(item.signedData) { return }
    if minimum < held.lowerBound || maximum > held.upperBound {
      collector.add(
        .logicalRangeOverBits, at: field.item.offset,
        "the logical range is \(minimum) to \(maximum), but \(Self.bits(field.bitSize)) "
          + "\(held.lowerBound) to \(held.upperBound)",
        fix: Self.fixOfRange(field, held))
    }
  }

  private static func bits(_ size: Int?) -> String {
    size == 1 ? "1 bit holds" : "\(size ?? 0) bits hold"
  }

  private static func fixOfRange(_ field: HIDLintField, _ held: ClosedRange<Int64>) -> String {
    guard field.isVariable, field.logical.minimum >= held.lowerBound,
      let item = HIDItem(shortest: .logicalMaximum, value: held.upperBound)
    else { return "widen Report Size, or narrow the range" }
    return
      "write Logical Maximum (\(held.upperBound)), \(bytes(item)), before this field, "
      + "or widen Report Size"
  }

  private mutating func lintMaximumSign(
    _ rule: HIDLintRule, _ limit: HIDLintGlobals.Limit, _ value: Int64,
    _ held: ClosedRange<Int64>?
  ) {
    guard let item = limit.item, let tag = item.tag, value != Int64(item.signedData), isNew(item)
    else { return }
    let fix: String?
    if value > Int32.max, let held, value > held.upperBound {
      // The author of the descriptor probably wanted a negative maximum. The maximum was read while
      // the minimum of an earlier field was in force.
      fix = "write the smaller number as minimum, and the minimum before the maximum"
    } else if let wider = HIDItem(shortest: tag, value: value),
      wider.dataByteCount > item.dataByteCount
    {
      let count = wider.dataByteCount == 2 ? "two" : "four"
      fix = "write \(Self.name(tag)) (\(value)) in \(count) bytes: \(Self.bytes(wider))"
    } else {
      fix = nil
    }
    collector.add(
      rule, at: item.offset,
      "\(Self.name(tag)) \(Self.bytes(item)) is \(item.signedData) by HID 1.11; Linux reads \(value), "
        + "macOS \(item.signedData)",
      fix: fix ?? "use at most \(Int32.max), the largest number that every host reads")
  }

  private static func name(_ tag: HIDItemTag) -> String {
    tag == .logicalMaximum ? "Logical Maximum" : "Physical Maximum"
  }

  // MARK: Physical range and unit

  private mutating func lintPhysicalRange(_ field: HIDLintField) {
    let (minimum, maximum) = field.physical
    guard minimum != 0 || maximum != 0 else { return }
    if let item = globals.physicalMaximum.item, maximum != Int64(item.signedData) {
      lintMaximumSign(.physicalMaximumSign, globals.physicalMaximum, maximum, nil)
      return
    }
    guard minimum >= maximum,
      let item = globals.physicalMaximum.item ?? globals.physicalMinimum.item, isNew(item)
    else { return }
    collector.add(
      .physicalRangeReversed, at: field.item.offset,
      "Physical Minimum \(minimum) is not below Physical Maximum \(maximum); Windows does not scale the "
        + "values, and macOS ignores both",
      fix: "write the smaller number as Physical Minimum, or 35 00 45 00 for no physical range")
  }

  private mutating func lintUnit(_ field: HIDLintField) {
    guard let unit = globals.unit, unit.data != 0 else { return }
    // Keys, lamps, buttons and the values of arrays have no unit.
    let isSwitch = [0x07, 0x08, 0x09].contains(field.page) && field.bitSize == 1
    guard isSwitch || !field.isVariable, isNew(unit) else { return }
    collector.add(
      .unitOfButtons, at: field.item.offset,
      "the Unit at byte \(unit.offset) is still in force at this field",
      fix: "reset it before this field: Unit (none), 65 00")
  }

  // MARK: Resolution multiplier

  /// Reports a Resolution Multiplier whose logical range makes Linux crash.
  ///
  /// Linux divides by the length of this range, whatever the flags and bits of the field. It does
  /// so for each feature field that it keeps, if the field has the usage and an element. The range
  /// 0 to 4294967295 also makes Linux divide by -1. That division has a result, because the
  /// dividend is then 0 instead of the lowest number.
  mutating func lintMultiplier(_ field: HIDLintField, _ report: Int) {
    guard field.type == .feature, field.count ?? 0 > 0,
      reports[report].usedFieldCount <= HIDReportDescriptor.maximumFieldCount,
      field.logical.minimum == Int32.min, field.logical.maximum == Int32.max,
      let usages = field.usages.first(where: {
        $0.contains(Self.resolutionMultiplier, page: globals.usagePage)
      })
    else { return }
    collector.add(
      .multiplierStopsLinux, at: usages.offset,
      "the range of a Resolution Multiplier is \(Int32.min) to \(Int32.max); Linux divides "
        + "\(Int32.min) by -1 when the device is plugged, and the processor faults in the kernel",
      fix: "write the range that the multiplier has, such as 0 to 1: 15 00 25 01")
  }

  private static let resolutionMultiplier: UInt32 = 0x0001_0048

  // MARK: Values

  mutating func lintValues(_ field: HIDLintField) {
    let item = field.item
    if field.flags.contains(.nullState), let held = field.representable, field.isVariable,
      field.logical.minimum <= held.lowerBound, field.logical.maximum >= held.upperBound
    {
      collector.add(
        .nullStateWithoutValue, at: item.offset,
        "this field has a null state, but its logical range, \(field.logical.minimum) to "
          + "\(field.logical.maximum), is all that \(Self.bits(field.bitSize))",
        fix: "narrow the range by one value, or leave out the null state")
    }
    guard field.isVariable else { return }
    let usages = field.singleUsages
    let isRelative = field.flags.contains(.relative)
    if field.type == .input, !isRelative, !field.flags.contains(.nullState),
      usages.contains(Self.hatSwitch)
    {
      collector.add(
        .hatSwitchWithoutNullState, at: item.offset, "this hat switch has no null state",
        fix: "set the null state: "
          + Self.bytes(
            HIDItem(.input, data: item.data | 0x40, dataByteCount: max(1, item.dataByteCount))))
    }
    if field.type == .input, !isRelative, field.logical.minimum < 0, !openCollections.isEmpty,
      topCollections.last?.usage == Self.mouse, usages.contains(where: { Self.isPosition($0) })
    {
      collector.add(
        .absolutePointerNegative, at: item.offset,
        "this absolute position begins at \(field.logical.minimum); Windows 7 uses only a "
          + "quarter of the screen", fix: "begin at 0: 15 00")
    }
    if field.type == .input, isRelative, field.logical.minimum >= 0, field.bitSize ?? 0 > 1,
      let usage = usages.first(where: { Self.isSignedAxis($0) })
    {
      collector.add(
        .relativeUnsigned, at: item.offset,
        "this relative field of \(Self.name(usage)) has logical minimum "
          + "\(field.logical.minimum), so it cannot report a backward movement",
        fix: "write a negative Logical Minimum, such as -127: 15 81")
    }
  }

  private static let hatSwitch: UInt32 = 0x0001_0039
  private static let mouse: UInt32 = 0x0001_0002

  /// Returns whether a usage is Generic Desktop X or Y.
  private static func isPosition(_ usage: UInt32) -> Bool {
    usage == 0x0001_0030 || usage == 0x0001_0031
  }

  /// Returns whether a usage is Generic Desktop X to Wheel other than Slider, or AC Pan.
  private static func isSignedAxis(_ usage: UInt32) -> Bool {
    (0x0001_0030...0x0001_0038).contains(usage) && usage != 0x0001_0036 || usage == 0x000c_0238
  }
}
