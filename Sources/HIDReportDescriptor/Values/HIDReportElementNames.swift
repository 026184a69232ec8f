// SPDX-License-Identifier: Apache-2.0

/// The names of the controls of one report, numbered once for all of them.
///
/// ``HIDReportDescriptor/name(of:)`` returns the same names, but counts the fields before a control
/// at each call.
public struct HIDReportElementNames: Sendable {
  /// For each field and control, the control's number among those with the same usage, from 1.
  private let numbers: [[Int32]]

  /// Counts the controls with the same usage.
  ///
  /// The time is linear in the controls of the reports up to this one.
  ///
  /// - Parameter layout: The report whose controls need names.
  /// - Parameter descriptor: The descriptor of the report.
  public init(of layout: HIDReportLayout, in descriptor: HIDReportDescriptor) {
    var counts: [UInt32: Int32] = [:]
    for field in layout.fields {
      field.forEachControl { usage, _, _ in counts[usage] = 0 }
    }
    for report in descriptor.reports where report.type == layout.type {
      if report.id == layout.id { break }
      for field in report.fields {
        field.forEachControl { usage, _, count in
          if let before = counts[usage] { counts[usage] = before + Int32(count) }
        }
      }
    }
    numbers = layout.fields.map { field in
      var numbers = [Int32](repeating: 1, count: field.controlCount)
      field.forEachControl { usage, first, count in
        let before = counts[usage] ?? 0
        for index in 0..<count { numbers[first + index] = before + Int32(index) + 1 }
        counts[usage] = before + Int32(count)
      }
      return numbers
    }
  }

  /// Returns the name of a control.
  ///
  /// - Parameter control: A control of the report.
  public func name(of control: HIDReportElement) -> String {
    let isKnown =
      numbers.indices.contains(control.fieldIndex)
      && numbers[control.fieldIndex].indices.contains(control.index)
    let number = isKnown ? numbers[control.fieldIndex][control.index] : 1
    return number == 1 ? control.usage.name : "\(control.usage.name)#\(number)"
  }
}

extension HIDReportField {
  /// Calls `body` for each index with a control, with its usage and the count 1.
  ///
  /// One more call covers all elements without a usage of their own: the last usage, the first of
  /// their indices, and their number.
  fileprivate func forEachControl(_ body: (_ usage: UInt32, _ index: Int, _ count: Int) -> Void) {
    let limit = controlCount
    for range in usages.ranges where range.startIndex < limit {
      for index in range.startIndex..<min(limit, range.startIndex + range.count) {
        let usage = range.usage(at: index)
        guard isVariable || usage & 0xffff != 0 && canHold(member: index) else { continue }
        body(usage, index, 1)
      }
    }
    // The last usage applies to all elements that have no usage of their own.
    if isVariable, usages.count < limit, let last = usages.ranges.last?.last {
      body(last, usages.count, limit - usages.count)
    }
  }
}
