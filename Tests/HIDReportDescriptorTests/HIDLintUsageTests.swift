// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import Testing

/// Tests of the rules for usages.
///
/// Each row has a field that breaks a rule, and a second field that nearly breaks the rule and has
/// no findings. The fields begin at byte 6, on the generic desktop page. A comment above a row
/// describes the first field and, after a semicolon, the second.
@Suite("lint: usages")
struct HIDLintUsageTests {
  private static let x = LintExample.x
  /// A field of eight elements of one bit, each from 0 to 1.
  private static let bits: [UInt8] = [
    0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x08, 0x81, 0x02,
  ]

  @Test(
    "wrong usage ranges are found, and nearly wrong ones are not",
    arguments: [
      // Buttons 8 to 1; 1 to 8.
      (
        [0x05, 0x09, 0x19, 0x08, 0x29, 0x01] + bits, ["usage-range-reversed@10"],
        [0x05, 0x09, 0x19, 0x01, 0x29, 0x08] + bits
      ),
      // The three rows have only a Usage Minimum, only a Usage Maximum, and the maximum before the
      // minimum.
      (
        [0x05, 0x09, 0x19, 0x01] + bits, ["usage-range-half@8"],
        [0x05, 0x09, 0x19, 0x01, 0x29, 0x08] + bits
      ),
      (
        [0x05, 0x09, 0x29, 0x08] + bits, ["usage-range-half@8"],
        [0x05, 0x09, 0x19, 0x01, 0x29, 0x08] + bits
      ),
      (
        [0x05, 0x09, 0x29, 0x08, 0x19, 0x01] + bits, ["usage-maximum-first@8"],
        [0x05, 0x09, 0x19, 0x01, 0x29, 0x08] + bits
      ),
      // A Usage Minimum in four bytes and a Usage Maximum in one; both in four bytes. In the next
      // row, both in four bytes, but on two pages.
      (
        [0x05, 0x09, 0x1b, 0x01, 0x00, 0x09, 0x00, 0x29, 0x08] + bits, ["usage-range-widths@13"],
        [0x1b, 0x01, 0x00, 0x09, 0x00, 0x2b, 0x08, 0x00, 0x09, 0x00] + bits
      ),
      (
        [0x1b, 0x01, 0x00, 0x09, 0x00, 0x2b, 0x08, 0x00, 0x0a, 0x00] + bits,
        ["usage-range-pages@11"],
        [0x1b, 0x01, 0x00, 0x09, 0x00, 0x2b, 0x08, 0x00, 0x09, 0x00] + bits
      ),
    ] as [([UInt8], [String], [UInt8])])
  func ranges(broken: [UInt8], expected: [String], near: [UInt8]) {
    #expect(LintExample.codes(LintExample.device(field: broken)) == expected)
    #expect(LintExample.codes(LintExample.device(field: near)) == [])
  }

  @Test(
    "wrong usage pages and IDs are found, and nearly wrong ones are not",
    arguments: [
      // The usage page of the LEDs after the usage; before the usage.
      (
        [0x09, 0x01, 0x05, 0x08] + x.dropFirst(2), ["late-usage-page@6"],
        [0x05, 0x08, 0x09, 0x01] + x.dropFirst(2)
      ),
      ([0x05, 0x00] + x, ["usage-page-zero@8"], [0x05, 0x01] + x),
      (
        [0x07, 0x01, 0x00, 0x01, 0x00] + x, ["usage-page-over-16-bits@6"],
        [0x07, 0x01, 0, 0, 0] + x
      ),
      ([0x06, 0xff, 0xfe] + x, ["unknown-usage-page@9"], [0x06, 0x00, 0xff] + x),
      // Usage 03 of the generic desktop page; usage 02. In the next row, usage 0 alone; usage 0 in
      // the range of an array.
      ([0x09, 0x03] + x.dropFirst(2), ["unknown-usage@6"], [0x09, 0x02] + x.dropFirst(2)),
      (
        [0x09, 0x00] + x.dropFirst(2), ["usage-zero@6"],
        [
          0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x65, 0x75, 0x08, 0x95, 0x06, 0x81,
          0x00,
        ]
      ),
      // X twice in one collection; X in each of two collections.
      (
        x + [0x09, 0x30, 0x81, 0x02], ["duplicate-usage@19"],
        [0x09, 0x01, 0xa1, 0x00] + x + [0xc0, 0x09, 0x01, 0xa1, 0x00] + x + [0xc0]
      ),
    ] as [([UInt8], [String], [UInt8])])
  func pages(broken: [UInt8], expected: [String], near: [UInt8]) {
    #expect(LintExample.codes(LintExample.device(field: broken)) == expected)
    #expect(LintExample.codes(LintExample.device(field: near)) == [])
  }

