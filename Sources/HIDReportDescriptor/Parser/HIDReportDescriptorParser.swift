// SPDX-License-Identifier: Apache-2.0

/// The parser, which turns items into collections, reports and fields.
///
/// Its result is flat: see ``HIDDescriptorStorage``. Usages are stored directly in their final
/// location, and removed again if the main item takes none. Usages and fields are numerous, so they
/// go directly into arrays with a capacity that suits most devices. If a descriptor needs more,
/// parsing starts again with a larger capacity.
struct HIDReportDescriptorParser {
  typealias Ranges = OutputSpan<HIDUsageRange>
  typealias Fields = OutputSpan<HIDFieldRecord>

  let reading: HIDReading
  private let maximumReportByteCount: Int

  private var collections: [HIDCollectionRecord] = []
  private var reports: [HIDReportRecord] = []
  private var rarities: [HIDMainItemRarities] = []
  private var reportIndices = HIDReportIndices()
  /// The length of the descriptor in bytes; 0 before parsing, and if usages or fields did not fit.
  var end = 0

  var globals = HIDGlobalItems()
  private var saved: [HIDGlobalItems] = []
  /// The index of the first range of the next main item.
  var rangeStart = 0
  /// The number of usages in the ranges of the next main item.
  var usageCount = 0
  var usageMinimum: UInt32 = 0
  // The number of data bytes of the Usage Minimum; -1 if there is none since the last main item.
  var usageMinimumByteCount = -1
  /// True if a local item other than a usage item came after the last main item.
  ///
  /// ``uncommon`` contains these items.
  var hasUncommonItems = false
  var uncommon = HIDUncommonItems()
  private var openCollection: Int32 = -1
  /// A copy of the report of the last field, which the next field usually shares.
  ///
  /// It is written back to `reports` when a field of another report follows, and at the end.
  private var report = HIDReportRecord(slot: .max)
  private var reportIndex = -1
  /// True while the fields of each report are adjacent, as in most descriptors.
  private var areFieldsGrouped = true

  init(reading: HIDReading, maximumReportByteCount: Int) {
    self.reading = reading
    self.maximumReportByteCount = min(
      max(maximumReportByteCount, 1), HIDReportDescriptor.maximumReportByteCount)
  }

  /// Parses a descriptor.
  static func parse(
    _ bytes: [UInt8], reading: HIDReading, maximumReportByteCount: Int
  ) throws(HIDReportDescriptorError) -> HIDDescriptorStorage {
    guard !bytes.isEmpty else { throw .empty }
    let limit =
      reading == .linux
      ? HIDReportDescriptor.maximumByteCount : HIDReportDescriptor.longestByteCount
    guard bytes.count <= limit else { throw .descriptorTooLong(byteCount: bytes.count) }
    // These capacities suit most devices. The loop ends soon, because an item makes at most two
    // ranges or one field.
    var rangeCount = bytes.count / 6 + 4
    var fieldCount = bytes.count / 8 + 4
    while true {
      var parser = Self(reading: reading, maximumReportByteCount: maximumReportByteCount)
      if let storage = try parser.parse(bytes, rangeCount: rangeCount, fieldCount: fieldCount) {
        return storage
      }
      rangeCount *= 4
      fieldCount *= 4
    }
  }

