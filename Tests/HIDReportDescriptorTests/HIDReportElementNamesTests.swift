// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import Testing

@Suite("the names of a report's controls", .timeLimit(.minutes(5)))
struct HIDReportElementNamesTests {
  /// Two input reports and a feature: X twice in one field; then Y, X, X and X; then a feature X.
  private static let twice: [UInt8] = [
    0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08,
    0x85, 0x01, 0x95, 0x02, 0x09, 0x30, 0x81, 0x02,
    0x85, 0x02, 0x95, 0x04, 0x09, 0x31, 0x09, 0x30, 0x81, 0x02,
    0x95, 0x01, 0x09, 0x30, 0xb1, 0x02, 0xc0,
  ]

  @Test("the second and later controls with a usage are numbered within one report type")
  func numbers() throws {
    let descriptor = try HIDReportDescriptor(parsing: Self.twice)
    let names = descriptor.reports.map { report in
      let names = HIDReportElementNames(of: report, in: descriptor)
      return report.controls.map(names.name(of:))
    }
    #expect(
      names == [
        ["genericDesktop.x", "genericDesktop.x#2"],
        ["genericDesktop.y", "genericDesktop.x#3", "genericDesktop.x#4", "genericDesktop.x#5"],
        ["genericDesktop.x"],
      ])
  }

  @Test(
    "the names of a report's controls equal those of its single controls",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func corpus() async throws {
    var count = 0
    for row in try DescriptorCorpus.rows("index.tsv") where row[0].hasSuffix(".hex") {
      await Task.yield()
      guard
        let descriptor = try? HIDReportDescriptor(
          parsing: try DescriptorCorpus.bytes(String(row[0]))), descriptor.elementCount < 500
      else { continue }
      for report in descriptor.reports {
        let names = HIDReportElementNames(of: report, in: descriptor)
        for control in report.controls
        where names.name(of: control) != descriptor.name(of: control) {
          Issue.record("\(row[0]): \(names.name(of: control)) for \(descriptor.name(of: control))")
        }
      }
      count += 1
    }
    #expect(count >= 300)
  }
}
