// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// Access to the values of reports on the wire: with the report ID first if the report is numbered.
extension HIDReportLayout {
  /// Returns the value of a control.
  ///
  /// - Parameter control: A control of this report.
  /// - Parameter report: The report, on the wire.
  /// - Returns: The logical value; for a usage in an array, 1 if selected, else 0. `nil` if a
  ///   variable field's element is outside a short report, or has no bits or more than 64, or the
  ///   control is not in this report.
  public func value(of control: HIDReportElement, in report: Span<UInt8>) -> Int64? {
    guard let field = field(of: control) else { return nil }
    guard field.isArray else {
      return field.value(at: control.index, in: report, from: payloadOffset)
    }
    return slot(of: control, field, in: report) != nil ? 1 : 0
  }

  /// Returns the value of a control; see ``value(of:in:)`` of a span.
  public func value(of control: HIDReportElement, in report: [UInt8]) -> Int64? {
    value(of: control, in: report.span)
  }

  /// Returns the usages that an array selects, in the order of the field's usages.
  ///
  /// - Parameter field: An array of this report; another field selects nothing.
  /// - Parameter report: The report, on the wire.
  public func selectedControls(of field: HIDReportField, in report: Span<UInt8>)
    -> [HIDReportElement]
  {
    guard field.isArray, !field.isPadding else { return [] }
    var members: Set<Int> = []
    for slot in 0..<field.count {
      if let member = member(field, at: slot, of: report) { members.insert(member) }
    }
    return members.sorted().compactMap { control(field, at: $0) }
  }

  /// Returns the values in an array that select no usage, in the order of its elements.
  ///
  /// A usage with ID 0 counts as none.
  ///
  /// - Parameter field: An array of this report; the result is empty for another field, and for an
  ///   array without usages.
  /// - Parameter report: The report, on the wire; elements outside a short report are left out.
  public func valuesWithoutUsage(of field: HIDReportField, in report: Span<UInt8>) -> [Int64] {
    guard field.isArray, !field.isPadding else { return [] }
    return (0..<field.count).compactMap { slot in
      let value = field.value(at: slot, in: report, from: payloadOffset)
      return value.flatMap(field.member(for:)) == nil ? value : nil
    }
  }

  /// Returns the value of the first control with a usage; see ``value(of:in:)``.
  ///
  /// It is `nil` also if the report has no control with the usage.
  ///
  /// - Parameter usage: The usage of the control.
  /// - Parameter report: The report, on the wire.
  public func value(of usage: HIDUsage, in report: [UInt8]) -> Int64? {
    control(usage).flatMap { value(of: $0, in: report.span) }
  }

  /// Sets the first control with a usage; see ``set(_:to:in:)`` of a control.
  ///
  /// - Parameter usage: The usage of the control.
  /// - Parameter value: The value.
  /// - Parameter report: The report, on the wire.
  /// - Throws: `noSuchUsage` if the report has no control with the usage; else as ``set(_:to:in:)``
  ///   of a control does.
  public func set(
    _ usage: HIDUsage, to value: Int64, in report: inout [UInt8]
  ) throws(HIDReportValueError) {
    guard let control = control(usage) else { throw .noSuchUsage(usage) }
    try set(control, to: value, in: &report)
  }

  /// Sets a control.
  ///
  /// An array accepts 1 and 0; only 1 for a usage that ``HIDReportField/neutralValue`` selects. The
  /// value 1 selects the usage in the first free element, and changes nothing if the usage is
  /// selected already. The value 0 removes the usage, moves the other selected usages to the first
  /// elements, and fills the rest with ``HIDReportField/neutralValue``. Values that select no usage
  /// are then lost.
  ///
  /// - Parameter control: A control of this report.
  /// - Parameter value: A logical value in the field's range. A field with a null state accepts any
  ///   value that its bits hold.
  /// - Parameter report: The report, on the wire; unchanged when this throws.
  /// - Throws: `noSuchUsage` for a control of another report, `valueOutOfRange`,
  ///   `arrayFull` if no element is free, `unsupportedSize`, `reportTooShort`.
  public func set(
    _ control: HIDReportElement, to value: Int64, in report: inout [UInt8]
  ) throws(HIDReportValueError) {
    guard let field = field(of: control) else { throw .noSuchUsage(control.usage) }
    guard (1...64).contains(field.bitSize) else {
      throw .unsupportedSize(control.usage, bitCount: field.bitSize)
    }
    guard report.count >= byteCount else {
      throw .reportTooShort(
        control.usage, byteCount: report.count, expectedByteCount: byteCount)
    }
    let range = settableRange(of: control, in: field)
    guard range.contains(value) else {
      throw .valueOutOfRange(control.usage, value: value, range: range)
    }
    if field.isArray {
      if value == 0 {
        deselect(control, field, in: &report)
      } else {
        try select(control, field, in: &report)
      }
    } else {
      write(value, field, at: control.index, in: &report)
    }
  }

  /// Returns the values that ``set(_:to:in:)-(HIDReportElement,_,_)`` accepts for a control.
  ///
  /// - Returns: The range; `nil` for a control of another report. A control whose elements have no
  ///   bits or more than 64 accepts no value, although it has a range.
  public func settableRange(of control: HIDReportElement) -> ClosedRange<Int64>? {
    field(of: control).map { settableRange(of: control, in: $0) }
  }

  private func settableRange(
    of control: HIDReportElement, in field: HIDReportField
  ) -> ClosedRange<Int64> {
    guard field.isArray else {
      return field.hasNullState ? field.representableRange : field.valueRange
    }
    // If every value selects a usage, the usage of the value that fills free elements is always
    // selected.
    return field.member(for: field.neutralValue) == control.index ? 1...1 : 0...1
  }

