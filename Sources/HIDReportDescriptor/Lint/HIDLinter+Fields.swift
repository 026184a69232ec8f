// SPDX-License-Identifier: Apache-2.0

// Findings about a field: its position, size and flags.

extension HIDLinter {
  mutating func addField(_ type: HIDReportType, _ item: HIDItem) {
    let field = HIDLintField(type, item, globals, locals)
    lintPlace(field)
    lintLogicalRange(field)
    let report = reportIndex(type, item)
    if let report {
      let start = reports[report].bitCount
      extend(report, by: field.bitCount, item, isUsed: field.hasUsages)
      if !reports[report].isFaulty { lintSpan(field, from: start) }
      lintMultiplier(field, report)
    }
    let isEmpty = lintSize(field)
    if isEmpty, let report { reports[report].isEmptyForAReason = true }
    lintFlags(field)
    lintDelimiters(field)
    guard field.hasUsages else {
      if !field.isConstant, !locals.isFaulty, !isEmpty {
        collector.add(
          .dataWithoutUsage, at: item.offset,
          "this data field has no usage; Linux treats it as padding, Windows refuses the "
            + "descriptor",
          fix: "add a Usage before it, or make it constant: "
            + Self.bytes(
              HIDItem(
                Self.tag(type), data: item.data | 1, dataByteCount: max(1, item.dataByteCount))))
      }
      return
    }
    lintUsages(item, describing: "a field")
    guard !field.isConstant else {
      if type == .input, !field.isOfVendor, field.hasDefinedUsage {
        collector.add(
          .constantWithUsage, at: item.offset,
          "this constant field has usages; Linux makes no events of it",
          fix: "make it data, or leave out the usages")
      }
      return
    }
    guard !isEmpty else { return }
    lintRanges(field)
    lintValues(field)
    if !locals.isFaulty, locals.delimiterOffset == nil { lintUsageCount(field) }
    if let report { lintDuplicates(field, report) }
  }

  static func tag(_ type: HIDReportType) -> HIDItemTag {
    switch type {
    case .input: .input
    case .output: .output
    case .feature: .feature
    }
  }

  // MARK: Position

  private mutating func lintPlace(_ field: HIDLintField) {
    let offset = field.item.offset
    if let pop = restoringPop {
      restoringPop = nil
      let before = pop.from.map { "report ID \($0)" } ?? "no report ID"
      let after = globals.validReportID.map { "report ID \($0)" } ?? "no report ID"
      collector.add(
        .reportIDRestoredByPop, at: pop.offset,
        "this Pop goes back from \(before) to \(after); some parsers keep \(before)",
        fix: "write the Report ID that you mean after the Pop")
    }
    guard let open = openCollections.last else {
      outsideReportID = nil
      guard !isUnbalanced, !hasToldOutside else { return }
      hasToldOutside = true
      collector.add(
        .fieldOutsideCollection, at: offset,
        "a field outside all collections belongs to no application; Windows refuses the descriptor",
        fix: "move it into the application collection")
      return
    }
    let top = topCollections.count - 1
    if let id = globals.validReportID {
      lintSharedID(id, open, top, offset)
    } else if case .none = globals.reportID, topCollections[top].unnumberedFieldOffset == nil {
      topCollections[top].unnumberedFieldOffset = offset
    }
  }

  private mutating func lintSharedID(
    _ id: HIDReportID, _ open: Collection, _ top: Int, _ offset: Int
  ) {
    let index = Int(id.rawValue)
    let owner = topCollectionOfReportID[index]
    topCollectionOfReportID[index] = top
    guard owner >= 0, owner != top, !isUnbalanced else { return }
    // The finding is at the Report ID item if this collection contains that item, else at the field
    // that inherits the ID.
    let start = topCollections[top].offset
    let place = globals.reportIDItem.flatMap { $0.offset > start ? $0.offset : nil } ?? offset
    collector.add(
      .reportIDShared, at: place,
      "report ID \(id) is also used in the top-level collection at byte "
        + "\(topCollections[owner].offset); Windows refuses the descriptor",
      fix: "give each top-level collection report IDs of its own")
  }

