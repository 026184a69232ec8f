// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming
public import HIDUsages

/// A usage with its place in a report: what can be set and watched.
public struct HIDControl: Hashable, Sendable {
  /// What it is.
  public let usage: HIDUsage
  /// Which way its report goes.
  public let type: HIDReportType
  /// The number of its report; `nil` for an unnumbered one.
  public let reportID: HIDReportID?
  /// The place of its field in ``HIDReportLayout/fields``.
  public let fieldIndex: Int
  /// The place of its element in the field; for an array's member, the value that stands for it less the
  /// logical minimum.
  public let index: Int
  /// Whether it is one of the usages an array field selects from: its value is 1 or 0, selected or not.
  public let isArrayMember: Bool
}

/// The controls of a report, made as they are asked for.
public struct HIDControls: Sequence, Sendable {
  let layout: HIDReportLayout

  /// Starts at the first control.
  public func makeIterator() -> Iterator { Iterator(layout: layout) }

  /// Goes through the elements of variable fields and the usages of array fields.
  public struct Iterator: IteratorProtocol, Sendable {
    fileprivate let layout: HIDReportLayout
    private var fieldIndex = 0
    private var index = 0

    fileprivate init(layout: HIDReportLayout) { self.layout = layout }

    /// The next control, `nil` after the last.
    public mutating func next() -> HIDControl? {
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
  /// The number of controls, before those of usage ID 0 in arrays are left out.
  package var controlCount: Int {
    if isPadding { return 0 }
    return isVariable ? count : min(memberCount, usages.count)
  }

  /// The places in this field of a usage, in order; those of an element, or of an array's member.
  func forEachIndex(of usage: UInt32, _ body: (Int) -> Void) {
    let limit = controlCount
    guard limit > 0, isVariable || usage & 0xffff != 0 else { return }
    for range in usages.ranges where range.contains(usage) {
      let index = range.startIndex + Int(usage - range.first)
      if index < limit, isVariable || canHold(member: index) { body(index) }
    }
    // The last usage serves all the elements that have none of their own.
    if isVariable, usages.count < count, usages.ranges.last?.last == usage {
      for index in usages.count..<count { body(index) }
    }
  }

  /// The number of places of a usage before a place: of those ``forEachIndex(of:_:)`` goes through; O(ranges).
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
  public var controls: HIDControls { HIDControls(layout: self) }

  /// The controls of one field, in order.
  ///
  /// - Parameter field: A field of this report.
  public func controls(of field: HIDReportField) -> [HIDControl] {
    (0..<field.controlCount).compactMap { control(field, at: $0) }
  }

  /// The first control with a usage; O(ranges).
  ///
  /// - Parameter usage: What it is.
  public func control(_ usage: HIDUsage) -> HIDControl? {
    let extended = usage.extended
    for field in fields {
      var first: Int?
      field.forEachIndex(of: extended) { index in if first == nil { first = index } }
      if let first { return control(field, at: first) }
    }
    return nil
  }

  /// All controls with a usage; O(ranges).
  ///
  /// - Parameter usage: What they are.
  public func controls(_ usage: HIDUsage) -> [HIDControl] {
    var found: [HIDControl] = []
    for field in fields {
      field.forEachIndex(of: usage.extended) { index in
        if let control = control(field, at: index) { found.append(control) }
      }
    }
    return found
  }

  func control(_ field: HIDReportField, at index: Int) -> HIDControl? {
    guard let usage = field.extendedUsage(at: index),
      field.isVariable || usage & 0xffff != 0 && field.canHold(member: index)
    else { return nil }
    return HIDControl(
      usage: HIDUsage(extended: usage), type: type, reportID: id, fieldIndex: field.index,
      index: index, isArrayMember: field.isArray)
  }
}

extension HIDReportDescriptor {
  /// All controls with a usage, in the order of the reports.
  ///
  /// - Parameter usage: What they are.
  /// - Parameter type: Which way their reports go; `nil` for all.
  public func controls(_ usage: HIDUsage, type: HIDReportType? = nil) -> [HIDControl] {
    reports.filter { type == nil || $0.type == type }.flatMap { $0.controls(usage) }
  }

  /// The controls with a name, as ``name(of:)`` gives it; at most one of each type.
  ///
  /// - Parameter name: A usage's name as `HIDUsage.init(name:)` reads it, with `#2` and so on for the
  ///   second control of that usage among the reports of one type.
  /// - Parameter type: Which way their reports go; `nil` for all.
  /// - Returns: The controls: inputs first, then outputs, then features.
  public func controls(
    named name: some StringProtocol, type: HIDReportType? = nil
  ) -> [HIDControl] {
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

  /// The name of a control: its usage's name.
  ///
  /// Where a usage occurs more than once among the reports of one type, the second is called
  /// `genericDesktop.x#2`, and so on; the first keeps the plain name.
  ///
  /// - Parameter control: A control of this descriptor.
  public func name(of control: HIDControl) -> String {
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

  /// The number of elements of the device: of all fields that are not padding.
  public var elementCount: Int {
    reports.reduce(0) { sum, report in
      report.fields.reduce(sum) { $0 + ($1.isPadding ? 0 : max($1.count, $1.controlCount)) }
    }
  }
}
