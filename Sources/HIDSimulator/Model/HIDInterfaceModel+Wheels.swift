// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
internal import HIDUsages

extension HIDInterfaceModel {
  /// Returns the value of a wheel for one detent: 1, unless a host has set a Resolution Multiplier.
  ///
  /// A multiplier is a feature in the same logical collection, or in the same top-level collection
  /// if it is in no logical one. Its physical value is the value of a detent. Source: HUT 1.4,
  /// section 4.3.1.
  ///
  /// - Parameter wheel: The control of a wheel.
  package func detentValue(of wheel: HIDReportElement) -> Int64 {
    let descriptor = definition.descriptor
    guard let layout = descriptor.report(wheel.type, id: wheel.reportID),
      layout.fields.indices.contains(wheel.fieldIndex)
    else { return 1 }
    let around = collections(around: layout.fields[wheel.fieldIndex])
    for multiplier in descriptor.controls(.genericDesktop(.resolutionMultiplier), type: .feature) {
      guard let report = descriptor.report(.feature, id: multiplier.reportID),
        report.fields.indices.contains(multiplier.fieldIndex)
      else { continue }
      let field = report.fields[multiplier.fieldIndex]
      let outer = collections(around: field)
      let shared = outer.first { descriptor.collections[$0].kind == .logical } ?? outer.last
      guard let shared, around.contains(shared), let value = value(of: multiplier) else {
        continue
      }
      return max(1, physical(value, of: field))
    }
    return 1
  }

  /// Returns the indices of the collections around a field, innermost first.
  private func collections(around field: HIDReportField) -> [Int] {
    Array(
      sequence(state: field.collection) { next in
        defer { next = next.flatMap { definition.descriptor.collections[$0].parent } }
        return next
      })
  }

  /// Returns the physical value of a logical one, which is the same if the field has no physical
  /// range.
  private func physical(_ value: Int64, of field: HIDReportField) -> Int64 {
    let logical = field.logicalMaximum - field.logicalMinimum
    let physical = field.physicalMaximum - field.physicalMinimum
    guard logical > 0, physical > 0, field.valueRange.contains(value) else { return value }
    // Both ranges can have 32 bits.
    let product = (value - field.logicalMinimum).multipliedFullWidth(by: physical)
    return field.physicalMinimum + logical.dividingFullWidth(product).quotient
  }
}