  /// Checks that each element spans at most four bytes.
  ///
  /// The positions of elements within bytes repeat after eight elements.
  private mutating func lintSpan(_ field: HIDLintField, from start: Int) {
    guard field.hasUsages, !field.isConstant, let size = field.bitSize, size <= 32,
      let count = field.count
    else { return }
    for index in 0..<min(count, 8) where (start + index * size) % 8 + size > 32 {
      collector.add(
        .fieldOverFourBytes, at: field.item.offset,
        "element \(index) has \(size) bits, begins at bit \((start + index * size) % 8) of a byte "
          + "and spans five bytes; HID 1.11 allows four",
        fix: "add padding before it, so that it begins at a byte boundary")
      return
    }
  }

  // MARK: Size

  /// Reports a missing Report Size or Report Count, usages without bits, and elements over 32 bits.
  ///
  /// - Returns: True if Report Size or Report Count is missing or was refused, or the field has
  ///   usages but no bits; further checks of the field are then useless.
  private mutating func lintSize(_ field: HIDLintField) -> Bool {
    var isMissing = false
    for (rule, quantity, what) in [
      (HIDLintRule.reportSizeMissing, globals.reportSize, "Report Size"),
      (.reportCountMissing, globals.reportCount, "Report Count"),
    ] where quantity.item == nil {
      isMissing = true
      guard toldRules.insert(rule).inserted else { continue }
      collector.add(
        rule, at: field.item.offset,
        "there is no \(what) before this field; Linux assumes 0",
        fix: "add a \(what) before this field, such as "
          + (what == "Report Size" ? "75 08" : "95 01"))
    }
    guard let size = field.bitSize, let count = field.count else { return true }
    if isMissing { return true }
    if size == 0 || count == 0 {
      if field.hasUsages {
        collector.add(
          .emptyField, at: field.item.offset,
          "this field has usages and no bits: \(count) elements of \(size) bits",
          fix: size == 0 ? "set a Report Size" : "set a Report Count")
        return true
      }
      return false
    }
    if size > 32, field.hasUsages, !field.isConstant {
      let octets = size % 8 == 0 && count * size / 8 <= HIDReportDescriptor.maximumUsageCount
      collector.add(
        .fieldOver32Bits, at: field.item.offset,
        "elements of \(size) bits; HID 1.11, section 8.4, allows 32, and Linux reads no more",
        fix: octets
          ? "write elements of 8 bits: 75 08, Report Count (\(count * size / 8))"
          : "split them into elements of at most 32 bits")
    }
    return false
  }

  // MARK: Flags

  private mutating func lintFlags(_ field: HIDLintField) {
    let item = field.item
    let mask: UInt32 = field.type == .input ? 0x17f : 0x1ff
    if item.data & ~mask != 0 {
      collector.add(
        .reservedFlags, at: item.offset,
        "bits \(hexadecimal(item.data & ~mask, digitCount: 2)) of this \(field.type) item are reserved",
        fix: "clear them: "
          + Self.bytes(
            HIDItem(
              Self.tag(field.type), data: item.data & mask,
              dataByteCount: item.data & mask > 0xff ? 2 : 1)))
    }
  }

  private mutating func lintDelimiters(_ field: HIDLintField) {
    guard let offset = locals.delimiterOffset else { return }
    if field.isVariable {
      guard locals.usages.count > 1 else { return }
      collector.add(
        .alternativeUsages, at: offset,
        "this field has alternative usages between Delimiter items; Linux gives those of the "
          + "first set to the elements one after the other, and drops the other sets",
        fix: "keep one usage for each element, and remove the Delimiter items")
    } else {
      collector.add(
        .delimiterInArray, at: offset,
        "this array has alternative usages; Windows refuses the descriptor",
        fix: "keep one usage for each value, and remove the Delimiter items")
    }
  }
}
