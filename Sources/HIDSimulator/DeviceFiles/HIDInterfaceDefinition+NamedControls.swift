// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor

extension HIDInterfaceDefinition {
  /// A control that the device file names.
  package struct NamedControl {
    package let name: String
    package let control: HIDReportElement
    package let field: HIDReportField
    /// The name of the control's usage, which decoded reports show; nil for bits that the
    /// descriptor does not declare.
    package let usageName: String?
  }

  /// The controls that the device file names, in the order of the reports.
  package var namedControls: [NamedControl] {
    let found = controls.compactMap { name, alias -> NamedControl? in
      guard let control = descriptor.controls(named: alias).first,
        let fields = descriptor.report(control.type, id: control.reportID)?.fields,
        fields.indices.contains(control.fieldIndex)
      else { return nil }
      let isAdded = addedControls.contains(name)
      return NamedControl(
        name: name, control: control, field: fields[control.fieldIndex],
        usageName: isAdded ? nil : descriptor.name(of: control))
    }
    func place(_ named: NamedControl) -> (Int, Int, Int, String) {
      let report = descriptor.reports.firstIndex {
        $0.type == named.control.type && $0.id == named.control.reportID
      }
      return (report ?? 0, named.field.bitOffset, named.control.index, named.name)
    }
    return found.sorted { place($0) < place($1) }
  }
}
