// SPDX-License-Identifier: Apache-2.0

import HIDText

// Global and local items.

extension HIDLinter {
  // MARK: Global items

  mutating func applyGlobal(_ item: HIDItem) {
    switch item.tag {
    case .usagePage: setUsagePage(item)
    case .logicalMinimum:
      globals.logicalMinimum = .init(value: item.signedData, item: item)
    case .logicalMaximum:
      globals.logicalMaximum = HIDLintGlobals.maximum(item, after: globals.logicalMinimum)
    case .physicalMinimum:
      globals.physicalMinimum = .init(value: item.signedData, item: item)
    case .physicalMaximum:
      globals.physicalMaximum = HIDLintGlobals.maximum(item, after: globals.physicalMinimum)
    case .unitExponent: setUnitExponent(item)
    case .unit: globals.unit = item
    case .reportSize:
      let value = Self.quantity(item, HIDReportDescriptor.maximumFieldBitSize)
      if value == nil {
        collector.add(
          .reportSizeTooLarge(offset: item.offset, bitCount: item.data),
          fix: "use elements of 8 bits and a larger Report Count")
      }
      globals.reportSize = .init(value: value, item: item)
    case .reportCount:
      let value = Self.quantity(item, HIDReportDescriptor.maximumUsageCount)
      if value == nil {
        collector.add(.reportCountTooLarge(offset: item.offset, count: item.data))
      }
      globals.reportCount = .init(value: value, item: item)
    case .reportID: setReportID(item)
    case .push: push(item)
    case .pop: pop(item)
    default: collector.add(.reservedGlobalItem(offset: item.offset, code: item.code))
    }
  }

  private static func quantity(_ item: HIDItem, _ maximum: Int) -> Int? {
    item.data <= UInt32(maximum) ? Int(item.data) : nil
  }

  private mutating func setUsagePage(_ item: HIDItem) {
    globals.usagePage = item.data
    guard item.data > 0xffff else { return }
    collector.add(
      .usagePageOver16Bits, at: item.offset,
      "usage page \(hexadecimal(item.data, digitCount: 8)); Linux reads it as "
        + hexadecimal(item.data & 0xffff, digitCount: 4),
      fix:
        "write Usage Page (\(hexadecimal(item.data & 0xffff, digitCount: 4))) in two bytes, or "
        + "each usage with its page in four")
  }

  private mutating func setUnitExponent(_ item: HIDItem) {
    globals.unitExponent = item
    let value = item.signedData
    guard !(0...15).contains(value) else { return }
    if (-8 ... -1).contains(value) {
      collector.add(
        .unitExponentForm, at: item.offset,
        "unit exponent \(value) is written as a signed number; HID 1.11 writes it as one nibble",
        fix: "write Unit Exponent (\(value)) as a nibble: "
          + Self.bytes(HIDItem(.unitExponent, data: UInt32(value + 16), dataByteCount: 1)))
    } else {
      collector.add(
        .unitExponentForm, at: item.offset,
        "unit exponent \(value); HID 1.11 allows -8 to 7")
    }
  }

  private mutating func setReportID(_ item: HIDItem) {
    restoringPop = nil
    globals.reportIDItem = item
    guard let byte = UInt8(exactly: item.data), let id = HIDReportID(rawValue: byte) else {
      globals.reportID = .invalid
      collector.add(
        .invalidReportID(offset: item.offset, value: item.data),
        fix: item.data == 0
          ? "leave the Report ID out if there is one report, or count from 1: 85 01"
          : "use an ID of one byte, 1 to 255")
      return
    }
    globals.reportID = .valid(id)
    if openCollections.isEmpty {
      outsideReportID = (item.offset, id)
    } else {
      topCollections[topCollections.count - 1].hasReportID = true
    }
  }

  /// Reports a Report ID outside all collections, unless a field outside them is already reported
  /// or the nesting is broken.
  mutating func lintOutsideReportID() {
    guard let (offset, id) = outsideReportID, !isUnbalanced else { return }
    outsideReportID = nil
    guard !hasToldOutside else { return }
    collector.add(
      .reportIDOutsideCollection, at: offset,
      "report ID \(id) is outside all collections; Windows requires it inside a top-level "
        + "collection",
      fix: "move the Report ID into the collection that it belongs to")
  }

  private mutating func push(_ item: HIDItem) {
    guard saved.count < HIDReportDescriptor.maximumPushDepth else {
      excessPushCount += 1
      collector.add(.pushTooDeep(offset: item.offset))
      return
    }
    saved.append((globals, item.offset))
  }

  private mutating func pop(_ item: HIDItem) {
    if excessPushCount > 0 {
      excessPushCount -= 1
      return
    }
    guard let top = saved.popLast() else {
      collector.add(.popWithoutPush(offset: item.offset))
      return
    }
    let before = globals.validReportID
    globals = top.globals
    if before != globals.validReportID { restoringPop = (item.offset, before) }
  }

  // MARK: Local items

