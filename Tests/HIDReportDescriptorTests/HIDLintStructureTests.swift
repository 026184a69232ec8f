// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import Testing

/// Tests of the rules for collections, report IDs and delimiters.
///
/// Each row has a descriptor that breaks a rule, and a second descriptor without findings. A
/// comment above a row describes the first descriptor and, after a semicolon, the second.
@Suite("lint: structure")
struct HIDLintStructureTests {
  private static let x = LintExample.x

  @Test(
    "wrong collections are found, and right ones are not",
    arguments: [
      // A physical collection alone; an application collection.
      (
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x00] + x + [0xc0], ["no-application-collection@whole"],
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01] + x + [0xc0]
      ),
      // A physical collection beside the application collection, with a report ID of its own.
      (
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01] + x + [0xc0, 0x09, 0x01, 0xa1, 0x00]
          + [0x85, 0x02] + x + [0xc0], ["top-collection-not-application@24"],
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01] + x + [0xc0, 0x09, 0x01, 0xa1, 0x01]
          + [0x85, 0x02] + x + [0xc0]
      ),
      // An application collection in another; a physical collection in an application collection.
      (
        LintExample.device(field: [0x09, 0x04, 0xa1, 0x01] + x + [0xc0]),
        ["nested-application-collection@8"],
        LintExample.device(field: [0x09, 0x01, 0xa1, 0x00] + x + [0xc0])
      ),
      // The first two rows have a top and an inner collection without a usage, the next two such
      // collections with two usages.
      (
        [0x05, 0x01, 0xa1, 0x01] + x + [0xc0], ["top-collection-without-usage@2"],
        [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01] + x + [0xc0]
      ),
      (
        LintExample.device(field: [0xa1, 0x00] + x + [0xc0]), ["collection-without-usage@6"],
        LintExample.device(field: [0x09, 0x01, 0xa1, 0x00] + x + [0xc0])
      ),
      (
        [0x05, 0x01, 0x09, 0x05, 0x09, 0x04, 0xa1, 0x01] + x + [0xc0],
        ["top-collection-with-many-usages@6"], LintExample.device()
      ),
      (
        LintExample.device(field: [0x09, 0x01, 0x09, 0x31, 0xa1, 0x00] + x + [0xc0]),
        ["collection-with-many-usages@10"],
        LintExample.device(field: [0x09, 0x01, 0xa1, 0x00] + x + [0xc0])
      ),
      // Collection kind 7, which is reserved; kind 80 (hex) of a vendor.
      (
        LintExample.device(field: [0x09, 0x01, 0xa1, 0x07] + x + [0xc0]),
        ["reserved-collection-kind@8"],
        LintExample.device(field: [0x09, 0x01, 0xa1, 0x80] + x + [0xc0])
      ),
      // Two fields after the end of the collection, which make one finding.
      (
        LintExample.device() + x + x, ["field-outside-collection@31"],
        LintExample.device()
      ),
      // A Push without a Pop. In the next rows, a usage that no field follows: in the collection,
      // and after the collection.
      (LintExample.device(field: [0xa4] + x), ["push-without-pop@6"], LintExample.device()),
      (LintExample.device(field: x + [0x09, 0x31]), ["usages-left-over@19"], LintExample.device()),
      (LintExample.device() + [0x09, 0x31], ["usages-left-over@20"], LintExample.device()),
    ] as [([UInt8], [String], [UInt8])])
  func collections(broken: [UInt8], expected: [String], near: [UInt8]) {
    #expect(LintExample.codes(broken) == expected)
    #expect(LintExample.codes(near) == [])
  }

  @Test(
    "wrong report IDs are found, and right ones are not",
    arguments: [
      // A Report ID before the collection; in the collection.
      (
        [0x05, 0x01, 0x85, 0x01, 0x09, 0x05, 0xa1, 0x01] + x + [0xc0],
        ["report-id-outside-collection@2"],
        LintExample.device(field: [0x85, 0x01] + x)
      ),
      // The second collection has report ID 1 again; report ID 2.
      (
        LintExample.device(field: [0x85, 0x01] + x) + [0x09, 0x04, 0xa1, 0x01, 0x85, 0x01] + x
          + [0xc0], ["report-id-shared@26"],
        LintExample.device(field: [0x85, 0x01] + x) + [0x09, 0x04, 0xa1, 0x01, 0x85, 0x02] + x
          + [0xc0]
      ),
      // The second collection inherits report ID 1; one collection has two fields.
      (
        LintExample.device(field: [0x85, 0x01] + x) + [0x09, 0x04, 0xa1, 0x01] + x + [0xc0],
        ["report-id-shared@37"],
        LintExample.device(field: [0x85, 0x01] + x + x.map { $0 == 0x30 ? 0x31 : $0 })
      ),
      // Two collections without report IDs; one collection without a report ID.
      (
        LintExample.device() + [0x09, 0x04, 0xa1, 0x01] + x + [0xc0],
        ["top-collection-without-report-id@4", "top-collection-without-report-id@22"],
        LintExample.device()
      ),
      // An unnumbered and a numbered input report; two numbered input reports.
      (
        LintExample.device(field: x + [0x85, 0x01] + x), ["unnumbered-beside-numbered@17"],
        LintExample.device(field: [0x85, 0x02] + x + [0x85, 0x01] + x)
      ),
      // An unnumbered output report and a numbered input report; both numbered.
      (
        LintExample.device(
          field: [0x09, 0x30] + x.dropFirst(2).dropLast(2) + [0x91, 0x02, 0x85, 0x01] + x),
        ["unnumbered-beside-numbered@17"],
        LintExample.device(
          field: [0x85, 0x02, 0x09, 0x30] + x.dropFirst(2).dropLast(2) + [0x91, 0x02, 0x85, 0x01]
            + x)
      ),
      // An unnumbered report before two numbered ones in two collections; both numbered.
      (
        LintExample.device(
          field: [0x09, 0x30] + x.dropFirst(2).dropLast(2) + [0x91, 0x02, 0x85, 0x01] + x)
          + [0x09, 0x04, 0xa1, 0x01, 0x85, 0x02] + x + [0xc0],
        ["unnumbered-beside-numbered@17"],
        LintExample.device(field: [0x85, 0x01] + x) + [0x09, 0x04, 0xa1, 0x01, 0x85, 0x02] + x
          + [0xc0]
      ),
      // A Pop from report ID 2 back to 1, and a field; a Pop, Report ID 1, and the field.
      (
        LintExample.device(
          field: [0x85, 0x01] + x + [0xa4, 0x85, 0x02] + x + [0xb4, 0x09, 0x31, 0x81, 0x02]),
        ["report-id-restored-by-pop@37"],
        LintExample.device(
          field: [0x85, 0x01] + x + [0xa4, 0x85, 0x02] + x
            + [0xb4, 0x85, 0x01, 0x09, 0x31, 0x81, 0x02])
      ),
      // A Pop from report ID 2 back to 1, a Pop that changes nothing, and a field; the same with
      // Report ID 1 before the field.
      (
        LintExample.device(
          field: [0x85, 0x01] + x + [0xa4, 0xa4, 0x85, 0x02] + x
            + [0xb4, 0xb4, 0x09, 0x31, 0x81, 0x02]),
        ["report-id-restored-by-pop@38"],
        LintExample.device(
          field: [0x85, 0x01] + x + [0xa4, 0xa4, 0x85, 0x02] + x
            + [0xb4, 0xb4, 0x85, 0x01, 0x09, 0x31, 0x81, 0x02])
      ),
    ] as [([UInt8], [String], [UInt8])])
  func reportIDs(broken: [UInt8], expected: [String], near: [UInt8]) {
    #expect(LintExample.codes(broken) == expected)
    #expect(LintExample.codes(near) == [])
  }

  @Test(
    "reserved items and wrong delimiters are found, and right ones are not",
    arguments: [
      // A reserved main item, a reserved local item, and an item of the reserved type.
      (LintExample.device(field: [0xd1, 0x00] + x), ["reserved-item@6"], LintExample.device()),
      (LintExample.device(field: [0xb9, 0x00] + x), ["reserved-item@6"], LintExample.device()),
      (LintExample.device(field: [0x0d, 0x00] + x), ["reserved-item@6"], LintExample.device()),
      (LintExample.device() + [0, 0, 0], ["trailing-zeros@20"], LintExample.device()),
      // A Report Size between the Delimiters; before the first Delimiter.
      (
        LintExample.device(
          field: [0xa9, 0x01, 0x75, 0x08, 0x09, 0x30, 0xa9, 0x00] + x.dropFirst(2)),
        ["item-in-delimiter@8"],
        LintExample.device(
          field: [0x75, 0x08, 0xa9, 0x01, 0x09, 0x30, 0xa9, 0x00] + x.dropFirst(2))
      ),
      (
        LintExample.device(
          field: x.dropFirst(2).dropLast(2) + [0xa9, 0x01, 0x09, 0x30, 0x81, 0x02]),
        ["delimiter-open-at-main-item@19"],
        LintExample.device(
          field: x.dropFirst(2).dropLast(2) + [0xa9, 0x01, 0x09, 0x30, 0xa9, 0x00, 0x81, 0x02])
      ),
      // Alternatives X and Y; X alone.
      (
        LintExample.device(
          field: [0xa9, 0x01, 0x09, 0x31, 0x09, 0x30, 0xa9, 0x00] + x.dropFirst(2)),
        ["alternative-usages@6"],
        LintExample.device(field: [0xa9, 0x01, 0x09, 0x30, 0xa9, 0x00] + x.dropFirst(2))
      ),
      // An array with Delimiters; without Delimiters.
      (
        LintExample.device(
          field: [0xa9, 0x01, 0x09, 0x81, 0xa9, 0x00, 0x15, 0x01, 0x25, 0x01, 0x75, 0x08]
            + [0x95, 0x01, 0x81, 0x00]), ["delimiter-in-array@6"],
        LintExample.device(
          field: [0x09, 0x81, 0x15, 0x01, 0x25, 0x01, 0x75, 0x08, 0x95, 0x01, 0x81, 0x00])
      ),
    ] as [([UInt8], [String], [UInt8])])
  func reserved(broken: [UInt8], expected: [String], near: [UInt8]) {
    #expect(LintExample.codes(broken) == expected)
    #expect(LintExample.codes(near) == [])
  }

  @Test("lint does not deny the event nodes of physical collections, which Linux takes for input")
  func physical() throws {
    // A physical collection of a mouse alone.
    let alone: [UInt8] = [0x05, 0x01, 0x09, 0x02, 0xa1, 0x00] + Self.x + [0xc0]
    #expect(LintExample.codes(alone) == ["no-application-collection@whole"])
    #expect(EvdevMapping(of: try HIDReportDescriptor(parsing: alone)).nodes.count == 1)
    #expect(
      HIDLintRule.noApplicationCollection.explanation.contains("unless a physical collection"))
    // A physical collection beside the application collection of a gamepad.
    let beside =
      LintExample.device(field: [0x85, 0x01] + Self.x) + [0x09, 0x01, 0xa1, 0x00, 0x85, 0x02]
      + Self.x + [0xc0]
    let finding = try #require(
      HIDReportDescriptor.lint(beside).first { $0.rule == .topCollectionNotApplication })
    let mapping = EvdevMapping(of: try HIDReportDescriptor(parsing: beside))
    #expect(mapping.node(of: .input, id: HIDReportID(rawValue: 2)) != nil)
    #expect(!finding.explanation.contains("no input device"))
    #expect(!finding.rule.explanation.contains("input devices of application collections only"))
  }

  @Test("lint does not deny the events of a field outside all collections of a gamepad")
  func outside() throws {
    let mapping = EvdevMapping(
      of: try HIDReportDescriptor(parsing: LintExample.device() + Self.x))
    let outcome = mapping.outcome(of: 0, inField: 1, ofReport: .input, id: nil)
    #expect(outcome.code == EvdevCode(named: "ABS_X"))
    let reason = HIDLintRule.fieldOutsideCollection.explanation
    #expect(reason.contains("Linux maps it nevertheless if a collection"))
  }
}
