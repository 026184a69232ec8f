// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The reading of hid-parser 0.1.0: hidsim's reading, changed where hid-parser is known to differ.
///
/// hid-parser does not support collections, units, Push and delimiters, and raises an error for
/// Push and delimiters.
struct HIDParserReading {
  struct Report {
    var type: HIDReportType
    var id: Int64?
    /// The bit at which the next item begins, which is not the length.
    var nextBitOffset = 0
    var bitCount = 0
    var fields: [Field] = []
  }

  enum Kind: String {
    case padding = "PaddingItem"
    case variable = "VariableItem"
    case array = "ArrayItem"
  }

  /// One main item; padding counts `count` times, and a variable once for each usage.
  struct Field {
    var kind: Kind
    var bitOffset: Int
    var bitSize: Int
    var count: Int
    var logicalMinimum: Int64?
    var logicalMaximum: Int64?
    var physicalMinimum: Int64?
    var physicalMaximum: Int64?
    var flags: HIDFieldFlags
    var usages: [Int64]
    /// The number of all usages; `usages` has fewer for long ranges.
    var usageCount: Int

    var copies: Int {
      switch kind {
      case .padding: count
      case .variable: usageCount
      case .array: 1
      }
    }
  }

  private(set) var reports: [Report] = []
  private(set) var findings = OracleFindings()
  /// The rule by which hid-parser raises an error, and so has no reading.
  private(set) var failure: OracleRule?

  private var globals: [HIDItemTag: Int64?] = [:]
  private var locals = HIDParserLocals()

  init(_ subject: OracleSubject, _ descriptor: HIDReportDescriptor) {
    var fields = subject.fields[...]
    for item in descriptor.items where failure == nil {
      switch item.kind {
      case .main:
        switch item.tag {
        case .input, .output, .feature:
          if let next = fields.popFirst() { add(next.field, of: next.report) }
          locals = HIDParserLocals()
        case .collection, .endCollection: locals.leaveCollection()
        default: locals.survives = !locals.isEmpty
        }
      case .global: applyGlobal(item)
      case .local: failure = locals.apply(item, page: globals[.usagePage] ?? nil)
      default: break
      }
    }
  }

  private mutating func applyGlobal(_ item: HIDItem) {
    let isSigned = item.tag?.isSigned ?? false
    let value = isSigned ? Int64(item.signedData) : Int64(item.data)
    switch item.tag {
    case .push, .pop, nil: failure = .parserRaisesUnsupported
    case .reportID:
      let id = globals[.reportID] ?? nil
      if id == nil, !reports.isEmpty { failure = .parserRaisesLateID }
      globals[.reportID] = value
    case let tag?: globals[tag] = .some(item.dataByteCount == 0 ? nil : value)
    }
  }

  private mutating func add(_ field: HIDReportField, of layout: HIDReportLayout) {
    guard globals[.reportCount] ?? nil != nil, globals[.reportSize] ?? nil != nil else {
      failure = .parserRaisesMissing
      return
    }
    let id = layout.id.map { Int64($0.rawValue) }
    let place = OracleFindings.Place(
      type: layout.type, id: id ?? -1, bitOffset: field.bitOffset)
    var new = Field(
      kind: .padding, bitOffset: 0, bitSize: field.bitSize, count: field.count, flags: field.flags,
      usages: locals.usages, usageCount: locals.usageCount)
    if !new.usages.isEmpty {
      new.kind = field.isVariable ? .variable : .array
      guard let minimum = globals[.logicalMinimum], let maximum = globals[.logicalMaximum] else {
        failure = .parserRaisesMissing
        return
      }
      if new.kind == .array, locals.pages.count > 1 {
        failure = .parserRaisesPages
        return
      }
      (new.logicalMinimum, new.logicalMaximum) = (minimum, maximum)
      new.physicalMinimum = globals[.physicalMinimum] ?? nil
      new.physicalMaximum = globals[.physicalMaximum] ?? nil
      checkRanges(field, new, at: place)
    }
    checkUsages(field, new, at: place)
    guard new.copies > 0 else { return }

    let index = reports.firstIndex { $0.type == layout.type && $0.id == id } ?? reports.count
    if index == reports.count { reports.append(Report(type: layout.type, id: id)) }
    new.bitOffset = reports[index].nextBitOffset
    if new.bitOffset != field.bitOffset {
      let isMoved =
        findings.rules[.parserArrayPlace] != nil || findings.rules[.parserUsagePerElement] != nil
      if !isMoved { findings.fail("\(place): place \(new.bitOffset)") }
    }
    reports[index].nextBitOffset += new.copies * new.bitSize
    reports[index].bitCount += (new.kind == .array ? new.count : new.copies) * new.bitSize
    reports[index].fields.append(new)
    if new.kind == .array, new.count != 1 { findings.note(.parserArrayPlace, at: place) }
    if new.kind == .variable, new.copies != field.count {
      findings.note(.parserUsagePerElement, at: place)
    }
  }

  private mutating func checkRanges(
    _ field: HIDReportField, _ new: Field, at place: OracleFindings.Place
  ) {
    let ends: [(String, ours: Int64, theirs: Int64?)] = [
      ("logical minimum", field.logicalMinimum, new.logicalMinimum),
      ("logical maximum", field.logicalMaximum, new.logicalMaximum),
      ("physical minimum", field.physicalMinimum, new.physicalMinimum),
      ("physical maximum", field.physicalMaximum, new.physicalMaximum),
    ]
    for (what, ours, theirs) in ends {
      // The bytes are the same. hid-parser signs a maximum by its own width; hidsim signs it by the
      // minimum.
      let isSigned =
        what.hasSuffix("maximum") && (theirs ?? 0) < 0 && ours > 0
        && ours & 0xff == (theirs ?? 0) & 0xff
      findings.check(
        what, ours: ours, theirs: theirs ?? 0, at: place,
        rule: isSigned ? .parserMaximumSigned : nil)
    }
  }

  private mutating func checkUsages(
    _ field: HIDReportField, _ new: Field, at place: OracleFindings.Place
  ) {
    let ours = field.usages.count == new.usageCount
    let isEqual =
      ours
      && new.usages.indices.allSatisfy {
        field.usages.extendedUsage(at: $0).map(Int64.init) == new.usages[$0]
      }
    if isEqual { return }
    let rule = locals.rule(page: globals[.usagePage] ?? nil, ourCount: field.usages.count)
    if let rule {
      findings.note(rule, at: place)
    } else {
      findings.fail("\(place): usages \(field.usages.ranges), theirs \(new.usages.prefix(8))")
    }
  }
}