  /// Parses a descriptor into arrays of this capacity; returns `nil` if it needs more.
  private mutating func parse(
    _ bytes: [UInt8], rangeCount: Int, fieldCount: Int
  ) throws(HIDReportDescriptorError) -> HIDDescriptorStorage? {
    collections.reserveCapacity(bytes.count / 32 + 2)
    reports.reserveCapacity(bytes.count / 16 + 4)
    // `reserveCapacity` comes first: an array that is created with a capacity makes the runtime
    // look up the type of its elements.
    var ranges: [HIDUsageRange] = []
    ranges.reserveCapacity(rangeCount)
    var fields: [HIDFieldRecord] = []
    fields.reserveCapacity(fieldCount)
    try ranges.append(addingCapacity: rangeCount) {
      (ranges: inout Ranges) throws(HIDReportDescriptorError) in
      try fields.append(addingCapacity: fieldCount) {
        (fields: inout Fields) throws(HIDReportDescriptorError) in
        try applyItems(of: bytes.span, &ranges, &fields)
      }
    }
    if end == 0 { return nil }
    if openCollection >= 0 {
      throw .unclosedCollection(offset: Int(collections[Int(openCollection)].offset))
    }
    if let offset = uncommon.unclosedDelimiter { throw .unclosedDelimiter(offset: offset) }
    finish(&fields)
    return HIDDescriptorStorage(
      bytes: bytes, reading: reading, collections: collections, fields: fields, reports: reports,
      usageRanges: ranges, rarities: rarities, reportIndices: reportIndices)
  }

  /// Applies all items, each with one switch over numbers without gaps.
  ///
  /// Most of the parsing time is spent here.
  private mutating func applyItems(
    of bytes: Span<UInt8>, _ ranges: inout Ranges, _ fields: inout Fields
  ) throws(HIDReportDescriptorError) {
    var position = 0
    end = bytes.count
    while position < end {
      guard let item = HIDShortItem(decoding: bytes, at: position) else {
        throw .truncatedItem(offset: position)
      }
      position &+= 1 &+ item.dataByteCount
      switch item.key {
      case HIDItemTag.usage.rawValue >> 2:
        try appendUsages(
          first: item.data, count: 1, isExtended: item.dataByteCount > 2, item, &ranges)
      case HIDItemTag.usageMinimum.rawValue >> 2:
        usageMinimum = item.data
        usageMinimumByteCount = item.dataByteCount
      case HIDItemTag.usageMaximum.rawValue >> 2:
        if hasUncommonItems, areUsagesIgnored {
          noteIgnoredRange(item)
          break
        }
        try appendRange(item, &ranges)

      case HIDItemTag.input.rawValue >> 2: try addField(.input, item, &ranges, &fields)
      case HIDItemTag.output.rawValue >> 2: try addField(.output, item, &ranges, &fields)
      case HIDItemTag.feature.rawValue >> 2: try addField(.feature, item, &ranges, &fields)
      case HIDItemTag.collection.rawValue >> 2: open(item, &ranges)
      case HIDItemTag.endCollection.rawValue >> 2: try close(item, &ranges)

      case HIDItemTag.usagePage.rawValue >> 2: globals.usagePage = item.data
      case HIDItemTag.logicalMinimum.rawValue >> 2: globals.logicalMinimum = item.signedData
      case HIDItemTag.logicalMaximum.rawValue >> 2:
        globals.logicalMaximum = item.maximum(globals.logicalMinimum, reading)
      case HIDItemTag.physicalMinimum.rawValue >> 2: globals.physicalMinimum = item.signedData
      case HIDItemTag.physicalMaximum.rawValue >> 2:
        globals.physicalMaximum = item.maximum(globals.physicalMinimum, reading)
      case HIDItemTag.unitExponent.rawValue >> 2: globals.unitExponent = item.exponent(reading)
      case HIDItemTag.unit.rawValue >> 2: globals.unit = item.data
      case HIDItemTag.reportSize.rawValue >> 2:
        guard item.data <= UInt32(HIDReportDescriptor.maximumFieldBitSize) else {
          throw .reportSizeTooLarge(offset: item.offset, bitCount: item.data)
        }
        globals.reportSize = UInt16(truncatingIfNeeded: item.data)
      case HIDItemTag.reportCount.rawValue >> 2:
        guard item.data <= UInt32(HIDReportDescriptor.maximumUsageCount) else {
          throw .reportCountTooLarge(offset: item.offset, count: item.data)
        }
        globals.reportCount = UInt16(truncatingIfNeeded: item.data)
      case HIDItemTag.reportID.rawValue >> 2:
        guard item.data < 256, let id = HIDReportID(rawValue: UInt8(truncatingIfNeeded: item.data))
        else { throw .invalidReportID(offset: item.offset, value: item.data) }
        globals.reportID = id.rawValue
      case HIDItemTag.push.rawValue >> 2:
        guard reading == .specification || saved.count < HIDReportDescriptor.maximumPushDepth else {
          throw .pushTooDeep(offset: item.offset)
        }
        saved.append(globals)
      case HIDItemTag.pop.rawValue >> 2:
        guard let top = saved.popLast() else { throw .popWithoutPush(offset: item.offset) }
        globals = top
      default: position = try applyRare(item, bytes, &ranges)
      }
    }
  }

