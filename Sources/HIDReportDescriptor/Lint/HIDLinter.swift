// SPDX-License-Identifier: Apache-2.0

/// A reader of items that continues after a fault, and collects faults and oddities.
///
/// It reads items like Linux. Time and memory are linear in the bytes: usage ranges are never
/// expanded.
struct HIDLinter {
  /// An open collection.
  struct Collection {
    var offset: Int
    /// The offset of the innermost application collection, which can be this collection; `nil`
    /// outside all of them.
    var application: Int?
    /// The index among all collections, in order of opening.
    var index: Int
  }

  /// A top-level collection.
  struct TopCollection {
    var offset: Int
    /// The first usage; 0 if there is none.
    var usage: UInt32
    var isApplication: Bool
    var hasReportID = false
    var unnumberedFieldOffset: Int?
  }

  /// A usage with its report and collection, where it should occur only once.
  struct UsagePlace: Hashable {
    var report: Int
    var collection: Int
    var usage: UInt32
  }

  var collector: HIDLintCollector
  var globals = HIDLintGlobals()
  var locals = HIDLintLocals()
  var openCollections: [Collection] = []
  var collectionCount = 0
  var applicationCount = 0
  var topCollections: [TopCollection] = []
  var reports: [HIDLintReport] = []
  private var reportIndices = [Int](repeating: -1, count: 3 * 256)
  /// The index of the last top-level collection that used each report ID; -1 for none.
  var topCollectionOfReportID = [Int](repeating: -1, count: 256)
  /// The offsets of global items that were reported; they are in force for many fields, but are
  /// reported once.
  var toldOffsets: Set<Int> = []
  var toldPages: Set<UInt32> = []
  var toldZeros: Set<UInt32> = []
  /// The rules that are reported once per descriptor, and have been reported.
  var toldRules: Set<HIDLintRule> = []
  var usagePlaces: Set<UsagePlace> = []
  /// True if the nesting is broken, so that findings that depend on it would be misleading.
  var isUnbalanced = false
  /// A Report ID outside all collections.
  ///
  /// It is `nil` once a collection, a field or a surplus End Collection follows the Report ID. It
  /// has no meaning if ``isUnbalanced`` is true.
  var outsideReportID: (offset: Int, id: HIDReportID)?
  /// True if a field outside all collections was reported since the last top-level collection
  /// opened.
  var hasToldOutside = false
  /// True if reading stopped at a truncated item, or at a long item that does not begin with fe.
  private var isCut = false
  var saved: [(globals: HIDLintGlobals, offset: Int)] = []
  /// The number of Push items that exceeded the limit, and have no Pop yet.
  var excessPushCount = 0
  /// The last Pop that changed the report ID; `nil` after the next field or Report ID.
  var restoringPop: (offset: Int, from: HIDReportID?)?

  init(silencing rules: Set<HIDLintRule>) { collector = HIDLintCollector(silencing: rules) }

  var findings: [HIDLintFinding] { collector.findings }

  mutating func walk(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else {
      collector.add(.empty)
      return
    }
    if bytes.count > HIDReportDescriptor.maximumByteCount {
      collector.add(.descriptorTooLong(byteCount: bytes.count))
      // The length of a descriptor on the wire is a 16-bit number, so longer input is no
      // descriptor.
      guard bytes.count <= Int(UInt16.max) else { return }
    }
    let zeros = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
    var position = 0
    while position < bytes.count, !isCut {
      do {
        let item = try HIDItem(decoding: bytes.span, at: &position)
        if item.code == 0, item.offset >= zeros {
          skipZeros(from: item.offset, count: bytes.count - item.offset)
          break
        }
        apply(item)
        // Only fe is a long item in HID 1.11. After another first byte from f0 up, item boundaries
        // are probably wrong.
        isCut = item.isLong && bytes[item.offset] != 0xfe
      } catch {
        collector.add(error)
        isCut = true
      }
    }
    finish(bytes)
  }

  private mutating func apply(_ item: HIDItem) {
    switch item.kind {
    case .main: applyMain(item)
    case .global:
      applyGlobal(item)
      noteInsideDelimiter(item)
    case .local: applyLocal(item)
    case .reserved: addReserved(item)
    case nil:
      collector.add(.longItem(offset: item.offset))
    }
  }

  private mutating func applyMain(_ item: HIDItem) {
    checkHalfRange()
    if let offset = locals.openDelimiter {
      collector.add(
        .delimiterOpenAtMainItem, at: item.offset,
        "the Delimiter at byte \(offset) is still open at this main item; Windows refuses the "
          + "descriptor", fix: "close the set with Delimiter (close), a9 00, before this item")
    }
    switch item.tag {
    case .collection: openCollection(item)
    case .endCollection: endCollection(item)
    case .input: addField(.input, item)
    case .output: addField(.output, item)
    case .feature: addField(.feature, item)
    default: addReserved(item)
    }
    locals = HIDLintLocals()
  }

  mutating func addReserved(_ item: HIDItem) {
    collector.add(
      .reservedItem, at: item.offset,
      "item \(hexadecimal(UInt32(item.code), digitCount: 2)) is reserved; Linux ignores it, Windows "
        + "refuses the descriptor")
  }

  mutating func noteInsideDelimiter(_ item: HIDItem) {
    guard locals.openDelimiter != nil, let tag = item.tag else { return }
    collector.add(
      .itemInDelimiter, at: item.offset,
      "\(tag) is between the delimiters of a set of usages; Windows refuses the descriptor",
      fix: "move it before the Delimiter (open)")
  }

  private mutating func skipZeros(from offset: Int, count: Int) {
    collector.add(
      .trailingZeros, at: offset,
      "the last \(count) \(count == 1 ? "byte is" : "bytes are") 0, which is a reserved item",
      fix: offset == 0 ? nil : "end the descriptor after \(offset) bytes")
    // Each 00 is a main item, which clears the local items.
    locals = HIDLintLocals()
  }

  /// Returns whether this is the first call for an item, so that an item that stays in force is
  /// reported once.
  mutating func isNew(_ item: HIDItem) -> Bool { toldOffsets.insert(item.offset).inserted }

  // MARK: Reports

  /// Returns the index of the report of a field; `nil` if its ID was refused.
  ///
  /// Adds the report at its first field.
  mutating func reportIndex(_ type: HIDReportType, _ item: HIDItem) -> Int? {
    let id: HIDReportID?
    switch globals.reportID {
    case .invalid: return nil
    case .none: id = nil
    case .valid(let number): id = number
    }
    let slot = type.order << 8 | Int(id?.rawValue ?? 0)
    if reportIndices[slot] < 0 {
      reportIndices[slot] = reports.count
      reports.append(
        HIDLintReport(
          type: type, id: id, firstOffset: item.offset, lastOffset: item.offset,
          topCollection: openCollections.isEmpty ? nil : topCollections.count - 1))
    }
    return reportIndices[slot]
  }

  // MARK: The end

  private mutating func finish(_ bytes: [UInt8]) {
    lintLongReports()
    if !isCut {
      lintEnd()
      lintReports()
      if !isUnbalanced { lintTopCollections() }
    }
    do {
      let descriptor = try HIDReportDescriptor(
        parsing: bytes, maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
      let count = descriptor.elementCount
      if count > HIDReportDescriptor.maximumElementCount {
        collector.add(
          .tooManyElements, at: nil,
          "\(count) elements; hidsim offers the first \(HIDReportDescriptor.maximumElementCount)")
      }
    } catch {
      // The parser decides what Linux refuses.
      if !collector.hasRefusal { collector.add(error) }
    }
  }
}