  mutating func applyLocal(_ item: HIDItem) {
    switch item.tag {
    case .delimiter: applyDelimiter(item)
    case .usage:
      locals.noteUsage(item)
      if !locals.append(item, page: globals.usagePage) { addTooManyUsages(item) }
    case .usageMinimum:
      locals.noteUsage(item)
      applyUsageMinimum(item)
    case .usageMaximum:
      locals.noteUsage(item)
      applyUsageMaximum(item)
    case .designatorIndex, .designatorMinimum, .designatorMaximum, .stringIndex, .stringMinimum,
      .stringMaximum:
      noteInsideDelimiter(item)
    default: addReserved(item)
    }
  }

  private mutating func addTooManyUsages(_ item: HIDItem) {
    // One finding is enough: no further usage fits.
    if !locals.isFull { collector.add(.tooManyUsages(offset: item.offset)) }
    locals.isFull = true
    locals.isFaulty = true
  }

  private mutating func applyDelimiter(_ item: HIDItem) {
    if item.data != 0 {
      if locals.openDelimiter != nil {
        collector.add(
          .nestedDelimiter(offset: item.offset),
          fix: "close the open set before this item: Delimiter (close), a9 00")
      } else {
        locals.openSet(at: item.offset)
      }
    } else if locals.openDelimiter == nil {
      collector.add(.closeDelimiterWithoutOpen(offset: item.offset), fix: "remove it")
    } else {
      locals.openDelimiter = nil
    }
  }

  private mutating func applyUsageMinimum(_ item: HIDItem) {
    locals.setMinimum(item)
    if let maximum = locals.halfMaximum {
      locals.halfMaximum = nil
      locals.isFaulty = true
      collector.add(
        .usageMaximumFirst, at: maximum.offset,
        "Usage Maximum before Usage Minimum; Linux starts the range at usage 0",
        fix: "put Usage Minimum first")
    } else {
      checkHalfRange()
      locals.halfMinimum = item
    }
  }

  private mutating func applyUsageMaximum(_ item: HIDItem) {
    let minimum = locals.halfMinimum
    locals.halfMinimum = nil
    let outcome = locals.appendRange(to: item, page: globals.usagePage)
    if case .tooMany = outcome {
      addTooManyUsages(item)
      return
    }
    guard let minimum else {
      checkHalfRange()
      locals.halfMaximum = item
      return
    }
    let isMixed = (minimum.dataByteCount > 2) != (item.dataByteCount > 2)
    if isMixed {
      locals.isFaulty = true
      collector.add(
        .usageRangeWidths, at: item.offset,
        "Usage Minimum has \(Self.byteWord(minimum)), Usage Maximum \(Self.byteWord(item)); Linux "
          + "does not see the same page in both",
        fix: "write both ends in four bytes, or both in two")
    } else if item.dataByteCount > 2, minimum.data >> 16 != item.data >> 16 {
      locals.isFaulty = true
      collector.add(
        .usageRangePages, at: item.offset,
        "the range begins on page \(hexadecimal(minimum.data >> 16, digitCount: 4)) and ends on page "
          + "\(hexadecimal(item.data >> 16, digitCount: 4)); macOS refuses the descriptor",
        fix: "write one range for each page")
    } else if case .reversed = outcome {
      locals.isFaulty = true
      collector.add(
        .usageRangeReversed, at: item.offset,
        "Usage Minimum \(hexadecimal(minimum.data, digitCount: 2)) is above Usage Maximum "
          + "\(hexadecimal(item.data, digitCount: 2)); macOS refuses the descriptor",
        fix: "exchange the two numbers")
    } else if case .cut(let wanted) = outcome {
      collector.add(
        .usageRangeCut, at: item.offset,
        "a range of \(wanted) \(wanted == 1 ? "usage" : "usages"); Linux stops at "
          + "\(HIDReportDescriptor.maximumUsageCount)")
    }
  }

  /// Reports each usage range that has only one end.
  mutating func checkHalfRange() {
    for item in [locals.halfMinimum, locals.halfMaximum] {
      guard let item else { continue }
      let isMinimum = item.tag == .usageMinimum
      collector.add(
        .usageRangeHalf, at: item.offset,
        isMinimum
          ? "Usage Minimum without Usage Maximum gives no usages"
          : "Usage Maximum without Usage Minimum; Linux starts the range at the Usage Minimum of the "
            + "range before it, or at usage 0",
        fix: isMinimum ? "add the Usage Maximum after it" : "add the Usage Minimum before it")
      locals.isFaulty = true
    }
    locals.halfMinimum = nil
    locals.halfMaximum = nil
  }

  // MARK: Words

  /// Returns the bytes of an item, in hex.
  static func bytes(_ item: HIDItem) -> String {
    var bytes: [UInt8] = []
    item.encode(into: &bytes)
    return bytes.map { $0.hexDigits() }.joined(separator: " ")
  }

  private static func byteWord(_ item: HIDItem) -> String {
    item.dataByteCount == 1 ? "1 byte" : "\(item.dataByteCount) bytes"
  }
}

extension HIDLintGlobals {
  /// The report ID in force; `nil` if there is none, or if it was refused.
  var validReportID: HIDReportID? {
    if case .valid(let id) = reportID { id } else { nil }
  }
}
