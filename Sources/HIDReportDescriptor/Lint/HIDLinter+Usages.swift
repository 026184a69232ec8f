// SPDX-License-Identifier: Apache-2.0

// Findings about usages and their number.

extension HIDLinter {
  // MARK: Each usage

  /// Checks the usages of a main item.
  mutating func lintUsages(_ item: HIDItem, describing what: String) {
    var isLate = false
    for usages in locals.usages {
      if !usages.isExtended, usages.page != globals.usagePage, !isLate {
        // Report a late usage page once per main item.
        isLate = true
        collector.add(
          .lateUsagePage, at: usages.offset,
          "the usage page changes from \(Self.pageName(usages.page)) to "
            + "\(Self.pageName(globals.usagePage)) between this usage and its main item; macOS keeps the "
            + "first", fix: "put the Usage Page that you mean before the usage")
      }
      lintUsage(usages, describing: what)
    }
  }

  private mutating func lintUsage(_ usages: HIDLintLocals.Usages, describing what: String) {
    let usage = usages.extended(page: globals.usagePage)
    let page = usage >> 16
    guard page < 0xff00 else { return }
    guard page != 0 else {
      guard toldPages.insert(page).inserted else { return }
      collector.add(
        .usagePageZero, at: usages.offset, "\(what) has usages of page 0",
        fix: "add the Usage Page before it")
      return
    }
    let isKnownPage = !HIDUsage.name(ofPage: UInt16(page)).hasPrefix("0x")
    guard isKnownPage else {
      guard page != 0xf1d0, toldPages.insert(page).inserted else { return }
      collector.add(
        .unknownUsagePage, at: usages.offset,
        "usage page \(hexadecimal(page, digitCount: 4)) is reserved",
        fix: "use a page of the usage tables, or a vendor's page, ff00 to ffff")
      return
    }
    guard !usages.isRange else { return }
    if usage & 0xffff == 0 {
      guard toldZeros.insert(page).inserted else { return }
      collector.add(
        .usageZero, at: usages.offset, "\(what) has usage 0 of page \(Self.pageName(page))",
        fix: "use the usage that you mean; for padding, use a constant field without usage")
    } else if case .generic = HIDUsage(extended: usage) {
      collector.add(
        .unknownUsage, at: usages.offset,
        "usage \(hexadecimal(usage & 0xffff, digitCount: 2)) is reserved on page "
          + Self.pageName(page))
    }
  }

  // MARK: Number

  mutating func lintUsageCount(_ field: HIDLintField) {
    guard let count = field.count, count > 0, field.logical.minimum <= field.logical.maximum
    else { return }
    if field.isVariable {
      lintVariableCount(field, count)
    } else {
      lintArrayCount(field)
    }
  }

  private mutating func lintVariableCount(_ field: HIDLintField, _ count: Int) {
    if field.usageCount > count {
      collector.add(
        .moreUsagesThanElements, at: field.item.offset,
        "\(field.usageCount) usages for \(count) \(count == 1 ? "element" : "elements"); the last ones "
          + "have no element",
        fix: "set Report Count to \(field.usageCount), or leave out the last usages")
    } else if field.usageCount > 1, field.usageCount < count, !field.isOfVendor {
      collector.add(
        .fewerUsagesThanElements, at: field.item.offset,
        "\(field.usageCount) usages for \(count) elements; the last one applies to "
          + "\(count - field.usageCount + 1)",
        fix: "set Report Count to \(field.usageCount) and pad with a constant field")
    }
  }

  private mutating func lintArrayCount(_ field: HIDLintField) {
    let (minimum, maximum) = field.logical
    let values = maximum - minimum + 1
    let usages = Int64(field.usageCount)
    // Values that the bits do not hold have their own finding.
    let reachable = field.representable.map { min(maximum, $0.upperBound) } ?? maximum
    if usages == 1, values > 1 {
      collector.add(
        .arrayOfOneUsage, at: field.item.offset,
        "this array has one usage: value \(minimum) selects it, the other values select nothing",
        fix: "make it variable: "
          + Self.bytes(
            HIDItem(
              Self.tag(field.type), data: field.item.data | 2,
              dataByteCount: max(1, field.item.dataByteCount))))
      return
    } else if minimum == 0, values == usages + 1, field.usages.count == 1, usages > 1,
      let first = field.usages.first, first.isRange, first.first & 0xffff == 1
    {
      collector.add(
        .arrayOffByOne, at: field.item.offset,
        "the values are 0 to \(maximum), the usages 1 to \(usages): value 1 selects usage 2",
        fix: "write Logical Minimum (1), 15 01, or Usage Minimum (0), 19 00")
      return
    }
    if usages < values, minimum + usages <= reachable {
      collector.add(
        .arrayValuesWithoutUsage, at: field.item.offset,
        "\(usages) usages, but values \(minimum) to \(maximum): "
          + "\(minimum + usages) and above select nothing",
        fix: "lower Logical Maximum to \(minimum + usages - 1), or list more usages")
    } else if usages > values {
      collector.add(
        .arrayUsagesOutOfReach, at: field.item.offset,
        "\(usages) usages, but values \(minimum) to \(maximum): the last \(usages - values) cannot be "
          + "selected",
        fix: "raise Logical Maximum to \(minimum + usages - 1), or list fewer usages")
    }
  }

  // MARK: Duplicates

  mutating func lintDuplicates(_ field: HIDLintField, _ report: Int) {
    guard field.type == .input, field.isVariable, let open = openCollections.last else { return }
    for usages in field.usages where !usages.isRange {
      let usage = usages.extended(page: globals.usagePage)
      let place = UsagePlace(report: report, collection: open.index, usage: usage)
      guard (0x0001...0xfeff).contains(usage >> 16), usage & 0xffff != 0,
        !usagePlaces.insert(place).inserted
      else { continue }
      collector.add(
        .duplicateUsage, at: usages.offset,
        "\(Self.name(usage)) is already used in the same report and collection",
        fix: "use another usage, or put each in a collection of its own")
    }
  }

  // MARK: Words

  static func name(_ usage: UInt32) -> String { HIDUsage(extended: usage).name }

  static func pageName(_ page: UInt32) -> String {
    page == 0 ? "none" : HIDUsage.name(ofPage: UInt16(truncatingIfNeeded: page))
  }
}
