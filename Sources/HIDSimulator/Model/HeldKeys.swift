// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The pressed keys of a keyboard when they are more than its report has room for.
///
/// The report then has ErrorRollOver in every slot of the array until the remaining keys fit again.
///
/// Source: HID 1.11, appendix C; HID Usage Tables 1.4, page 0x07, usage 0x01.
struct HeldKeys: Sendable {
  private struct Place: Hashable, Sendable {
    let reportID: HIDReportID?
    let fieldIndex: Int
  }

  /// The pressed keys in order, for each array that has not enough room for all of them.
  private var surplus: [Place: [HIDReportElement]] = [:]

  /// Sets a control of an input report, with ErrorRollOver for keys that do not fit into their
  /// array.
  ///
  /// - Throws: `HIDReportValueError`, as `HIDReportLayout.set` does; `arrayFull` only for an array
  ///   without ErrorRollOver.
  mutating func set(
    _ control: HIDReportElement, to value: Int64, _ layout: HIDReportLayout,
    in report: inout [UInt8]
  ) throws(HIDReportValueError) {
    let place = Place(reportID: control.reportID, fieldIndex: control.fieldIndex)
    if surplus[place] == nil {
      do throws(HIDReportValueError) {
        return try layout.set(control, to: value, in: &report)
      } catch {
        guard case .arrayFull = error, Self.rollOver(of: control, layout) != nil else {
          throw error
        }
      }
    }
    // An array with surplus keys always has ErrorRollOver.
    guard let rollOver = Self.rollOver(of: control, layout) else { return }
    if let range = layout.settableRange(of: control), !range.contains(value) {
      throw .valueOutOfRange(control.usage, value: value, range: range)
    }
    var keys = surplus[place] ?? Self.selected(place.fieldIndex, layout, report)
    let isHeld = keys.contains(control)
    if value == 0 { keys.removeAll { $0 == control } } else if !isHeld { keys.append(control) }
    let room = layout.fields[place.fieldIndex].count
    surplus[place] = keys.count > room ? keys : nil
    Self.clear(place.fieldIndex, layout, in: &report)
    if keys.count > room {
      Self.fill(with: rollOver, layout, in: &report)
    } else {
      for key in keys { try layout.set(key, to: 1, in: &report) }
    }
  }

  /// Forgets the pressed keys of each array that has no ErrorRollOver in a report.
  ///
  /// Another source has made such a report: ``set(_:to:_:in:)`` fills these arrays with
  /// ErrorRollOver.
  mutating func note(_ report: [UInt8], _ layout: HIDReportLayout) {
    guard !surplus.isEmpty else { return }
    for (place, keys) in surplus where place.reportID == layout.id {
      guard let key = keys.first, let rollOver = Self.rollOver(of: key, layout) else { continue }
      let field = layout.fields[place.fieldIndex]
      let first = field.value(at: 0, in: Array(report.dropFirst(layout.payloadOffset)))
      if first != field.logicalMinimum + Int64(rollOver.index) { surplus[place] = nil }
    }
  }

  /// Returns the ErrorRollOver control in the array of a key; nil if there is none.
  private static func rollOver(of key: HIDReportElement, _ layout: HIDReportLayout)
    -> HIDReportElement?
  {
    guard key.isArrayMember else { return nil }
    return layout.controls.first {
      $0.fieldIndex == key.fieldIndex && $0.usage == HIDUsage(page: 0x07, usage: 0x01)
    }
  }

  private static func selected(
    _ fieldIndex: Int, _ layout: HIDReportLayout, _ report: [UInt8]
  ) -> [HIDReportElement] {
    let field = layout.fields[fieldIndex]
    let payload = Array(report.dropFirst(layout.payloadOffset))
    let controls = layout.controls.filter { $0.fieldIndex == fieldIndex }
    return (0..<field.count).compactMap { slot in
      let value = field.value(at: slot, in: payload)
      return controls.first { value == field.logicalMinimum + Int64($0.index) }
    }
  }

  private static func clear(
    _ fieldIndex: Int, _ layout: HIDReportLayout, in report: inout [UInt8]
  ) {
    for key in selected(fieldIndex, layout, report) { layout.reset(key, in: &report) }
  }

  private static func fill(
    with control: HIDReportElement, _ layout: HIDReportLayout, in report: inout [UInt8]
  ) {
    let field = layout.fields[control.fieldIndex]
    var payload = Array(report.dropFirst(layout.payloadOffset))
    for slot in 0..<field.count {
      field.setValue(field.logicalMinimum + Int64(control.index), at: slot, in: &payload)
    }
    report = Array(report.prefix(layout.payloadOffset)) + payload
  }
}
