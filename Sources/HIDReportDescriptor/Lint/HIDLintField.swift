// SPDX-License-Identifier: Apache-2.0

/// An Input, Output or Feature item with the global and local items that apply to it.
struct HIDLintField {
  let item: HIDItem
  let type: HIDReportType
  let flags: HIDFieldFlags
  let globals: HIDLintGlobals
  /// Report Size and Report Count; `nil` if Linux refuses the number as too large.
  let bitSize: Int?
  let count: Int?
  /// The ranges as Linux reads them.
  let logical: (minimum: Int64, maximum: Int64)
  let physical: (minimum: Int64, maximum: Int64)
  /// The usages, and their number.
  let usages: [HIDLintLocals.Usages]
  let usageCount: Int

  init(_ type: HIDReportType, _ item: HIDItem, _ globals: HIDLintGlobals, _ locals: HIDLintLocals) {
    self.item = item
    self.type = type
    self.globals = globals
    flags = HIDFieldFlags(rawValue: item.data)
    bitSize = globals.reportSize.value
    count = globals.reportCount.value
    logical = HIDLintGlobals.range(globals.logicalMinimum, globals.logicalMaximum)
    physical = HIDLintGlobals.range(globals.physicalMinimum, globals.physicalMaximum)
    usages = locals.usages
    usageCount = locals.count
  }

  var isConstant: Bool { flags.contains(.constant) }
  var isVariable: Bool { flags.contains(.variable) }
  var hasUsages: Bool { usageCount > 0 }
  /// The number of bits of all elements; `nil` if Linux refuses the size or the count.
  var bitCount: Int? {
    guard let bitSize, let count else { return nil }
    return bitSize * count
  }

  /// The values that the bits hold, signed if the logical range is.
  ///
  /// `nil` for 0 bits, for more than 32, and for a size that Linux refuses.
  var representable: ClosedRange<Int64>? {
    guard let bitSize, (1...32).contains(bitSize) else { return nil }
    let bits = Int64(bitSize)
    return logical.minimum < 0 ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
  }

  /// The usages of single Usage items, in 32 bits, without the usages of ranges.
  var singleUsages: [UInt32] {
    usages.lazy.filter { !$0.isRange }.map { $0.extended(page: globals.usagePage) }
  }

  /// The page of the first usage; without usages, the page in force.
  var page: UInt32 {
    usages.first.map { $0.extended(page: globals.usagePage) >> 16 } ?? globals.usagePage
  }

  /// True if there is a usage range, or a usage with an ID other than 0.
  ///
  /// Vendors give usage 0 to padding.
  var hasDefinedUsage: Bool { usages.contains { $0.isRange || $0.first & 0xffff != 0 } }

  /// True if the page of the field is a vendor's page.
  var isOfVendor: Bool { page >= 0xff00 }
}