  @Test(
    "a wrong number of usages is found, and a nearly wrong one is not",
    arguments: [
      // Nine buttons for eight elements; eight buttons. In the next row, seven buttons; one button
      // for all elements.
      (
        [0x05, 0x09, 0x19, 0x01, 0x29, 0x09] + bits, ["more-usages-than-elements@20"],
        [0x05, 0x09, 0x19, 0x01, 0x29, 0x08] + bits
      ),
      (
        [0x05, 0x09, 0x19, 0x01, 0x29, 0x07] + bits, ["fewer-usages-than-elements@20"],
        [0x05, 0x09, 0x09, 0x01] + bits
      ),
      // In hex: keys 00 to 65 with the values 0 to 66; 0 to 65. In the next row, 0 to 64; 0 to 65.
      (
        [0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x66] + keys,
        ["array-values-without-usage@20"],
        [0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x65] + keys
      ),
      (
        [0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x64] + keys,
        ["array-usages-out-of-reach@20"],
        [0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x15, 0x00, 0x25, 0x65] + keys
      ),
      // In hex: keys 01 to 65 with the values 0 to 65; 1 to 65.
      (
        [0x05, 0x07, 0x19, 0x01, 0x29, 0x65, 0x15, 0x00, 0x25, 0x65] + keys,
        ["array-off-by-one@20"],
        [0x05, 0x07, 0x19, 0x01, 0x29, 0x65, 0x15, 0x01, 0x25, 0x65] + keys
      ),
      // A vendor's buffer as an array; as a variable field.
      (
        [0x06, 0x00, 0xff, 0x09, 0x01, 0x15, 0x00, 0x25, 0x7f] + keys, ["array-of-one-usage@19"],
        [0x06, 0x00, 0xff, 0x09, 0x01, 0x15, 0x00, 0x25, 0x7f] + keys.dropLast() + [0x02]
      ),
    ] as [([UInt8], [String], [UInt8])])
  func number(broken: [UInt8], expected: [String], near: [UInt8]) {
    #expect(LintExample.codes(LintExample.device(field: broken)) == expected)
    #expect(LintExample.codes(LintExample.device(field: near)) == [])
  }

  /// An array of six bytes.
  private static let keys: [UInt8] = [0x75, 0x08, 0x95, 0x06, 0x81, 0x00]

  @Test("a usage range after 12,288 usages is found, and one that ends there is not")
  func full() {
    // In hex: usages 1 to 3000, and then 2 to 5, or 5 alone; 1 to 2ffc, and then 2ffd to 3000.
    let full: [UInt8] = [0x06, 0x00, 0xff, 0x1a, 0x01, 0x00, 0x2a, 0x00, 0x30]
    let nearlyFull: [UInt8] = [0x06, 0x00, 0xff, 0x1a, 0x01, 0x00, 0x2a, 0xfc, 0x2f]
    let elements: [UInt8] = [
      0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x96, 0x00, 0x30, 0x81, 0x02,
    ]
    let dropped = LintExample.device(field: full + [0x19, 0x02, 0x29, 0x05] + elements)
    #expect(LintExample.codes(dropped) == ["usage-range-cut@17"])
    let one = LintExample.device(field: full + [0x19, 0x05, 0x29, 0x05] + elements)
    #expect(
      HIDReportDescriptor.lint(one).map(\.explanation)
        == ["a range of 1 usage; Linux stops at 12288"])
    let near = nearlyFull + [0x1a, 0xfd, 0x2f, 0x2a, 0x00, 0x30] + elements
    #expect(LintExample.codes(LintExample.device(field: near)) == [])
  }

  @Test("the reason against a usage twice is what the mapping has: nothing is sent, or one code")
  func duplicates() throws {
    // Button 1 twice, and absolute X twice.
    let button = LintExample.device(field: [
      0x05, 0x09, 0x09, 0x01, 0x09, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x02, 0x81,
      0x02,
    ])
    let axis = LintExample.device(field: Self.x + [0x09, 0x30, 0x81, 0x02])
    for bytes in [button, axis] {
      #expect(HIDReportDescriptor.lint(bytes).contains { $0.rule == .duplicateUsage })
    }
    let buttons = EvdevMapping(of: try HIDReportDescriptor(parsing: button))
    #expect(buttons.outcome(of: 1, inField: 0, ofReport: .input, id: nil).code == nil)
    let axes = EvdevMapping(of: try HIDReportDescriptor(parsing: axis))
    #expect(
      axes.outcome(of: 0, inField: 1, ofReport: .input, id: nil).code
        == EvdevCode(named: "ABS_X"))
    let reason = HIDLintRule.duplicateUsage.explanation
    #expect(reason.hasPrefix("Linux sends nothing for the second usage, unless"))
  }

  @Test("the reason against a reversed range has both results: a full table, and no usages")
  func reversed() throws {
    // The range 4 to 2, after one usage and after two.
    let rows: [(before: [UInt8], count: Int)] = [
      ([0x09, 0x01], 12_288), ([0x09, 0x01, 0x09, 0x05], 2),
    ]
    for (before, count) in rows {
      let bytes = LintExample.device(
        field: [0x05, 0x09] + before + [0x19, 0x04, 0x29, 0x02] + Self.bits)
      #expect(HIDReportDescriptor.lint(bytes).contains { $0.rule == .usageRangeReversed })
      let usages = try HIDReportDescriptor(parsing: bytes).reports[0].fields[0].usages
      #expect(usages.count == count)
    }
    let reason = HIDLintRule.usageRangeReversed.explanation
    #expect(reason.contains("until its table of 12,288 usages is full. If the main item already"))
  }
}
