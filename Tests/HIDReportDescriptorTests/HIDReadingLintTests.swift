// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import Testing

/// Tests that lint reports every difference between the readings of Linux and HID 1.11.
@Suite("lint and the two readings")
struct HIDReadingLintTests {
  /// The codes by kind of difference; lint must report at least one of the codes.
  private static let codes: [String: Set<String>] = [
    // For a range that has one value in Linux, lint reports the empty range instead.
    "logical range": ["logical-maximum-sign", "logical-range-empty"],
    "physical range": ["physical-maximum-sign"],
    "unit exponent": ["unit-exponent-form"],
    "usages": [
      "late-usage-page", "usage-range-reversed", "usage-range-half", "usage-maximum-first",
      "usage-range-widths", "usage-range-pages", "usage-range-cut", "alternative-usages",
      "item-in-delimiter", "delimiter-open-at-main-item", "usage-page-over-16-bits",
    ],
  ]

  @Test(
    "every difference between the readings of a real or odd descriptor has a finding",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func corpus() throws {
    var counts: [String: Int] = [:]
    for row in try DescriptorCorpus.rows("oracle-kernel.tsv") where row[0].hasSuffix(".hex") {
      let bytes = try DescriptorCorpus.bytes(String(row[0]))
      for (what, isSaid) in differences(bytes) {
        counts[what, default: 0] += 1
        #expect(isSaid, "\(row[0]): \(what)")
      }
    }
    #expect(counts["logical range", default: 0] >= 30)
    #expect(counts["usages", default: 0] >= 10)
    #expect(counts["unit exponent", default: 0] >= 1)
  }

  @Test("every difference between the readings of a random descriptor has a finding")
  func random() {
    var count = 0
    for seed in 0..<6000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var bytes: [UInt8] = [0x75, 0x08, 0x95, 0x02]
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let tags: [HIDItemTag] = [
          .usagePage, .usage, .usageMinimum, .usageMaximum, .logicalMinimum, .logicalMaximum,
          .physicalMinimum, .physicalMaximum, .unitExponent, .delimiter, .input, .collection,
        ]
        guard let tag = tags.randomElement(using: &random) else { continue }
        let data: UInt32 =
          [0, 1, 2, 9, 0x30, 0x7f, 0x80, 0xff, 0xfffd, 0x9_0001].randomElement(
            using: &random) ?? 0
        HIDItem(tag, data: data, dataByteCount: [1, 1, 2, 4].randomElement(using: &random) ?? 1)
          .encode(into: &bytes)
      }
      bytes += [0x81, 0x02]
      while !bytes.isEmpty, case .unclosedCollection? = refusal(bytes) { bytes.append(0xc0) }
      for (what, isSaid) in differences(bytes) {
        count += 1
        #expect(isSaid, "seed \(seed): \(what): \(bytes)")
      }
    }
    #expect(count > 100)
  }

  private func refusal(_ bytes: [UInt8]) -> HIDReportDescriptorError? {
    do {
      _ = try HIDReportDescriptor(parsing: bytes)
      return nil
    } catch { return error }
  }

  /// Returns the kinds of differences between the readings, each with true if lint reports it.
  private func differences(_ bytes: [UInt8]) -> [(String, Bool)] {
    guard let linux = try? HIDReportDescriptor(parsing: bytes),
      let letter = try? HIDReportDescriptor(parsing: bytes, reading: .specification)
    else { return [] }
    var found: Set<String> = []
    for (report, other) in zip(linux.reports, letter.reports) {
      for (first, second) in zip(report.fields, other.fields) {
        // Differences in padding do not matter, and neither do those in constants.
        if first.isPadding, second.isPadding { continue }
        if first.isConstant { continue }
        if first.logicalMaximum != second.logicalMaximum { found.insert("logical range") }
        if first.physicalMaximum != second.physicalMaximum { found.insert("physical range") }
        if first.unitExponent != second.unitExponent { found.insert("unit exponent") }
        if first.usages != second.usages { found.insert("usages") }
        if first.bitOffset != second.bitOffset || first.bitCount != second.bitCount {
          found.insert("places")
        }
      }
    }
    if linux.reports.count != letter.reports.count { found.insert("places") }
    let findings = Set(HIDReportDescriptor.lint(bytes).map(\.code))
    return found.sorted().map { ($0, !(Self.codes[$0] ?? []).isDisjoint(with: findings)) }
  }
}
