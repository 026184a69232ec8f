// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("lint")
struct HIDLintTests {
  @Test(
    "an ordinary device has no findings",
    arguments: [Example.keyboard, Example.mouse, Example.consumer])
  func clean(bytes: [UInt8]) {
    #expect(HIDReportDescriptor.lint(bytes) == [])
  }

  @Test(
    "each fault is found at its place",
    arguments: [
      ([0x05], ["refused@0"]),
      (
        [0x05, 0x01, 0x09, 0x30, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02],
        ["no-application-collection", "field-outside-collection@8"]
      ),
      ([0xa1, 0x01, 0xc0], ["collection-without-usage@0"]),
      (
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x75, 0x08, 0x96, 0x00, 0x10, 0x81, 0x01, 0xc0],
        ["report-over-uhid@11"]
      ),
      (
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02, 0xc0],
        ["data-without-usage@10"]
      ),
      (
        [
          0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x09, 0x30, 0x09, 0x31, 0x75, 0x07, 0x95, 0x01, 0x81,
          0x02, 0xc0,
        ],
        ["unaligned-report@14", "more-usages-than-elements@14"]
      ),
      (
        [
          0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x09, 0x30, 0x75, 0x40, 0x95, 0x01, 0x81, 0x02,
          0x85, 0x01, 0x09, 0x30, 0x75, 0x08, 0x81, 0x02, 0xa4, 0xc0,
        ],
        ["unnumbered-beside-numbered@12", "field-over-32-bits@12", "push-without-pop@22"]
      ),
      (
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x09, 0x30, 0x81, 0x02, 0x00, 0xc0],
        ["empty-report@8", "empty-field@8", "reserved-item@10"]
      ),
    ] as [([UInt8], [String])])
  func findings(bytes: [UInt8], expected: [String]) {
    let found = HIDReportDescriptor.lint(bytes).map { finding in
      finding.code + (finding.offset.map { "@\($0)" } ?? "")
    }
    #expect(found == expected)
  }

  @Test("a finding says how bad, where, what, and its code")
  func description() {
    #expect(
      HIDReportDescriptor.lint([0x84]).map(\.description) == [
        "error: byte 0: report ID 0; expected 1 to 255 [refused]"
      ])
  }

  @Test(
    "an error is found exactly where uhid refuses the device",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func corpus() throws {
    for row in try DescriptorCorpus.rows("oracle-kernel.tsv") where row[0].hasSuffix(".hex") {
      let findings = HIDReportDescriptor.lint(try DescriptorCorpus.bytes(String(row[0])))
      #expect(findings.contains { $0.severity == .error } == (row[1] != "yes"), "\(row[0])")
    }
  }
}
