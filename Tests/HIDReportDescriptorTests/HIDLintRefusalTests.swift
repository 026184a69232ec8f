// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

/// Tests of the rules for descriptors that Linux refuses.
///
/// Each row has items that break a rule, or items that nearly break a rule and have no findings.
@Suite("lint: descriptors that Linux refuses")
struct HIDLintRefusalTests {
  @Test("an empty descriptor is found")
  func empty() {
    #expect(LintExample.codes([]) == ["empty-descriptor@whole"])
  }

  @Test("a descriptor of 4,097 bytes is found, and one of 4,096 is not")
  func length() {
    let padding: [UInt8] = (0..<2032).flatMap { _ in [0x81, 0x01] as [UInt8] }
    let head = LintExample.x + [0x37, 0, 0, 0, 0, 0x47, 0, 0, 0, 0]
    let full = LintExample.device(field: head + [0x65, 0] + padding)
    #expect(full.count == 4096)
    #expect(LintExample.codes(full) == [])
    let long = LintExample.device(field: head + [0x66, 0, 0] + padding)
    #expect(long.count == 4097)
    #expect(LintExample.codes(long) == ["descriptor-too-long@whole"])
  }

  @Test("items after a long item (fe) are read, and f0 ends the reading")
  func longItem() {
    #expect(
      LintExample.codes(LintExample.device(field: [0xfe, 0x01, 0x00, 0xaa, 0xb4] + LintExample.x))
        == ["long-item@6", "pop-without-push@10"])
    #expect(
      LintExample.codes(LintExample.device(field: [0xf0, 0x01, 0x00, 0xaa, 0xb4] + LintExample.x))
        == ["long-item@6"])
  }

  @Test(
    "an item that Linux refuses is found, and a nearly wrong one is not",
    arguments: [
      ([0xc5, 0x01], ["reserved-global-item@6"]),
      ([0xe4], ["reserved-global-item@6"]),
      ([0x85, 0x00], ["invalid-report-id@6"]),
      ([0x86, 0x00, 0x01], ["invalid-report-id@6"]),
      ([0x85, 0xff], []),
      ([0x76, 0x01, 0x01], ["report-size-too-large@6"]),
      ([0x76, 0x00, 0x01], []),
      ([0x96, 0x01, 0x30], ["report-count-too-large@6"]),
      ([0x96, 0x00, 0x30], []),
      ([0xa4, 0xa4, 0xa4, 0xa4, 0xa4, 0xb4, 0xb4, 0xb4, 0xb4, 0xb4], ["push-too-deep@10"]),
      ([0xa4, 0xa4, 0xa4, 0xa4, 0xb4, 0xb4, 0xb4, 0xb4], []),
      ([0xb4], ["pop-without-push@6"]),
      ([0xa4, 0xb4], []),
      ([0xa9, 0x00], ["close-delimiter-without-open@6"]),
    ] as [([UInt8], [String])])
  func items(items: [UInt8], expected: [String]) {
    #expect(LintExample.codes(LintExample.device(field: items + LintExample.x)) == expected)
  }

  @Test("one End Collection too many, and one or two too few, are found")
  func balance() {
    #expect(LintExample.codes(LintExample.device()) == [])
    #expect(
      LintExample.codes(LintExample.device() + [0xc0]) == ["end-collection-without-collection@20"])
    #expect(LintExample.codes(LintExample.device().dropLast()) == ["unclosed-collection@4"])
    let inner: [UInt8] = [0x09, 0x01, 0xa1, 0x00] + LintExample.x
    let findings = HIDReportDescriptor.lint(LintExample.device(field: inner).dropLast())
    #expect(findings.map(\.code) == ["unclosed-collection"])
    #expect(findings.map(\.offset) == [8])
    #expect(findings.map(\.fix) == ["add End Collection, c0, 2 times"])
  }

  @Test("a delimiter inside another, or open at the end, is found")
  func delimiters() {
    let nested: [UInt8] = [0xa9, 0x01, 0xa9, 0x01, 0x09, 0x30, 0xa9, 0x00]
    #expect(
      LintExample.codes(LintExample.device(field: nested + LintExample.x.dropFirst(2)))
        == ["nested-delimiter@8"])
    let single: [UInt8] = [0xa9, 0x01, 0x09, 0x30, 0xa9, 0x00]
    #expect(
      LintExample.codes(LintExample.device(field: single + LintExample.x.dropFirst(2))) == [])
    #expect(
      LintExample.codes(LintExample.device() + [0xa9, 0x01, 0x09, 0x30])
        == ["unclosed-delimiter@20"])
  }

  @Test("more than 12,288 usages are found, and 12,288 are not")
  func usages() {
    let range: [UInt8] = [0x06, 0x00, 0xff, 0x1a, 0x01, 0x00, 0x2a, 0x00, 0x30]
    let rest: [UInt8] = [
      0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x96, 0x00, 0x30, 0x81, 0x02,
    ]
    #expect(LintExample.codes(LintExample.device(field: range + rest)) == [])
    #expect(
      LintExample.codes(LintExample.device(field: range + [0x09, 0x01, 0x09, 0x02] + rest))
        == ["too-many-usages@15"])
    let cut: [UInt8] = [0x06, 0x00, 0xff, 0x1a, 0x01, 0x00, 0x2a, 0x01, 0x30]
    #expect(LintExample.codes(LintExample.device(field: cut + rest)) == ["usage-range-cut@12"])
  }

  @Test("a reversed logical range is one finding for all its fields")
  func reversed() {
    let field: [UInt8] = [
      0x09, 0x30, 0x16, 0x01, 0x80, 0x26, 0x00, 0x80, 0x75, 0x10, 0x95, 0x01, 0x81, 0x02,
      0x09, 0x31, 0x81, 0x02,
    ]
    let findings = HIDReportDescriptor.lint(LintExample.device(field: field))
    #expect(findings.map(\.code) == ["logical-range-reversed"])
    #expect(findings.map(\.offset) == [18])
    #expect(
      findings.map(\.fix) == [
        "if 32768 is meant, write Logical Maximum (32768) as 27 00 80 00 00"
      ])
    var near = field
    near[6] = 0xff
    near[7] = 0x7f
    #expect(LintExample.codes(LintExample.device(field: near)) == [])
  }

  @Test("4,096 bytes of payload are too long for uhid, and 16,384 are too long for Linux")
  func longReports() {
    func field(_ count: UInt16) -> [UInt8] {
      [0x06, 0x00, 0xff, 0x09, 0x01, 0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08]
        + [0x96, UInt8(count & 0xff), UInt8(count >> 8), 0x91, 0x02]
    }
    #expect(LintExample.codes(LintExample.device(field: field(4095))) == [])
    #expect(LintExample.codes(LintExample.device(field: field(4096))) == ["report-over-uhid@21"])
    let twice = field(12288) + [0x09, 0x01, 0x96, 0xff, 0x0f, 0x91, 0x02]
    #expect(LintExample.codes(LintExample.device(field: twice)) == ["report-over-uhid@21"])
    let more = field(12288) + [0x09, 0x01, 0x96, 0x00, 0x10, 0x91, 0x02]
    #expect(LintExample.codes(LintExample.device(field: more)) == ["report-too-long@28"])
  }
}
