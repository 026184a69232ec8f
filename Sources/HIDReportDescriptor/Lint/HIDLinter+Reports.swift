// SPDX-License-Identifier: Apache-2.0

// Findings about a report as a whole.

extension HIDLinter {
  /// Adds a field to a report, and records the field's offset if it makes the report too long.
  mutating func extend(_ report: Int, by bitCount: Int?, _ item: HIDItem, isUsed: Bool) {
    reports[report].lastOffset = item.offset
    if isUsed { reports[report].usedFieldCount += 1 }
    guard let bitCount else {
      reports[report].isFaulty = true
      return
    }
    // No overflow: at most 256 × 12,288 bits for each of at most 65,535 fields.
    reports[report].bitCount += bitCount
    let total = reports[report].bitCount
    // The kernel reserves a byte for the report ID even if there is none.
    if total > (HIDReportDescriptor.uhidMaximumReportByteCount - 1) * 8,
      reports[report].uhidOffset == nil
    {
      reports[report].uhidOffset = item.offset
      reports[report].longBitCount = total
    }
    if total > (HIDReportDescriptor.maximumReportByteCount - 1) * 8,
      reports[report].linuxOffset == nil
    {
      reports[report].linuxOffset = item.offset
      reports[report].longBitCount = total
    }
  }

  mutating func lintLongReports() {
    for report in reports {
      guard let offset = report.linuxOffset ?? report.uhidOffset else { continue }
      let maximum =
        report.linuxOffset == nil
        ? HIDReportDescriptor.uhidMaximumReportByteCount
        : HIDReportDescriptor.maximumReportByteCount
      collector.add(
        .reportTooLong(
          offset: offset, type: report.type, id: report.id, bitCount: report.longBitCount,
          maximumByteCount: maximum), fix: "split the report, or lower Report Size or Report Count")
    }
  }

  mutating func lintReports() {
    let numbers = Set(reports.filter { $0.id != nil }.map(\.type))
    for report in reports {
      if report.id == nil, !numbers.isEmpty { lintUnnumbered(report, besides: numbers) }
      if report.usedFieldCount > HIDReportDescriptor.maximumFieldCount {
        collector.add(
          .tooManyFields, at: report.firstOffset,
          "\(report.name) has \(report.usedFieldCount) fields; Linux drops those after "
            + "\(HIDReportDescriptor.maximumFieldCount)",
          fix: "join fields of equal size and range into one: several usages, one Report Count")
      }
      if !report.isFaulty { lintLength(report) }
    }
  }

  private mutating func lintUnnumbered(_ report: HIDLintReport, besides types: Set<HIDReportType>) {
    let isAmbiguous = types.contains(report.type)
    // A top-level collection without ID beside others has its own finding, unless one of its
    // reports is ambiguous: then that report has the finding.
    let hasOthers = topCollections.count > 1 && !isUnbalanced
    let isTold = report.topCollection.map { hasOthers && !topCollections[$0].hasReportID } ?? false
    guard isAmbiguous || !isTold else { return }
    if let index = report.topCollection, isAmbiguous {
      topCollections[index].unnumberedFieldOffset = nil
    }
    collector.add(
      .unnumberedBesideNumbered, at: report.firstOffset,
      isAmbiguous
        ? "this \(report.type) report is unnumbered, but other \(report.type) reports have an ID; "
          + "no byte can announce it, and Windows refuses the descriptor"
        : "this \(report.type) report is unnumbered, but other reports have an ID; Windows refuses "
          + "the descriptor",
      fix: "add a Report ID before the first field of the report")
  }

  private mutating func lintLength(_ report: HIDLintReport) {
    if report.bitCount == 0, !report.isEmptyForAReason {
      collector.add(.emptyReport, at: report.firstOffset, "\(report.name) has no bits")
    }
    let rest = report.bitCount % 8
    if rest != 0 {
      let missing = 8 - rest
      collector.add(
        .unalignedReport, at: report.lastOffset,
        "\(report.name) has \(report.bitCount) bits, not a whole number of bytes; Windows refuses the "
          + "descriptor",
        fix: "pad it with \(missing) \(missing == 1 ? "bit" : "bits"): "
          + [
            HIDItem(.reportSize, data: UInt32(missing), dataByteCount: 1),
            HIDItem(.reportCount, data: 1, dataByteCount: 1),
            HIDItem(Self.tag(report.type), data: 3, dataByteCount: 1),
          ].map(Self.bytes).joined(separator: " "))
    }
  }
}
