// SPDX-License-Identifier: Apache-2.0

extension HIDReportDecoder {
  /// Calls `body` for every control that a report changes, in the order of the fields.
  ///
  /// - Variable, absolute: where the value differs from the one before.
  /// - Variable, relative: where the value is not 0, since it is itself a change.
  /// - Array: 0 for each usage that is no longer selected, then 1 for each that is newly. A keyboard that
  ///   sends ErrorRollOver says nothing about its keys: the field changes nothing, and the next report is
  ///   to be compared with the one before (see ``remember(_:in:)``).
  ///
  /// Nothing is allocated unless an array has more than 32 elements. Elements that a short report lacks,
  /// and elements over 64 bits, do not change.
  ///
  /// - Parameter previous: The report before, on the wire: with its ID if it is numbered. `nil` stands for
  ///   one in which all values are 0 and nothing is selected.
  /// - Parameter report: The report, on the wire.
  /// - Parameter body: Called with the control, its value before, and its value now.
  public func forEachChange(
    from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (_ control: HIDControl, _ previous: Int64, _ value: Int64) -> Void
  ) {
    for step in steps {
      if step.isVariable {
        variableChanges(step, from: previous, to: report, body)
      } else {
        arrayChanges(step, from: previous, to: report, body)
      }
    }
  }

  /// Whether a keyboard says with this report that too many keys are down to tell which.
  ///
  /// - Parameter report: The report, on the wire.
  ///
  /// Source: HID Usage Tables 1.4, page 0x07, usage 0x01, ErrorRollOver.
  public func isRollOver(_ report: Span<UInt8>) -> Bool {
    steps.contains { isRollOver($0, report) }
  }

  /// Makes `memory` what the next report is compared with.
  ///
  /// - A report that is shorter than its layout replaces what it has: the rest stays as it was.
  /// - Keys of an array that says ErrorRollOver stay as they were.
  ///
  /// - Parameters:
  ///   - report: The report, on the wire.
  ///   - memory: What the report was compared with; empty before the first report.
  public func remember(_ report: Span<UInt8>, in memory: inout [UInt8]) {
    let before = isRollOver(report) ? memory : []
    let common = Swift.min(memory.count, report.count)
    for index in 0..<common { memory[index] = report[index] }
    for index in common..<report.count { memory.append(report[index]) }
    guard !before.isEmpty else { return }
    for step in steps where isRollOver(step, report) {
      for bit in step.firstBit..<step.firstBit + step.bitSize * step.count {
        guard bit / 8 < Swift.min(before.count, memory.count) else { break }
        let mask: UInt8 = 1 << (bit % 8)
        memory[bit / 8] = memory[bit / 8] & ~mask | before[bit / 8] & mask
      }
    }
  }

  private func variableChanges(
    _ step: Step, from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (HIDControl, Int64, Int64) -> Void
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
    _ body: (HIDControl, Int64, Int64) -> Void
  ) {
    if isRollOver(step, report) { return }
    guard step.count <= Self.fewSlots else {
      manyChanges(step, from: previous, to: report, body)
      return
    }
    let new = slots(step, report)
    var old = Slots()
    if let previous { old = slots(step, previous) }
    old.forEachMember(notIn: new) { member in
      if let control = control(step, at: member) { body(control, 1, 0) }
    }
    new.forEachMember(notIn: old) { member in
      if let control = control(step, at: member) { body(control, 0, 1) }
    }
  }

  /// The same for so many slots that comparing each with each would take a hostile report seconds.
  private func manyChanges(
    _ step: Step, from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (HIDControl, Int64, Int64) -> Void
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

  private func slots(_ step: Step, _ report: Span<UInt8>) -> Slots {
    var slots = Slots()
    for index in 0..<step.wholeCount(in: report) {
      if let member = step.member(for: value(step, at: index, of: report)) {
        slots.append(member)
      }
    }
    return slots
  }

  private func isRollOver(_ step: Step, _ report: Span<UInt8>) -> Bool {
    guard let rollOver = step.rollOver else { return false }
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

  private func control(_ step: Step, at index: Int) -> HIDControl? {
    layout.control(layout.fields[step.fieldIndex], at: index)
  }

  @inline(__always)
  private func value(_ step: Step, at index: Int, of report: Span<UInt8>) -> Int64 {
    HIDReportField.value(
      of: step.bitSize, bitsAt: step.firstBit + index * step.bitSize, of: report,
      isSigned: step.isSigned)
  }

  /// The members that the slots of an array select.
  private struct Slots {
    private var members = InlineArray<32, Int32>(repeating: 0)
    private var count = 0

    mutating func append(_ member: Int) {
      members[count] = Int32(truncatingIfNeeded: member)
      count += 1
    }

    /// Calls `body` once for each member that other slots do not select.
    borrowing func forEachMember(notIn other: borrowing Self, _ body: (Int) -> Void) {
      let own = members.span.extracting(first: count)
      let others = other.members.span.extracting(first: other.count)
      for index in own.indices {
        let member = own[index]
        if !contains(own.extracting(first: index), member), !contains(others, member) {
          body(Int(member))
        }
      }
    }

    private borrowing func contains(_ members: Span<Int32>, _ member: Int32) -> Bool {
      for index in members.indices where members[index] == member { return true }
      return false
    }
  }

  private static var fewSlots: Int { 32 }
}
