// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDUsages

/// A row of the corpus's table of differences between the oracles.
struct OracleDisagreement {
  var file: String
  var what: String
  var detail: String

  init(_ row: [Substring]) {
    file = String(row[0])
    what = String(row[1])
    detail = String(row[2])
  }

  /// Finds the rule that explains the row.
  ///
  /// The kernel's reading equals hidsim's, as another test asserts.
  ///
  /// - Returns: The rule; `nil` if there is none.
  func rule(_ readings: OracleReadings) -> OracleRule? {
    switch what {
    case "kernel accepts, hid-tools raises":
      HIDToolsComparison.failure(of: readings.bytes) ?? exhaustion(readings, .toolsLate)
    case "kernel accepts, hid-parser raises":
      readings.parser?.failure ?? exhaustion(readings, .parserLate)
    case "kernel rejects, hid-tools parses", "kernel rejects, hid-parser parses":
      readings.subject.refusalRule ?? (readings.isTooLongForUHID ? .kernelUHIDLimit : nil)
    case "report length: hid-parser against hid-tools": lengthRule(readings)
    default:
      // A field that went to another report moves others, so the comparison took different fields.
      fieldRule(readings) ?? (readings.movesFields(of: place) ? .toolsReportID : nil)
    }
  }

  private func fieldRule(_ readings: OracleReadings) -> OracleRule? {
    switch what {
    case "field at a bit offset hid-tools has none at":
      readings.toolsRule(Self.usageRules, at: place)
    case "unit exponent":
      readings.toolsRule([.toolsPushUnit, .toolsExponentByte], at: place)
    case "unit there in one only": readings.toolsRule([.toolsPushUnit], at: place)
    case "logical maximum", "physical maximum": maximumRule(readings)
    case "usage of a variable field", "field size", "usages of an array field": usageRule(readings)
    default: nil
    }
  }

  private static let usageRules: [OracleRule] = [
    .toolsRangeAlone, .toolsHalfRange, .toolsRangeReversed, .toolsRangeFromZero,
    .toolsRangeEnds, .toolsRangeUncut, .toolsPageWide, .toolsDelimiter, .toolsLocalsSurvive,
  ]

  /// The position at the head of a detail: `input 7 bit 0`; the ID is `None` if there is none.
  var place: OracleFindings.Place? {
    let words = detail.prefix { $0 != ":" }.split(separator: " ")
    guard words.count >= 2,
      let type = HIDReportType.allCases.first(where: { "\($0)" == words[0] })
    else { return nil }
    let offset = words.count >= 4 && words[2] == "bit" ? Int(words[3]) : nil
    return OracleFindings.Place(type: type, id: Int64(words[1]) ?? -1, bitOffset: offset ?? 0)
  }

  private func exhaustion(_ readings: OracleReadings, _ rule: OracleRule) -> OracleRule? {
    OracleLines.isExhaustion(detail, of: readings.bytes) ? rule : nil
  }

  /// Returns the rule for a difference in a maximum.
  ///
  /// The kernel's text has 32 bits with a sign, whatever they mean.
  private func maximumRule(_ readings: OracleReadings) -> OracleRule? {
    if let rule = readings.toolsRule([.toolsMaximumUnsigned], at: place) { return rule }
    let isSignedText = readings.fields(at: place).contains { field in
      let maximum = what == "logical maximum" ? field.logicalMaximum : field.physicalMaximum
      let text = Int32(truncatingIfNeeded: maximum)
      return maximum > Int64(Int32.max) && detail.hasSuffix("kernel \(text), hid-tools \(maximum)")
    }
    return isSignedText ? .kernelSignedText : nil
  }

  private func usageRule(_ readings: OracleReadings) -> OracleRule? {
    if let rule = readings.toolsRule(Self.usageRules, at: place) { return rule }
    let fields = readings.fields(at: place)
    // Two fields have one position if the first has no bits; the comparison then took the second
    // field.
    if fields.count > 1, fields.contains(where: { $0.bitCount == 0 }) { return .comparisonNoBits }
    let isFilled = fields.contains { $0.isArray && $0.usages.count < $0.count }
    return what == "usages of an array field" && isFilled ? .kernelArrayFill : nil
  }

  /// Returns the rule that explains a difference in report lengths.
  ///
  /// It returns `nil` if the row does not have the lengths of the two readings, or if no rule has
  /// changed the report.
  private func lengthRule(_ readings: OracleReadings) -> OracleRule? {
    guard let place, let parser = readings.parser, let tools = readings.tools else { return nil }
    let id = place.id < 0 ? nil : place.id
    let ours = parser.reports.first { $0.type == place.type && $0.id == id }
    let theirs = tools.reports.first { $0.type == place.type && $0.id == id }
    let lengths = [ours?.bitCount ?? 0, (theirs?.bitCount ?? 0) - (id == nil ? 0 : 8)]
    guard detail.hasSuffix(": \(lengths[0]), \(lengths[1]) bits") else { return nil }
    let rules: [OracleRule] = [
      .parserUsagePerElement, .parserRangeReversed, .parserRangeUncut, .parserUsageWide,
      .parserLocalsSurvive, .parserPageEarly, .parserPageWide,
    ]
    return rules.first { rule in
      parser.findings.rules[rule]?.contains { $0.type == place.type && $0.id == place.id } ?? false
    } ?? (readings.movesFields(of: place) ? .toolsReportID : nil)
  }
}
