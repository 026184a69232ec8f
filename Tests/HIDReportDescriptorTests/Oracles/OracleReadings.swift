// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// All readings of one descriptor.
struct OracleReadings {
  let bytes: [UInt8]
  let subject: OracleSubject
  let tools: HIDToolsReading?
  let parser: HIDParserReading?

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    subject = try OracleSubject(bytes)
    let failure = HIDToolsComparison.failure(of: bytes)
    tools =
      failure == nil ? subject.descriptor.map { [subject] in HIDToolsReading(subject, $0) } : nil
    parser = subject.descriptor.map { [subject] in HIDParserReading(subject, $0) }
  }

  var isTooLongForUHID: Bool {
    do {
      _ = try HIDReportDescriptor(
        parsing: bytes,
        maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
      return false
    } catch {
      if case .reportTooLong = error { return true }
      return false
    }
  }

  /// Returns hidsim's fields that begin at a position or have it among their bits.
  func fields(at place: OracleFindings.Place?) -> [HIDReportField] {
    guard let place else { return [] }
    let id = UInt8(exactly: place.id).flatMap(HIDReportID.init(rawValue:))
    let layout = subject.descriptor?.report(place.type, id: id)
    return layout?.fields.filter { field in
      let bits = field.bitOffset..<field.bitOffset + field.bitCount
      return field.bitOffset == place.bitOffset || bits.contains(place.bitOffset)
    } ?? []
  }

  /// Returns the first of the rules that changes the field at a position.
  func toolsRule(_ rules: [OracleRule], at place: OracleFindings.Place?) -> OracleRule? {
    guard let place, let tools else { return nil }
    let places = fields(at: place).map { field in
      OracleFindings.Place(type: place.type, id: place.id, bitOffset: field.bitOffset)
    }
    return rules.first { rule in
      tools.findings.rules[rule].map { !$0.isDisjoint(with: places) } ?? false
    }
  }

  /// Returns whether hid-tools has fields of this report in another report, or fields of another
  /// report in this report.
  func movesFields(of place: OracleFindings.Place?) -> Bool {
    guard let place, let tools, let moved = tools.findings.rules[.toolsReportID] else {
      return false
    }
    if moved.contains(where: { $0.type == place.type && $0.id == place.id }) { return true }
    // hid-tools has this report, and hidsim's reading has no fields at this position.
    return fields(at: place).isEmpty
      && tools.reports.contains { $0.type == place.type && ($0.id ?? -1) == place.id }
  }
}
