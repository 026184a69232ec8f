// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import TestSupport
import Testing

/// Tests that any bytes are read or refused, without a trap, a hang or a wrong result.
@Suite("hostile input", .timeLimit(.minutes(5)))
struct HostileInputTests {
  @Test("random bytes are read or refused")
  func randomBytes() {
    for seed in 0..<4000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 0...64, using: &random)
      exercise((0..<count).map { _ in .random(in: 0...255, using: &random) }, &random)
    }
  }

  @Test("random items are read or refused")
  func randomItems() {
    var accepted = 0
    for seed in 0..<4000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        guard let tag = HIDItemTag.allCases.randomElement(using: &random) else { continue }
        let limit: UInt32 = Bool.random(using: &random) ? 0x20 : .max
        let item = HIDItem(
          tag, data: .random(in: 0...limit, using: &random),
          dataByteCount: [0, 1, 1, 1, 2, 4].randomElement(using: &random) ?? 1)
        if tag == .pop || tag == .endCollection || tag == .delimiter, limit != 0x20 { continue }
        item.encode(into: &bytes)
      }
      if exercise(bytes, &random) { accepted += 1 }
    }
    #expect(accepted > 400)
  }

  @Test("examples with changed bytes are read or refused")
  func mutations() {
    for seed in 0..<4000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let examples = [Example.keyboard, Example.mouse, Example.gamepad, Example.consumer]
      var bytes = examples.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      exercise(bytes, &random)
    }
  }

  @Test("descriptors with the most usages, fields, elements or reports are read or refused")
  func largest() {
    var random = SplitMix64(seed: 1)
    // These descriptors have as many usage ranges, fields or array elements as fit.
    let range: [UInt8] = [0x1a, 0x00, 0x00, 0x2a, 0x01, 0x00]
    exercise((0..<682).flatMap { _ in range }, &random)
    exercise(
      [0x75, 0x01, 0x95, 0x01] + (0..<1023).flatMap { _ in [0x09, 0x01, 0x81, 0x02] as [UInt8] },
      &random)
    exercise(
      [0x05, 0x09, 0x19, 0x01, 0x2a, 0x00, 0x30, 0x15, 0x01, 0x26, 0x00, 0x30, 0x75, 0x08]
        + [0x96, 0x00, 0x30, 0x81, 0x00], &random)
    exercise(
      (1...255).flatMap { id in
        [0x85, UInt8(id), 0x75, 0x08, 0x96, 0xff, 0x3f, 0x09, 0x01, 0x81, 0x02]
      }, &random)
  }

  /// Decodes, lints and parses bytes, and if parsing succeeds, uses each report of the descriptor
  /// with random bytes.
  ///
  /// - Returns: True if the bytes are a valid descriptor.
  @discardableResult
  private func exercise(_ bytes: [UInt8], _ random: inout SplitMix64) -> Bool {
    _ = try? HIDItem.decodeAll(bytes)
    _ = HIDReportDescriptor.lint(bytes)
    let descriptor: HIDReportDescriptor
    do { descriptor = try HIDReportDescriptor(parsing: bytes) } catch {
      _ = error.description
      #expect(error.offset.map { bytes.indices.contains($0) } ?? true)
      return false
    }
    _ = descriptor.text
    _ = descriptor.primaryUsage
    _ = descriptor.elementCount
    for report in descriptor.reports {
      #expect(descriptor.report(report.type, id: report.id) == report)
      #expect(report.fields.reduce(0) { $0 + $1.bitCount } == report.bitCount)
      exercise(report, &random)
    }
    return true
  }

  private func exercise(_ layout: HIDReportLayout, _ random: inout SplitMix64) {
    let count =
      Bool.random(using: &random) ? layout.byteCount : Int.random(in: 0...20, using: &random)
    let first = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    let second = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    _ = layout.changes(from: first, to: second)
    _ = layout.changes(from: nil, to: second)
    _ = layout.isRollOver(first)
    #expect(layout.changes(from: nil, to: layout.neutralReport).count >= 0)
    var report = layout.neutralReport
    #expect(report.count == layout.byteCount)
    for control in layout.controls.prefix(50) {
      let field = layout.fields[control.fieldIndex]
      let value = control.isArrayMember ? 1 : Int64.random(in: field.valueRange, using: &random)
      do {
        try layout.set(control, to: value, in: &report)
        #expect(layout.value(of: control, in: report) == value)
        layout.reset(control, in: &report)
        // If every value selects a usage, one control is always selected.
        let isFiller = field.neutralValue == field.logicalMinimum + Int64(control.index)
        if control.isArrayMember, !isFiller { #expect(layout.value(of: control, in: report) == 0) }
      } catch {
        _ = error.description
      }
    }
  }
}
