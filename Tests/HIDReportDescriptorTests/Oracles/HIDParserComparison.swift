// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor

/// The comparison of one line of hid-parser with hidsim's reading as changed by the rules of
/// hid-parser.
struct HIDParserComparison {
  private(set) var findings = OracleFindings()
  private(set) var fieldCount = 0

  init(file: String, line: String, bytes: [UInt8]) throws {
    let subject = try OracleSubject(bytes)
    let error = OracleLines.error(line, file: file)
    guard let descriptor = subject.descriptor else {
      if error == nil, let rule = subject.refusalRule { findings.note(rule) }
      return
    }
    let reading = HIDParserReading(subject, descriptor)
    if let error {
      // If hidsim refuses the descriptor too, there is no difference.
      guard subject.refusal == nil else { return }
      let isExhausted = OracleLines.isExhaustion(error, of: bytes)
      if let rule = reading.failure ?? (isExhausted ? .parserLate : nil) {
        findings.note(rule)
      } else {
        findings.fail("raises \(error)")
      }
      return
    }
    findings = reading.findings
    if let failure = reading.failure { findings.fail("reads what should raise by \(failure)") }
    fieldCount = reading.reports.reduce(0) { $0 + $1.fields.reduce(0) { $0 + $1.copies } }
    if let rule = subject.refusalRule { findings.note(rule) }
    try compare(reading, line, isWhole: subject.refusal == nil)
  }

  private mutating func compare(
    _ reading: HIDParserReading, _ line: String, isWhole: Bool
  ) throws {
    let view = try JSONDecoder().decode(Line.self, from: Data(line.utf8)).view
    if isWhole, view.reports.count != reading.reports.count {
      findings.fail("\(view.reports.count) reports, expected \(reading.reports.count)")
    }
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
      let total = expected.fields.reduce(0) { $0 + $1.copies }
      let sizes = (report.bits, report.fields_total)
      if isWhole
        ? sizes != (expected.bitCount, total)
        : sizes.0 < expected.bitCount || sizes.1 < total
      {
        findings.fail("\(name): \(sizes), expected \(expected.bitCount), \(total)")
      }
      let fields = expected.fields.lazy.flatMap { field in
        (0..<field.copies).lazy.map { Field(field, copy: $0) }
      }.prefix(report.fields.count)
      for (theirs, ours) in zip(report.fields, fields) where theirs != ours {
        findings.fail("\(name): \(theirs), expected \(ours)")
      }
    }
  }

  struct Line: Decodable {
    var view: View
  }

  struct View: Decodable {
    var reports: [Report]
  }

  // The property names are the keys of the file.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  struct Report: Decodable {
    var type: String
    var id: Int64?
    var bits: Int
    var fields_total: Int
    var fields: [Field]
  }

  struct Field: Decodable, Equatable {
    var bit: Int
    var size: Int
    var what: String
    var lmin: Int64?
    var lmax: Int64?
    var pmin: Int64?
    var pmax: Int64?
    var constant: Bool?
    var relative: Bool?
    var usage: Int64?
    var count: Int?
    var usages: [Int64]?

    /// The greatest number of usages of an array in the oracle's file.
    static let maximumUsageCount = 512

    init(_ field: HIDParserReading.Field, copy: Int) {
      bit = field.bitOffset + copy * field.bitSize
      size = field.bitSize
      what = field.kind.rawValue
      if field.kind == .padding { return }
      lmin = field.logicalMinimum
      lmax = field.logicalMaximum
      pmin = field.physicalMinimum
      pmax = field.physicalMaximum
      constant = field.flags.contains(.constant)
      relative = field.flags.contains(.relative)
      if field.kind == .variable {
        usage = field.usages[copy]
      } else {
        count = field.count
        usages = Array(field.usages.prefix(Self.maximumUsageCount))
      }
    }
  }
}
