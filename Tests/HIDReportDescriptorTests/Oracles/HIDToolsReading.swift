// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The reading of hid-tools 0.12: hidsim's reading, changed where hid-tools is known to differ.
///
/// Each change applies a rule of hid-tools and results in its exact value, right or wrong.
struct HIDToolsReading {
  struct Report {
    var type: HIDReportType
    var id: Int64?
    var application: Int64?
    var bitCount: Int
    var fields: [Field] = []
    var fieldCount = 0
  }

  /// One main item, from which hid-tools makes `copies` fields.
  struct Field {
    var bitOffset: Int
    var bitSize: Int
    var count: Int
    var copies: Int
    var logicalMinimum: Int64
    var logicalMaximum: Int64
    var physicalMinimum: Int64
    var physicalMaximum: Int64
    var unit: Int64
    var unitExponent: Int64
    var flags: HIDFieldFlags
    /// The usage of a copy, or of the whole array.
    var usage: HIDToolsUsages
    /// The usages of an array.
    var usages: HIDToolsUsages?
    var application: Int64?
    var physical: Int64?
    var logical: Int64?
  }

  private(set) var reports: [Report] = []
  private(set) var isWindows8 = false
  private(set) var findings = OracleFindings()

  private let descriptor: HIDReportDescriptor
  private var globals = HIDToolsGlobals()
  private var saved: [HIDToolsGlobals] = []
  /// The report ID by the kernel's rules; -1 for none.
  ///
  /// `id` is the report ID by the rules of hid-tools.
  private var trueID: Int64 = -1
  private var savedIDs: [Int64] = []
  private var id: Int64 = -1
  private var locals = HIDToolsLocals()
  private var nextCollection = 0
  /// The collections around the next item: their indices among hidsim's collections, and their
  /// kinds.
  private var around: [(index: Int, kind: HIDCollection.Kind)] = []

  init(_ subject: OracleSubject, _ descriptor: HIDReportDescriptor) {
    self.descriptor = descriptor
    var fields = subject.fields[...]
    for item in descriptor.items {
      switch item.tag {
      case .input, .output, .feature:
        if let next = fields.popFirst() { add(next.field, of: next.report) }
        locals = HIDToolsLocals()
      case .collection: open(item)
      case .endCollection:
        locals.survivesEnd = !locals.isEmpty
        _ = around.popLast()
      case .push:
        saved.append(globals)
        globals.unit = globals.unitExponent
        globals.unitExponent = 0
        globals.unitRule = .toolsPushUnit
        globals.exponentRule = .toolsPushUnit
        savedIDs.append(trueID)
      case .pop:
        globals = saved.popLast() ?? globals
        trueID = savedIDs.popLast() ?? trueID
      case .reportID:
        id = Int64(item.data)
        trueID = id
      case .delimiter: locals.delimiterSetCount += item.data == 0 ? 0 : 1
      default:
        globals.apply(item)
        locals.apply(item, page: globals.usagePage)
      }
    }
  }

  // MARK: Main items

  private mutating func open(_ item: HIDItem) {
    locals.applyPage(globals.usagePage)
    let collection = descriptor.collections[nextCollection]
    nextCollection += 1
    let kind = HIDCollection.Kind(rawValue: UInt8(truncatingIfNeeded: item.data))
    around.append((collection.index, kind))
    if let usage = locals.usages.last?.value {
      let new = HIDToolsGlobals.Collection(
        usage: usage, index: collection.index,
        rule: locals.collectionRule(
          page: globals.usagePage, ourCount: collection.usages.count))
      switch kind {
      case .application: globals.application = new
      case .physical: globals.physical = new
      case .logical: globals.logical = new
      default: break
      }
    }
    locals = HIDToolsLocals()
  }

