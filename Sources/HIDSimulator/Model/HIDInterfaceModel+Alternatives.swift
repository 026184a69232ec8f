// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The places of the controls that the device file adds.
extension HIDInterfaceModel {
  /// Returns a report in which each added control is where its field says.
  ///
  /// The other bits are those of the report.
  func arranged(_ report: [UInt8], _ key: Key) -> [UInt8] {
    guard !alternatives.isEmpty, let controls = alternatives[key] else { return report }
    var arranged = report
    for control in controls {
      guard let place = place(of: control, in: report) else { continue }
      let field = control.field
      Self.copy(field.bitSize, place, of: report, to: field.bitOffset, in: &arranged, key)
    }
    return arranged
  }

  /// Sets a control in a report, where the control is in that report.
  ///
  /// - Throws: `HIDReportValueError` if the value does not fit; the report is then unchanged.
  func set(
    _ control: HIDReportElement, to value: Int64, _ layout: HIDReportLayout,
    in report: inout [UInt8]
  ) throws(HIDReportValueError) {
    guard let (moved, place) = move(of: control, layout, in: report) else {
      return try layout.set(control, to: value, in: &report)
    }
    let key = Key(type: control.type, id: control.reportID)
    var arranged = report
    try layout.set(control, to: value, in: &arranged)
    let (size, base) = (moved.field.bitSize, moved.field.bitOffset)
    Self.copy(size, base, of: arranged, to: place, in: &report, key)
  }

  /// Returns whether a control is at another place in a report than its field says.
  func isMoved(
    _ control: HIDReportElement, _ layout: HIDReportLayout, in report: [UInt8]
  ) -> Bool {
    move(of: control, layout, in: report) != nil
  }

  private func move(
    of control: HIDReportElement, _ layout: HIDReportLayout, in report: [UInt8]
  ) -> (control: HIDControlAlternatives, bitOffset: Int)? {
    guard !alternatives.isEmpty,
      let moved = alternatives[Key(type: control.type, id: control.reportID)]?
        .first(where: { layout.isField(of: control, $0.field) }),
      let place = place(of: moved, in: report)
    else { return nil }
    return (moved, place)
  }

  /// Returns the first bit of a control in a report; `nil` if it is where its field says.
  private func place(of control: HIDControlAlternatives, in report: [UInt8]) -> Int? {
    let place = control.places.first {
      ($0.bytes?.matches(report) ?? true) && $0.isOfStates && areMet($0.conditions)
    }
    return place.flatMap { $0.bitOffset == control.field.bitOffset ? nil : $0.bitOffset }
  }

  /// Copies bits from one report to another; bits that the first lacks are 0.
  private static func copy(
    _ count: Int, _ source: Int, of report: [UInt8], to target: Int, in copy: inout [UInt8],
    _ key: Key
  ) {
    let base = key.id == nil ? 0 : 8
    for bit in 0..<count {
      let (from, to) = (base + source + bit, base + target + bit)
      guard to / 8 < copy.count else { return }
      let isOn = from / 8 < report.count ? report[from / 8] >> UInt8(from % 8) & 1 : 0
      copy[to / 8] = copy[to / 8] & ~(1 << UInt8(to % 8)) | isOn << UInt8(to % 8)
    }
  }
}

extension HIDReportLayout {
  /// Returns whether a control is that of an added field.
  fileprivate func isField(of control: HIDReportElement, _ added: HIDAddedField) -> Bool {
    fields.indices.contains(control.fieldIndex)
      && fields[control.fieldIndex].bitOffset == added.bitOffset
      && control.usage == added.usage
  }
}