  /// Sets a control to its idle value: see ``HIDReportField/neutralValue``.
  ///
  /// A usage in an array is removed, as by the value 0; it stays selected if the neutral value
  /// selects it.
  ///
  /// - Parameter control: A control of this report; a control of another report changes nothing.
  /// - Parameter report: The report, on the wire; elements outside a short report are not written.
  public func reset(_ control: HIDReportElement, in report: inout [UInt8]) {
    guard let field = field(of: control) else { return }
    if field.isArray {
      deselect(control, field, in: &report)
    } else {
      write(field.neutralValue, field, at: control.index, in: &report)
    }
  }

  /// Sets every relative control to 0, as a mouse does after each report; arrays are unchanged.
  ///
  /// - Parameter report: The report, on the wire.
  public func resetRelativeControls(in report: inout [UInt8]) {
    for field in fields where field.isVariable && field.isRelative && !field.isPadding {
      for index in 0..<field.count { write(0, field, at: index, in: &report) }
    }
  }

  /// The report in which every element has its ``HIDReportField/neutralValue``.
  ///
  /// A numbered report begins with its ID. Padding is 0.
  public var neutralReport: [UInt8] {
    var report = zeroReport
    for field in fields where !field.isPadding {
      let value = field.neutralValue
      if value == 0 { continue }
      for index in 0..<field.count { write(value, field, at: index, in: &report) }
    }
    return report
  }

  private func field(of control: HIDReportElement) -> HIDReportField? {
    guard control.type == type, control.reportID == id, fields.indices.contains(control.fieldIndex)
    else { return nil }
    return fields[control.fieldIndex]
  }

  private func write(
    _ value: Int64, _ field: HIDReportField, at index: Int, in report: inout [UInt8]
  ) {
    var span = report.mutableSpan
    _ = field.setValue(value, at: index, in: &span, from: payloadOffset)
  }

  // MARK: Arrays

  private func member(_ field: HIDReportField, at slot: Int, of report: Span<UInt8>) -> Int? {
    field.value(at: slot, in: report, from: payloadOffset).flatMap(field.member(for:))
  }

  /// Returns the first element of an array that selects the control; `nil` if none does.
  private func slot(
    of control: HIDReportElement, _ field: HIDReportField, in report: Span<UInt8>
  ) -> Int? {
    (0..<field.count).first { member(field, at: $0, of: report) == control.index }
  }

  private func select(
    _ control: HIDReportElement, _ field: HIDReportField, in report: inout [UInt8]
  ) throws(HIDReportValueError) {
    if slot(of: control, field, in: report.span) != nil { return }
    // `nil` if the neutral value selects no usage.
    let filler = field.member(for: field.neutralValue)
    var free: Int?
    for slot in 0..<field.count where free == nil {
      let member = member(field, at: slot, of: report.span)
      if member == nil || member == filler { free = slot }
    }
    guard let free else { throw .arrayFull(control.usage, count: field.count) }
    write(field.logicalMinimum + Int64(control.index), field, at: free, in: &report)
  }

  private func deselect(
    _ control: HIDReportElement, _ field: HIDReportField, in report: inout [UInt8]
  ) {
    var kept = 0
    for slot in 0..<field.count {
      guard let member = member(field, at: slot, of: report.span) else { continue }
      if member == control.index { continue }
      write(field.logicalMinimum + Int64(member), field, at: kept, in: &report)
      kept += 1
    }
    for slot in kept..<max(kept, field.count) {
      write(field.neutralValue, field, at: slot, in: &report)
    }
  }
}

/// A report that is built control by control.
public struct HIDReportBuilder: Hashable, Sendable {
  /// The layout of the report.
  public let layout: HIDReportLayout
  /// The report on the wire: with the report ID first if the report is numbered.
  public private(set) var bytes: [UInt8]

  /// Creates a builder that begins with ``HIDReportLayout/neutralReport``.
  ///
  /// - Parameter layout: The layout of the report.
  public init(_ layout: HIDReportLayout) {
    self.layout = layout
    bytes = layout.neutralReport
  }

  /// Creates a builder from an existing report.
  ///
  /// - Parameter layout: The layout of the report.
  /// - Parameter bytes: The report on the wire; a short one is padded with zeros.
  public init(_ layout: HIDReportLayout, bytes: [UInt8]) {
    self.layout = layout
    self.bytes = bytes
    while self.bytes.count < layout.byteCount { self.bytes.append(0) }
  }

  /// Sets the first control with a usage; see ``HIDReportLayout/set(_:to:in:)-(HIDUsage,_,_)``.
  public mutating func set(_ usage: HIDUsage, to value: Int64) throws(HIDReportValueError) {
    try layout.set(usage, to: value, in: &bytes)
  }

  /// Sets a control; see ``HIDReportLayout/set(_:to:in:)-(HIDReportElement,_,_)``.
  public mutating func set(_ control: HIDReportElement, to value: Int64) throws(HIDReportValueError)
  {
    try layout.set(control, to: value, in: &bytes)
  }

  /// Sets a control to its idle value: see ``HIDReportField/neutralValue``.
  public mutating func reset(_ control: HIDReportElement) { layout.reset(control, in: &bytes) }

  /// Sets every relative control to 0; arrays are unchanged.
  public mutating func resetRelativeControls() { layout.resetRelativeControls(in: &bytes) }

  /// Returns the value of the first control with a usage.
  ///
  /// `nil` if the report has none, or if the element of a variable field has no bits or more than
  /// 64.
  public func value(of usage: HIDUsage) -> Int64? { layout.value(of: usage, in: bytes) }
}