  private mutating func add(_ field: HIDReportField, of layout: HIDReportLayout) {
    locals.applyPage(globals.usagePage)
    let ourID = layout.id.map { Int64($0.rawValue) } ?? -1
    let place = OracleFindings.Place(
      type: layout.type, id: ourID, bitOffset: field.bitOffset)
    findings.check(
      "report ID", ours: ourID, theirs: id, at: place, rule: id == trueID ? nil : .toolsReportID)
    let report = index(of: layout.type)
    let header = id < 0 ? 0 : 8
    let isMoved = reports[report].bitCount - header != field.bitOffset
    if isMoved {
      // A field moves only if another field has gone to another report.
      let ids = findings.rules[.toolsReportID] ?? []
      if ids.isEmpty { findings.fail("\(layout.type) \(id): place \(field.bitOffset)") }
      findings.note(.toolsReportID, at: place)
    }
    let logical = globals.logicalMaximum
    findings.check(
      "logical maximum", ours: field.logicalMaximum, theirs: logical.value, at: place,
      rule: field.logicalMaximum == logical.signed(by: field.logicalMinimum)
        ? .toolsMaximumUnsigned : nil)
    let physical = globals.physicalMaximum
    findings.check(
      "physical maximum", ours: field.physicalMaximum, theirs: physical.value, at: place,
      rule: field.physicalMaximum == physical.signed(by: field.physicalMinimum)
        ? .toolsMaximumUnsigned : nil)
    findings.check(
      "unit", ours: Int64(field.unit), theirs: globals.unit, at: place, rule: globals.unitRule)
    findings.check(
      "unit exponent", ours: Int64(field.unitExponent), theirs: globals.unitExponent, at: place,
      rule: globals.exponentRule)
    checkCollection(.application, globals.application, around: field, at: place)
    checkCollection(.physical, globals.physical, around: field, at: place)
    checkCollection(.logical, globals.logical, around: field, at: place)

    var new = Field(
      bitOffset: reports[report].bitCount, bitSize: field.bitSize, count: 1, copies: field.count,
      logicalMinimum: field.logicalMinimum, logicalMaximum: globals.logicalMaximum.value,
      physicalMinimum: field.physicalMinimum, physicalMaximum: globals.physicalMaximum.value,
      unit: globals.unit, unitExponent: globals.unitExponent, flags: field.flags,
      usage: .list([locals.usages.first?.value ?? locals.minimum]),
      application: globals.application?.usage, physical: globals.physical?.usage,
      logical: globals.logical?.usage)
    let listed = locals.effectiveUsages
    if !field.isVariable && !field.isConstant {
      if let logical = globals.logical?.usage, logical != 0 {
        new.usage = .list([logical])
      } else if let application = globals.application?.usage {
        new.usage = .list([application])
      }
      new.usages = listed
      (new.count, new.copies) = (field.count, 1)
      if !listed.equals(field.usages) { explainUsages(field, listed, at: place) }
    } else if !listed.isEmpty {
      new.usage = listed
      if !listed.equals(field.usages, upTo: field.count) {
        explainUsages(field, listed, at: place)
      }
    } else {
      new.copies = 1
      new.bitSize *= field.count
      if !field.isPadding { explainUsages(field, listed, at: place) }
      if field.count > 1 { findings.note(.toolsPaddingJoined, at: place) }
    }
    if layout.type == .feature, locals.usages.last?.value == 0xff00_00c5 { isWindows8 = true }
    reports[report].bitCount += new.bitSize * new.count * new.copies
    reports[report].fieldCount += new.copies
    if new.copies > 0 { reports[report].fields.append(new) }
  }

  private mutating func index(of type: HIDReportType) -> Int {
    let number = id < 0 ? nil : id
    if let index = reports.firstIndex(where: { $0.type == type && $0.id == number }) {
      return index
    }
    reports.append(
      Report(
        type: type, id: number, application: globals.application?.usage,
        bitCount: id < 0 ? 0 : 8))
    return reports.count - 1
  }

  // MARK: Why

  private mutating func checkCollection(
    _ kind: HIDCollection.Kind, _ theirs: HIDToolsGlobals.Collection?,
    around field: HIDReportField, at place: OracleFindings.Place
  ) {
    let collection = descriptor.collection(kind, around: field)
    let ours = collection?.usages.extendedUsage(at: 0).map { Int64($0) }
    let innermost = around.last { $0.kind == kind }?.index
    if innermost != collection?.index { findings.fail("\(place): \(kind) collection") }
    // The usage belongs to another collection, or is another usage of this collection.
    findings.check(
      "\(kind) collection", ours: ours, theirs: theirs?.usage, at: place,
      rule: theirs?.index != innermost ? .toolsCollectionGlobal : theirs?.rule)
  }

  private mutating func explainUsages(
    _ field: HIDReportField, _ theirs: HIDToolsUsages, at place: OracleFindings.Place
  ) {
    let rule = locals.rule(page: globals.usagePage, ourCount: field.usages.count)
    if let rule {
      findings.note(rule, at: place)
    } else {
      findings.fail("\(place): usages \(field.usages.ranges), theirs \(theirs)")
    }
  }
}
