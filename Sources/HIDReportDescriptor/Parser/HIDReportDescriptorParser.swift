// SPDX-License-Identifier: Apache-2.0

/// Turns items into collections and reports.
struct HIDReportDescriptorParser {
  private(set) var collections: [HIDCollection] = []
  private(set) var reports: [HIDReportLayout] = []

  private let maximumReportByteCount: Int
  private var state = HIDItemState()
  private var openCollections: [Int] = []
  private var reportIndices = [Int16](repeating: -1, count: 3 * 256)

  init(maximumReportByteCount: Int) {
    self.maximumReportByteCount = min(
      max(maximumReportByteCount, 1), HIDReportDescriptor.maximumReportByteCount)
  }

  mutating func parse(_ bytes: [UInt8]) throws(HIDReportDescriptorError) {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= HIDReportDescriptor.maximumByteCount else {
      throw .descriptorTooLong(byteCount: bytes.count)
    }
    var position = 0
    while position < bytes.count {
      let item = try HIDItem(decoding: bytes.span, at: &position)
      switch item.kind {
      case .main: try applyMain(item)
      case .global: try state.applyGlobal(item)
      case .local: try state.applyLocal(item)
      case .reserved: break
      case nil: throw .longItem(offset: item.offset)
      }
    }
    if let open = openCollections.last {
      throw .unclosedCollection(offset: collections[open].offset)
    }
    if let offset = state.locals.openDelimiter { throw .unclosedDelimiter(offset: offset) }
  }

  private mutating func applyMain(_ item: HIDItem) throws(HIDReportDescriptorError) {
    state.applyPageToUsages()
    switch item.tag {
    case .collection: openCollection(item)
    case .endCollection:
      guard openCollections.popLast() != nil else {
        throw .endCollectionWithoutCollection(offset: item.offset)
      }
    case .input: try addField(.input, item)
    case .output: try addField(.output, item)
    case .feature: try addField(.feature, item)
    default: break  // the kernel warns, and uses up the local items
    }
    state.resetLocals()
  }

  private mutating func openCollection(_ item: HIDItem) {
    let index = collections.count
    collections.append(
      HIDCollection(
        index: index, parent: openCollections.last, depth: openCollections.count,
        kind: HIDCollection.Kind(rawValue: UInt8(truncatingIfNeeded: item.data)),
        usages: state.locals.usages, offset: item.offset))
    openCollections.append(index)
  }

  private mutating func addField(
    _ type: HIDReportType, _ item: HIDItem
  ) throws(HIDReportDescriptorError) {
    let globals = state.globals
    let logical = Self.range(globals.logicalMinimum, globals.logicalMaximum)
    guard logical.minimum <= logical.maximum else {
      throw .logicalRangeReversed(
        offset: item.offset, minimum: logical.minimum, maximum: logical.maximum)
    }
    let physical = Self.range(globals.physicalMinimum, globals.physicalMaximum)
    let report = reportIndex(type, globals.reportID)
    let field = HIDReportField(
      index: reports[report].fields.count, offset: item.offset,
      bitOffset: reports[report].bitCount, bitSize: Int(globals.reportSize),
      count: Int(globals.reportCount), logicalMinimum: logical.minimum,
      logicalMaximum: logical.maximum, physicalMinimum: physical.minimum,
      physicalMaximum: physical.maximum, unit: globals.unit,
      unitExponent: Int(globals.unitExponent), flags: HIDFieldFlags(rawValue: item.data),
      usages: state.locals.usages, collection: openCollections.last)
    // No overflow: a report is refused long before, and one field has at most 256 × 12,288 bits.
    let bitCount = reports[report].bitCount + field.bitCount
    guard bitCount <= (maximumReportByteCount - 1) * 8 else {
      throw .reportTooLong(
        offset: item.offset, type: type, id: globals.reportID, bitCount: bitCount,
        maximumByteCount: maximumReportByteCount)
    }
    reports[report].bitCount = bitCount
    reports[report].fields.append(field)
  }

  private mutating func reportIndex(_ type: HIDReportType, _ id: HIDReportID?) -> Int {
    let slot = type.order << 8 | Int(id?.rawValue ?? 0)
    if reportIndices[slot] >= 0 { return Int(reportIndices[slot]) }
    reportIndices[slot] = Int16(truncatingIfNeeded: reports.count)
    reports.append(HIDReportLayout(type: type, id: id, bitCount: 0, fields: []))
    return reports.count - 1
  }

  /// The two ends of a range: the upper is signed only if the lower is negative.
  private static func range(_ minimum: Int32, _ maximum: Int32) -> (minimum: Int64, maximum: Int64)
  {
    minimum < 0
      ? (Int64(minimum), Int64(maximum)) : (Int64(minimum), Int64(UInt32(bitPattern: maximum)))
  }
}