  /// Applies an item for which `applyItems` has no case: long, reserved, or a local item other than
  /// a usage item.
  ///
  /// - Returns: The position of the next item.
  private mutating func applyRare(
    _ item: HIDShortItem, _ bytes: Span<UInt8>, _ ranges: inout Ranges
  ) throws(HIDReportDescriptorError) -> Int {
    // To the kernel, every prefix from f0 up begins a long item; HID 1.11 defines only fe.
    if item.code >= 0xf0, reading == .linux || bytes[item.offset] == 0xfe {
      var position = item.offset
      _ = try HIDItem(decoding: bytes, at: &position)
      if reading == .linux { throw .longItem(offset: item.offset) }
      return position
    }
    switch item.code & 0b1100 {
    // A reserved main item; the kernel warns.
    case 0b0000: useUpLocals(&ranges)
    case 0b0100:
      if reading == .linux { throw .reservedGlobalItem(offset: item.offset, code: item.code) }
    case 0b1000:
      hasUncommonItems = true
      try uncommon.apply(item, usageCount: usageCount)
    default: break
    }
    return item.offset + 1 + item.dataByteCount
  }

  // MARK: Main items

  /// Discards the usages that no field or collection has taken, and the other local items.
  private mutating func useUpLocals(_ ranges: inout Ranges) {
    ranges.removeLast(ranges.count - rangeStart)
    forgetLocals()
  }

  @inline(__always)
  private mutating func forgetLocals() {
    usageCount = 0
    usageMinimum = 0
    usageMinimumByteCount = -1
    if hasUncommonItems {
      hasUncommonItems = false
      uncommon = HIDUncommonItems()
    }
  }

  /// Assigns the usages so far to this main item, and clears the local items.
  @inline(__always)
  private mutating func takeUsages(
    _ item: HIDShortItem, _ ranges: inout Ranges
  ) -> HIDUsagePlace {
    let end = ranges.count
    if end > rangeStart, !isPageInForce(ranges[end &- 1]) { applyPageToUsages(&ranges) }
    let place = HIDUsagePlace(
      start: Int32(truncatingIfNeeded: rangeStart), end: Int32(truncatingIfNeeded: end))
    rangeStart = end
    if hasUncommonItems,
      let found = uncommon.rarities(ofItemAt: item.offset, usagePage: globals.usagePage)
    {
      rarities.append(found)
    }
    forgetLocals()
    return place
  }

  private mutating func open(_ item: HIDShortItem, _ ranges: inout Ranges) {
    let depth = openCollection < 0 ? 0 : collections[Int(openCollection)].depth + 1
    let usages = takeUsages(item, &ranges)
    collections.append(
      HIDCollectionRecord(
        offset: Int32(truncatingIfNeeded: item.offset), parent: openCollection, depth: depth,
        usages: usages, kind: UInt8(truncatingIfNeeded: item.data)))
    openCollection = Int32(truncatingIfNeeded: collections.count - 1)
  }

  private mutating func close(
    _ item: HIDShortItem, _ ranges: inout Ranges
  ) throws(HIDReportDescriptorError) {
    guard openCollection >= 0 else {
      throw .endCollectionWithoutCollection(offset: item.offset)
    }
    openCollection = collections[Int(openCollection)].parent
    useUpLocals(&ranges)
  }

