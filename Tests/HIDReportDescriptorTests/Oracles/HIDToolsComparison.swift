// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor

/// The comparison of one line of hid-tools with hidsim's reading as changed by the rules of
/// hid-tools.
struct HIDToolsComparison {
  private(set) var findings = OracleFindings()
  private(set) var fieldCount = 0

  init(file: String, line: String, bytes: [UInt8]) throws {
    let subject = try OracleSubject(bytes)
    let failure = Self.failure(of: bytes)
    if let error = OracleLines.error(line, file: file) {
      compare(error: error, failure, bytes, isAccepted: subject.refusal == nil)
      return
    }
    if let descriptor = subject.descriptor {
      try compare(HIDToolsReading(subject, descriptor), line, file, isWhole: subject.refusal == nil)
    }
    if let rule = subject.refusalRule { findings.note(rule) }
    if let failure { findings.fail("reads what should raise by \(failure)") }
  }

  /// Returns the rule by which hid-tools raises an error; `nil` if it does not.
  static func failure(of bytes: [UInt8]) -> OracleRule? {
    var position = 0
    var depth = 0
    while position < bytes.count {
      if position == bytes.count - 1, bytes[position] == 0 { return nil }  // hid-tools stops there
      guard let item = try? HIDItem(decoding: bytes.span, at: &position) else {
        return .kernelTruncated
      }
      switch item.tag {
      case nil: return .toolsRaisesUnknown
      case .collection where item.data > 0xff: return .toolsRaisesCollection
      case .push: depth += 1
      case .pop:
        depth -= 1
        if depth < 0 { return .kernelStack }
      default: break
      }
    }
    return nil
  }

  private mutating func compare(
    error: String, _ failure: OracleRule?, _ bytes: [UInt8], isAccepted: Bool
  ) {
    let isExhausted = OracleLines.isExhaustion(error, of: bytes)
    guard let rule = failure ?? (isExhausted ? .toolsLate : nil) else {
      findings.fail("raises \(error)")
      return
    }
    // If hidsim refuses the descriptor too, there is no difference.
    if isAccepted { findings.note(rule) }
  }

  private mutating func compare(
    _ reading: HIDToolsReading, _ line: String, _ file: String, isWhole: Bool
  ) throws {
    findings = reading.findings
    fieldCount = reading.reports.reduce(0) { $0 + $1.fieldCount }
    if isWhole, reading.text(file: file) == line { return }
    let view = try JSONDecoder().decode(Line.self, from: Data(line.utf8)).view
    if isWhole, view.reports.count != reading.reports.count {
      findings.fail("\(view.reports.count) reports, expected \(reading.reports.count)")
    }
    if isWhole, view.win8 != reading.isWindows8 { findings.fail("win8 \(view.win8)") }
    for expected in reading.reports {
      let name = "\(expected.type) \(expected.id ?? -1)"
      guard
        let report = view.reports.first(where: {
          $0.type == "\(expected.type)" && $0.id == expected.id
        })
      else {
        findings.fail("no report \(name)")
        continue
      }
      let bits = (report.bits, report.fields_total)
      if isWhole
        ? bits != (expected.bitCount, expected.fieldCount)
        : bits.0 < expected.bitCount || bits.1 < expected.fieldCount
      {
        findings.fail("\(name): \(bits) not \(expected.bitCount), \(expected.fieldCount)")
      }
      if report.application != expected.application {
        findings.fail("\(name): application \(String(describing: report.application))")
      }
      let fields = expected.fields.lazy.flatMap { field in
        (0..<field.copies).lazy.map { Field(field, copy: $0) }
      }.prefix(HIDToolsReading.maximumFieldCount)
      for (theirs, ours) in zip(report.fields, fields) where !theirs.agrees(with: ours) {
        findings.fail("\(name): \(theirs), expected \(ours)")
      }
    }
  }

  struct Line: Decodable {
    var view: View
  }

  struct View: Decodable {
    var win8: Bool
    var reports: [Report]
  }

  // The property names are the keys of the file.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  struct Report: Decodable {
    var type: String
    var id: Int64?
    var bits: Int
    var application: Int64?
    var fields_total: Int
    var fields: [Field]
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  struct Field: Decodable {
    var bit: Int
    var size: Int
    var count: Int
    var lmin: Int64
    var lmax: Int64
    var pmin: Int64
    var pmax: Int64
    var unit: Int64
    var unit_exp: Int64
    var flags: [String]
    var usage: Int64
    var application: Int64?
    var physical: Int64?
    var logical: Int64?
    var usages: [Int64]?
    var usages_are: String?

    init(_ field: HIDToolsReading.Field, copy: Int) {
      bit = field.bitOffset + copy * field.bitSize
      size = field.bitSize
      count = field.count
      lmin = field.logicalMinimum
      lmax = field.logicalMaximum
      pmin = field.physicalMinimum
      pmax = field.physicalMaximum
      unit = field.unit
      unit_exp = field.unitExponent
      flags = field.flagNames
      usage = field.usage[copy]
      application = field.application
      physical = field.physical
      logical = field.logical
      usages = field.usages.map { usages in (0..<usages.count).map { usages[$0] } }
    }

    /// Returns whether this field of the file is the expected one, whose list has all usages.
    func agrees(with expected: Self) -> Bool {
      let ends = expected.usages.map { [$0.first, $0.last].compactMap(\.self) }
      return bit == expected.bit && size == expected.size && count == expected.count
        && lmin == expected.lmin && lmax == expected.lmax && pmin == expected.pmin
        && pmax == expected.pmax && unit == expected.unit && unit_exp == expected.unit_exp
        && flags == expected.flags && usage == expected.usage
        && application == expected.application && physical == expected.physical
        && logical == expected.logical
        && (usages_are == "range" ? usages == ends : usages == expected.usages)
    }
  }
}
