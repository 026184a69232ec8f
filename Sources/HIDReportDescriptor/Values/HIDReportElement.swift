// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// A usage with its location in a report, where its value can be read and set.
public struct HIDReportElement: Hashable, Sendable {
  /// The usage of the control.
  public let usage: HIDUsage
  /// The type of its report.
  public let type: HIDReportType
  /// The ID of its report; `nil` for an unnumbered report.
  public let reportID: HIDReportID?
  /// The index of its field in ``HIDReportLayout/fields``.
  public let fieldIndex: Int
  /// The index of its element in the field; for a usage in an array, its value minus the logical
  /// minimum.
  public let index: Int
  /// True if the control is a usage that an array field can select; its value is 1 if selected,
  /// else 0.
  public let isArrayMember: Bool
}

/// The controls of a report, created during iteration.
public struct HIDReportElements: Sequence, Sendable {
  let layout: HIDReportLayout

  /// Returns an iterator that starts at the first control.
  public func makeIterator() -> Iterator { Iterator(layout: layout) }

  /// An iterator over the elements of variable fields and the usages of array fields.
  public struct Iterator: IteratorProtocol, Sendable {
    fileprivate let layout: HIDReportLayout
    private var fieldIndex = 0
    private var index = 0

    fileprivate init(layout: HIDReportLayout) { self.layout = layout }

    /// Returns the next control, or `nil` after the last.
    public mutating func next() -> HIDReportElement? {
      while fieldIndex < layout.fields.count {
        let field = layout.fields[fieldIndex]
        while index < field.controlCount {
          defer { index += 1 }
          if let control = layout.control(field, at: index) { return control }
        }
        fieldIndex += 1
        index = 0
      }
      return nil
    }
  }
}

extension HIDReportField {
  /// The number of indices that can have a control.
  ///
  /// In an array, an index has no control if its usage ID is 0 or the bits do not hold its value.
  package var controlCount: Int {
    if isPadding { return 0 }
    return isVariable ? count : min(memberCount, usages.count)
  }

  /// Calls `body` with each index of a usage in this field, in order.
  ///
  /// The index is that of an element, or of a usage in an array.
  func forEachIndex(of usage: UInt32, _ body: (Int) -> Void) {
    let limit = controlCount
    guard limit > 0, isVariable || usage & 0xffff != 0 else { return }
    for range in usages.ranges where range.contains(usage) {
      let index = range.startIndex + Int(usage - range.first)
      if index < limit, isVariable || canHold(member: index) { body(index) }
    }
    // The last usage applies to all elements that have no usage of their own.
    if isVariable, usages.count < count, usages.ranges.last?.last == usage {
      for index in usages.count..<count { body(index) }
    }
  }

  /// Returns how many of the indices in ``forEachIndex(of:_:)`` are less than `end`; O(ranges).
  func indexCount(of usage: UInt32, before end: Int) -> Int {
    let limit = Swift.min(controlCount, end)
    guard limit > 0, isVariable || usage & 0xffff != 0 else { return 0 }
    var number = 0
    for range in usages.ranges where range.contains(usage) {
      let index = range.startIndex + Int(usage - range.first)
      if index < limit, isVariable || canHold(member: index) { number += 1 }
    }
    if isVariable, usages.count < limit, usages.ranges.last?.last == usage {
      number += limit - usages.count
    }
    return number
  }
}

extension HIDReportLayout {
  /// All controls of the report, in order; padding has none.
  public var controls: HIDReportElements { HIDReportElements(layout: self) }

  /// Returns the controls of one field, in order.
  ///
  /// - Parameter field: A field of this report.
  public func controls(of field: HIDReportField) -> [HIDReportElement] {
    (0..<field.controlCount).compactMap { control(field, at: $0) }
  }

  /// Returns the first control with a usage, or `nil` if there is none; O(ranges + elements).
  ///
  /// - Parameter usage: The usage to find.
  public func control(_ usage: HIDUsage) -> HIDReportElement? {
    let extended = usage.extended
    for field in fields {
      var first: Int?
      field.forEachIndex(of: extended) { index in if first == nil { first = index } }
      if let first { return control(field, at: first) }
    }
    return nil
  }

  /// Returns all controls with a usage; O(ranges + found controls).
  ///
  /// - Parameter usage: The usage to find.
  public func controls(_ usage: HIDUsage) -> [HIDReportElement] {
    var found: [HIDReportElement] = []
    for field in fields {
      field.forEachIndex(of: usage.extended) { index in
        if let control = control(field, at: index) { found.append(control) }
      }
    }
    return found
  }

  func control(_ field: HIDReportField, at index: Int) -> HIDReportElement? {
    guard let usage = field.extendedUsage(at: index),
      field.isVariable || usage & 0xffff != 0 && field.canHold(member: index)
    else { return nil }
    return HIDReportElement(
      usage: HIDUsage(extended: usage), type: type, reportID: id, fieldIndex: field.index,
      index: index, isArrayMember: field.isArray)
  }
}

extension HIDReportDescriptor {
  /// Returns all controls with a usage, in the order of the reports.
  ///
  /// - Parameter usage: The usage to find.
  /// - Parameter type: The type of their reports; `nil` for all types.
  public func controls(_ usage: HIDUsage, type: HIDReportType? = nil) -> [HIDReportElement] {
    reports.filter { type == nil || $0.type == type }.flatMap { $0.controls(usage) }
  }

  /// Returns the controls with a name, as in ``name(of:)``; at most one of each type.
  ///
  /// - Parameter name: A usage's name as `HIDUsage.init(name:)` reads it. A suffix `#2` and so on
  ///   selects the second control of that usage among the reports of one type.
  /// - Parameter type: The type of their reports; `nil` for all types.
  /// - Returns: The controls: inputs first, then outputs, then features.
  public func controls(
    named name: some StringProtocol, type: HIDReportType? = nil
  ) -> [HIDReportElement] {
    var name = Substring(name)
    var number = 1
    if let mark = name.lastIndex(of: "#") {
      guard let written = Int(name[mark...].dropFirst()), written >= 1 else { return [] }
      number = written
      name = name[..<mark]
    }
    guard let usage = HIDUsage(name: name) else { return [] }
    return HIDReportType.allCases.compactMap { candidate in
      guard type == nil || candidate == type else { return nil }
      let found = controls(usage, type: candidate)
      return number <= found.count ? found[number - 1] : nil
    }
  }

  /// Returns the name of a control: the name of its usage.
  ///
  /// If a usage occurs more than once among the reports of one type, the second control is named
  /// `genericDesktop.x#2`, and so on. The first keeps the plain name.
  ///
  /// - Parameter control: A control of this descriptor.
  public func name(of control: HIDReportElement) -> String {
    var number = 1
    for report in reports where report.type == control.type {
      let isLast = report.id == control.reportID
      for field in report.fields where !isLast || field.index <= control.fieldIndex {
        let isOwn = isLast && field.index == control.fieldIndex
        number += field.indexCount(
          of: control.usage.extended, before: isOwn ? control.index : .max)
      }
      if isLast { break }
    }
    return number == 1 ? control.usage.name : "\(control.usage.name)#\(number)"
  }

  /// The number of elements of the device, without padding.
  ///
  /// For an array with more usages than elements, the usages in its logical range are counted if
  /// they are more than the elements.
  public var elementCount: Int {
    reports.reduce(0) { sum, report in
      report.fields.reduce(sum) { $0 + ($1.isPadding ? 0 : max($1.count, $1.controlCount)) }
    }
  }
}