  private mutating func addField(
    _ type: HIDReportType, _ item: HIDShortItem, _ ranges: inout Ranges, _ fields: inout Fields
  ) throws(HIDReportDescriptorError) {
    if reading == .linux { try checkRange(item) }
    let slot = HIDReportRecord.slot(type, globals.reportID)
    if slot != report.slot { changeReport(to: slot) }
    let bitOffset = report.bitCount
    // No overflow: the guard below keeps a report small, and one field has at most 256 × 12,288
    // bits.
    let bitCount = Int(bitOffset) &+ Int(globals.reportSize) &* Int(globals.reportCount)
    // The kernel reserves a byte for the report ID even if there is none.
    guard bitCount <= (maximumReportByteCount &- 1) &* 8 else {
      throw .reportTooLong(
        offset: item.offset, type: type, id: report.id, bitCount: bitCount,
        maximumByteCount: maximumReportByteCount)
    }
    report.bitCount = Int32(truncatingIfNeeded: bitCount)
    let place = Int32(truncatingIfNeeded: fields.count)
    if report.fieldCount == 0 { report.firstField = place }
    if report.firstField &+ report.fieldCount != place { areFieldsGrouped = false }
    report.fieldCount &+= 1
    let usages = takeUsages(item, &ranges)
    guard !fields.isFull else {
      end = 0
      return
    }
    fields.append(
      HIDFieldRecord(
        offset: Int32(truncatingIfNeeded: item.offset), bitOffset: bitOffset,
        bitSize: globals.reportSize, count: globals.reportCount,
        logicalMinimum: globals.logicalMinimum, logicalMaximum: globals.logicalMaximum,
        physicalMinimum: globals.physicalMinimum, physicalMaximum: globals.physicalMaximum,
        unit: globals.unit, unitExponent: globals.unitExponent, flags: item.data, usages: usages,
        collection: openCollection, report: Int16(truncatingIfNeeded: reportIndex)))
  }

  private mutating func changeReport(to slot: UInt16) {
    writeBackReport()
    if let index = reportIndices.index(of: slot, in: reports) {
      reportIndex = index
    } else {
      reports.append(HIDReportRecord(slot: slot))
      if reports.count > HIDReportIndices.fewCount { reportIndices.noteLast(of: reports) }
      reportIndex = reports.count - 1
    }
    report = reports[reportIndex]
  }

  private mutating func writeBackReport() {
    if reportIndex >= 0 { reports[reportIndex] = report }
  }

  @inline(__always)
  private func checkRange(_ item: HIDShortItem) throws(HIDReportDescriptorError) {
    let minimum = globals.logicalMinimum
    let maximum = globals.logicalMaximum
    let isReversed =
      minimum < 0 ? minimum > maximum : UInt32(minimum) > UInt32(bitPattern: maximum)
    guard !isReversed else {
      throw .logicalRangeReversed(
        offset: item.offset, minimum: Int64(minimum),
        maximum: minimum < 0 ? Int64(maximum) : Int64(UInt32(bitPattern: maximum)))
    }
  }

  // MARK: The end

  /// Groups the fields by report, and sorts the reports.
  private mutating func finish(_ fields: inout [HIDFieldRecord]) {
    writeBackReport()
    if !areFieldsGrouped { group(&fields) }
    var index = 1
    while index < reports.count, reports[index &- 1].slot < reports[index].slot { index &+= 1 }
    if index >= reports.count { return }
    reports.sort { $0.slot < $1.slot }
    reportIndices.note(reports)
  }

  private mutating func group(_ fields: inout [HIDFieldRecord]) {
    var next = 0
    for index in reports.indices {
      reports[index].firstField = Int32(truncatingIfNeeded: next)
      next += Int(reports[index].fieldCount)
    }
    var places = reports.map { Int($0.firstField) }
    var grouped = fields
    for field in fields {
      grouped[places[Int(field.report)]] = field
      places[Int(field.report)] += 1
    }
    fields = grouped
  }
}
