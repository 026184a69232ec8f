// SPDX-License-Identifier: Apache-2.0

extension HIDReportDecoder {
  /// Calls `body` for every control that a report changes, in the order of the fields.
  ///
  /// - Variable, absolute: called if the value differs from the value before.
  /// - Variable, relative: called if the value is not 0, since it is itself a change.
  /// - Array: called with 0 for each usage that is no longer selected, then with 1 for each usage
  ///   that is newly selected. ErrorRollOver from a keyboard carries no information about its keys.
  ///   So the field changes nothing, and the next report must be compared with the report before
  ///   (see ``remember(_:in:)``).
  ///
  /// Nothing is allocated unless an array has more than 32 elements. Elements of no bits or more
  /// than 64 do not change, nor do elements of variable fields that a short report lacks. A usage
  /// that an array selected before counts as no longer selected if the elements in a short report
  /// do not select it.
  ///
  /// - Parameter previous: The report before, on the wire: with its ID if it is numbered. `nil`
  ///   means a report in which all values are 0 and no usage is selected.
  /// - Parameter report: The report, on the wire.
  /// - Parameter body: Called with the control, its value before, and its new value.
  public func forEachChange(
    from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (_ control: HIDReportElement, _ previous: Int64, _ value: Int64) -> Void
  ) {
    for step in steps {
      if let previous, !step.isRelative, step.hasSameBytes(previous, report) { continue }
      if step.isVariable {
        variableChanges(step, from: previous, to: report, body)
      } else {
        arrayChanges(step, from: previous, to: report, body)
      }
    }
  }

  /// Returns whether an array of a report contains ErrorRollOver: too many keys are down for the
  /// keyboard to identify them.
  ///
  /// - Parameter report: The report, on the wire.
  ///
  /// Source: HID Usage Tables 1.4, page 0x07, usage 0x01, ErrorRollOver.
  public func isRollOver(_ report: Span<UInt8>) -> Bool {
    steps.contains { isRollOver($0, report) }
  }

  /// Updates `memory`, with which the next report must be compared.
  ///
  /// - The bytes of a report that is shorter than `memory` replace the first bytes of `memory`. The
  ///   rest stays the same.
  /// - The elements of an array that contains ErrorRollOver keep their values from before. Elements
  ///   that `memory` lacks get ``HIDReportField/neutralValue``.
  ///
  /// - Parameters:
  ///   - report: The report, on the wire.
  ///   - memory: The bytes with which the report was compared; empty before the first report.
  public func remember(_ report: Span<UInt8>, in memory: inout [UInt8]) {
    let before: [UInt8]? = isRollOver(report) ? memory : nil
    let common = Swift.min(memory.count, report.count)
    for index in 0..<common { memory[index] = report[index] }
    for index in common..<report.count { memory.append(report[index]) }
    guard let before else { return }
    let neutral = before.count < layout.byteCount ? layout.neutralReport : []
    for step in steps where isRollOver(step, report) {
      let end = step.firstBit + step.bitSize * step.wholeCount(in: before.span)
      for bit in step.firstBit..<step.firstBit + step.bitSize * step.count {
        guard bit / 8 < memory.count else { break }
        let source = bit < end ? before[bit / 8] : neutral[bit / 8]
        let mask: UInt8 = 1 << (bit % 8)
        memory[bit / 8] = memory[bit / 8] & ~mask | source & mask
      }
    }
  }

  private func variableChanges(
    _ step: Step, from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (HIDReportElement, Int64, Int64) -> Void
  ) {
    var previousCount = 0
    if let previous, !step.isRelative { previousCount = step.wholeCount(in: previous) }
    for index in 0..<step.wholeCount(in: report) {
      let value = value(step, at: index, of: report)
      var old: Int64 = 0
      if let previous, index < previousCount {
        old = self.value(step, at: index, of: previous)
      }
      if value != old, let control = control(step, at: index) { body(control, old, value) }
    }
  }

  private func arrayChanges(
    _ step: Step, from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (HIDReportElement, Int64, Int64) -> Void
  ) {
    if isRollOver(step, report) { return }
    guard step.count <= Self.fewSlots else {
      manyChanges(step, from: previous, to: report, body)
      return
    }
    if let previous {
      forEachSelection(step, in: previous, notIn: report) { body($0, 1, 0) }
    }
    forEachSelection(step, in: report, notIn: previous) { body($0, 0, 1) }
  }

  /// Calls `body` once for each control that the array selects in `report` but not in `other`.
  private func forEachSelection(
    _ step: Step, in report: Span<UInt8>, notIn other: Span<UInt8>?,
    _ body: (HIDReportElement) -> Void
  ) {
    var otherCount = 0
    if let other { otherCount = step.wholeCount(in: other) }
    for index in 0..<step.wholeCount(in: report) {
      let value = value(step, at: index, of: report)
      // Most elements are unchanged.
      if let other, index < otherCount, value == self.value(step, at: index, of: other) { continue }
      guard let member = step.member(for: value), !has(value, step, report, index) else { continue }
      if let other, has(value, step, other, otherCount) { continue }
      if let control = control(step, at: member) { body(control) }
    }
  }

  /// Returns whether one of the first `count` elements has this value.
  private func has(_ value: Int64, _ step: Step, _ report: Span<UInt8>, _ count: Int) -> Bool {
    for index in 0..<count where self.value(step, at: index, of: report) == value { return true }
    return false
  }

  /// Finds the changes of an array with more than 32 elements.
  ///
  /// Here a comparison of each element with each other would let a hostile report take seconds.
  private func manyChanges(
    _ step: Step, from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (HIDReportElement, Int64, Int64) -> Void
  ) {
    let new = members(step, report)
    var old: [Int] = []
    if let previous { old = members(step, previous) }
    for (first, second, value) in [(old, new, 0), (new, old, 1)] as [([Int], [Int], Int64)] {
      var seen = Set(second)
      for member in first where seen.insert(member).inserted {
        if let control = control(step, at: member) { body(control, 1 - value, value) }
      }
    }
  }

  private func members(_ step: Step, _ report: Span<UInt8>) -> [Int] {
    (0..<step.wholeCount(in: report)).compactMap {
      step.member(for: value(step, at: $0, of: report))
    }
  }

  private func isRollOver(_ step: Step, _ report: Span<UInt8>) -> Bool {
    guard let rollOver = step.rollOver else { return false }
    if step.isOfBytes, !step.repeatsRollOver {
      let first = step.firstBit >> 3
      for index in 0..<step.wholeCount(in: report)
      where Int64(report[first &+ index]) == rollOver { return true }
      return false
    }
    for index in 0..<step.wholeCount(in: report) {
      let value = value(step, at: index, of: report)
      if value == rollOver { return true }
      if step.repeatsRollOver, let member = step.member(for: value),
        layout.fields[step.fieldIndex].extendedUsage(at: member) == Step.errorRollOver
      {
        return true
      }
    }
    return false
  }

  private func control(_ step: Step, at index: Int) -> HIDReportElement? {
    layout.control(layout.fields[step.fieldIndex], at: index)
  }

  @inline(__always)
  private func value(_ step: Step, at index: Int, of report: Span<UInt8>) -> Int64 {
    HIDReportField.value(
      of: step.bitSize, bitsAt: step.firstBit + index * step.bitSize, of: report,
      isSigned: step.isSigned)
  }

  private static var fewSlots: Int { 32 }
}
