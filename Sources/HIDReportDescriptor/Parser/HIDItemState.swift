// SPDX-License-Identifier: Apache-2.0

/// What the next main item will be built from.
///
/// Numbers are 32 bits wide and signed or not as the kernel keeps them.
struct HIDItemState {
  /// Lasts until overwritten; Push saves, Pop restores, the report ID included.
  struct Globals {
    var usagePage: UInt32 = 0
    var logicalMinimum: Int32 = 0
    var logicalMaximum: Int32 = 0
    var physicalMinimum: Int32 = 0
    var physicalMaximum: Int32 = 0
    var unitExponent: Int32 = 0
    var unit: UInt32 = 0
    var reportSize: UInt32 = 0
    var reportCount: UInt32 = 0
    var reportID: HIDReportID?
  }

  /// Used up by each main item.
  struct Locals {
    var usages = HIDUsageList()
    var usageMinimum: UInt32 = 0
    var openDelimiter: Int?  // its offset
    var delimiterSetCount = 0
  }

  private(set) var globals = Globals()
  private(set) var locals = Locals()
  private var saved: [Globals] = []

  mutating func resetLocals() {
    // A new list: kept capacity would be copied to each field that follows one with many usages.
    locals = Locals()
  }

  // MARK: Global items

  mutating func applyGlobal(_ item: HIDItem) throws(HIDReportDescriptorError) {
    switch item.tag {
    case .usagePage: globals.usagePage = item.data
    case .logicalMinimum: globals.logicalMinimum = item.signedData
    // The bytes of a maximum are signed only if the minimum before them is negative: one byte ff is 255
    // after a minimum of 0. HID 1.11 calls it -1, and devices do not mean that.
    case .logicalMaximum:
      globals.logicalMaximum =
        globals.logicalMinimum < 0 ? item.signedData : Int32(bitPattern: item.data)
    case .physicalMinimum: globals.physicalMinimum = item.signedData
    case .physicalMaximum:
      globals.physicalMaximum =
        globals.physicalMinimum < 0 ? item.signedData : Int32(bitPattern: item.data)
    // A nibble by HID 1.11, a whole signed byte by many devices: 0d and fd are both -3.
    case .unitExponent:
      let value = item.signedData
      globals.unitExponent = (8...15).contains(value) ? value - 16 : value
    case .unit: globals.unit = item.data
    case .reportSize:
      guard item.data <= UInt32(HIDReportDescriptor.maximumFieldBitSize) else {
        throw .reportSizeTooLarge(offset: item.offset, bitCount: item.data)
      }
      globals.reportSize = item.data
    case .reportCount:
      guard item.data <= UInt32(HIDReportDescriptor.maximumUsageCount) else {
        throw .reportCountTooLarge(offset: item.offset, count: item.data)
      }
      globals.reportCount = item.data
    case .reportID:
      guard let byte = UInt8(exactly: item.data), let id = HIDReportID(rawValue: byte) else {
        throw .invalidReportID(offset: item.offset, value: item.data)
      }
      globals.reportID = id
    case .push:
      guard saved.count < HIDReportDescriptor.maximumPushDepth else {
        throw .pushTooDeep(offset: item.offset)
      }
      saved.append(globals)
    case .pop:
      guard let top = saved.popLast() else { throw .popWithoutPush(offset: item.offset) }
      globals = top
    default: throw .reservedGlobalItem(offset: item.offset, code: item.code)
    }
  }

  // MARK: Local items

  mutating func applyLocal(_ item: HIDItem) throws(HIDReportDescriptorError) {
    switch item.tag {
    case .delimiter: try applyDelimiter(item)
    // Only the first set of alternatives counts; all its usages are taken, as the kernel does.
    case .usage where locals.delimiterSetCount <= 1:
      try appendUsages(first: item.data, count: 1, item)
    case .usageMinimum where locals.delimiterSetCount <= 1: locals.usageMinimum = item.data
    case .usageMaximum where locals.delimiterSetCount <= 1: try appendRange(item)
    default: break
    }
  }

  private mutating func applyDelimiter(_ item: HIDItem) throws(HIDReportDescriptorError) {
    if item.data != 0 {
      guard locals.openDelimiter == nil else { throw .nestedDelimiter(offset: item.offset) }
      locals.openDelimiter = item.offset
      locals.delimiterSetCount += 1
    } else {
      guard locals.openDelimiter != nil else {
        throw .closeDelimiterWithoutOpen(offset: item.offset)
      }
      locals.openDelimiter = nil
    }
  }

  /// Appends the usages from the minimum to this maximum.
  ///
  /// The kernel cuts a range at its limit of usages, with 32-bit arithmetic that wraps; so does this.
  private mutating func appendRange(_ maximum: HIDItem) throws(HIDReportDescriptorError) {
    let limit = UInt32(HIDReportDescriptor.maximumUsageCount)
    let present = UInt32(locals.usages.count)
    let minimum = locals.usageMinimum
    var last = maximum.data
    if (last &- minimum) &+ present >= limit {
      last = limit &- present &+ minimum &- 1
      guard last != 0 else { throw .tooManyUsages(offset: maximum.offset) }
    }
    guard minimum <= last else { return }
    // Counting up to the last 32-bit number never ends before the kernel's table is full.
    guard last != .max, last - minimum < limit else {
      throw .tooManyUsages(offset: maximum.offset)
    }
    try appendUsages(first: minimum, count: Int(last - minimum) + 1, maximum)
  }

  private mutating func appendUsages(
    first: UInt32, count: Int, _ item: HIDItem
  ) throws(HIDReportDescriptorError) {
    guard locals.usages.count + count <= HIDReportDescriptor.maximumUsageCount else {
      throw .tooManyUsages(offset: item.offset)
    }
    guard item.dataByteCount <= 2 else {
      locals.usages.append(first: first, count: count, isExtended: true)
      return
    }
    // IDs are 16 bits: a range that goes past them continues at 0 of the same page.
    let page = globals.usagePage << 16
    let firstID = first & 0xffff
    let beforeWrap = min(count, 0x1_0000 - Int(firstID))
    locals.usages.append(first: page | firstID, count: beforeWrap, isExtended: false)
    if beforeWrap < count {
      locals.usages.append(first: page, count: count - beforeWrap, isExtended: false)
    }
  }

  // MARK: Main items

  /// Gives the usages the page that is in force at the main item, as HID 1.11 says.
  ///
  /// The kernel goes back only to the last usage that had this page already.
  mutating func applyPageToUsages() {
    for index in locals.usages.ranges.indices.reversed() {
      let range = locals.usages.ranges[index]
      if range.isExtended { continue }
      if range.first >> 16 == globals.usagePage { break }
      locals.usages.ranges[index].first = globals.usagePage << 16 | range.first & 0xffff
    }
  }
}
