// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// What a report says that the one before it did not.
public struct HIDChange: Hashable, Sendable {
  /// What changed.
  public let control: HIDControl
  /// The value before; 0 for a control that is relative, and where there was no report before.
  public let previous: Int64
  /// The value now: a logical value, or 1 and 0 for usages that an array selects or no longer does.
  public let value: Int64

  /// The usage of the control.
  public var usage: HIDUsage { control.usage }
}

extension HIDReportLayout {
  /// Calls `body` for every control that a report changes, in the order of the fields.
  ///
  /// - Variable, absolute: where the value differs from the one before.
  /// - Variable, relative: where the value is not 0, since it is itself a change.
  /// - Array: 0 for each usage that is no longer selected, then 1 for each that is newly. A keyboard that
  ///   sends ErrorRollOver says nothing about its keys: the field changes nothing, and the next report is
  ///   to be compared with the one before (see ``isRollOver(_:)``).
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
    for field in fields where !field.isPadding {
      if field.isVariable {
        variableChanges(field, from: previous, to: report, body)
      } else {
        arrayChanges(field, from: previous, to: report, body)
      }
    }
  }

  /// The changes as an array; see ``forEachChange(from:to:_:)``.
  ///
  /// - Parameter previous: The report before, on the wire, or `nil`.
  /// - Parameter report: The report, on the wire.
  public func changes(from previous: [UInt8]?, to report: [UInt8]) -> [HIDChange] {
    var changes: [HIDChange] = []
    let body = { (control: HIDControl, previous: Int64, value: Int64) in
      changes.append(HIDChange(control: control, previous: previous, value: value))
    }
    if let previous {
      forEachChange(from: previous.span, to: report.span, body)
    } else {
      forEachChange(from: nil, to: report.span, body)
    }
    return changes
  }

  /// Whether a keyboard says with this report that too many keys are down to tell which.
  ///
  /// - Parameter report: The report, on the wire.
  ///
  /// Source: HID Usage Tables 1.4, page 0x07, usage 0x01, ErrorRollOver.
  public func isRollOver(_ report: Span<UInt8>) -> Bool {
    fields.contains { $0.isArray && isRollOver($0, report) }
  }

  /// Whether a keyboard says that too many keys are down; see ``isRollOver(_:)`` of a span.
  public func isRollOver(_ report: [UInt8]) -> Bool { isRollOver(report.span) }

  private func variableChanges(
    _ field: HIDReportField, from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (HIDControl, Int64, Int64) -> Void
  ) {
    for index in 0..<field.count {
      guard let value = field.value(at: index, in: report, from: payloadOffset) else { return }
      var old: Int64 = 0
      if let previous, !field.isRelative {
        old = field.value(at: index, in: previous, from: payloadOffset) ?? 0
      }
      guard value != old, let control = control(field, at: index) else { continue }
      body(control, old, value)
    }
  }

  private func arrayChanges(
    _ field: HIDReportField, from previous: Span<UInt8>?, to report: Span<UInt8>,
    _ body: (HIDControl, Int64, Int64) -> Void
  ) {
    if isRollOver(field, report) { return }
    if let previous {
      forEachMember(field, of: previous, notIn: report) { body($0, 1, 0) }
      forEachMember(field, of: report, notIn: previous) { body($0, 0, 1) }
    } else {
      forEachMember(field, of: report, notIn: nil) { body($0, 0, 1) }
    }
  }

  /// Calls `body` once for each usage that one report selects and another does not.
  private func forEachMember(
    _ field: HIDReportField, of report: Span<UInt8>, notIn other: Span<UInt8>?,
    _ body: (HIDControl) -> Void
  ) {
    if field.count > 32 {  // comparing each with each would take a hostile report seconds
      var seen: Set<Int> = []
      if let other {
        for slot in 0..<field.count {
          if let member = member(field, at: slot, of: other) { seen.insert(member) }
        }
      }
      for slot in 0..<field.count {
        guard let member = member(field, at: slot, of: report), seen.insert(member).inserted,
          let control = control(field, at: member)
        else { continue }
        body(control)
      }
      return
    }
    for slot in 0..<field.count {
      guard let member = member(field, at: slot, of: report),
        !selects(field, member, report, slots: slot)
      else { continue }
      if let other, selects(field, member, other, slots: field.count) { continue }
      if let control = control(field, at: member) { body(control) }
    }
  }

  private func member(_ field: HIDReportField, at slot: Int, of report: Span<UInt8>) -> Int? {
    field.value(at: slot, in: report, from: payloadOffset).flatMap(field.member(for:))
  }

  private func selects(
    _ field: HIDReportField, _ member: Int, _ report: Span<UInt8>, slots: Int
  ) -> Bool {
    for slot in 0..<slots where self.member(field, at: slot, of: report) == member { return true }
    return false
  }

  private func isRollOver(_ field: HIDReportField, _ report: Span<UInt8>) -> Bool {
    let errorRollOver: UInt32 = 0x0007_0001
    guard !field.isPadding else { return false }
    for slot in 0..<field.count {
      if let member = member(field, at: slot, of: report),
        field.extendedUsage(at: member) == errorRollOver
      {
        return true
      }
    }
    return false
  }
}
