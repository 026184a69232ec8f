// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor
package import HIDUsages

extension HIDReportDescriptor {
  /// Returns the field of a control; `nil` for a usage in an array field.
  package func field(of control: HIDReportElement) -> HIDReportField? {
    guard !control.isArrayMember, let layout = report(control.type, id: control.reportID),
      layout.fields.indices.contains(control.fieldIndex)
    else { return nil }
    return layout.fields[control.fieldIndex]
  }

  /// Returns the range of a control's values; 0 to 1 for a usage in an array field.
  ///
  /// Null values are not in the range, although the control can be set to them.
  package func valueRange(of control: HIDReportElement) -> ClosedRange<Int64> {
    field(of: control)?.valueRange ?? 0...1
  }

  /// Formats a control's value for people: `on` or `off` for a switch, otherwise the number.
  package func shown(_ control: HIDReportElement, _ value: Int64) -> String {
    guard let layout = report(control.type, id: control.reportID), isSwitch(control, in: layout)
    else { return "\(value)" }
    return value == 0 ? "off" : "on"
  }

  /// Finds a control of the reports of a type.
  ///
  /// A name means, in this order: a control that the device file names; one of the usages that the
  /// name is short for; a usage by its whole name.
  ///
  /// - Parameters:
  ///   - name: The name of the control.
  ///   - own: The names of the device file, each with the descriptor's name for the control.
  ///   - usages: The usages that the name is short for.
  ///   - type: The type of the reports.
  package func control(
    named name: String, _ own: [String: String], usages: [HIDUsage], type: HIDReportType
  ) -> HIDReportElement? {
    if let alias = own[name], let found = controls(named: alias, type: type).first { return found }
    for usage in usages {
      if let found = controls(usage, type: type).first { return found }
    }
    return controls(named: name, type: type).first
  }
}
