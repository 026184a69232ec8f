// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// The name and the value of a control, for display.
public struct HIDNamedValue: Hashable, Sendable, CustomStringConvertible {
  /// The control's name: `led.capsLock`, `button 1`, `genericDesktop.x`.
  public let name: String
  /// The logical value; for a usage in an array, 1 if selected, else 0.
  public let value: Int64
  /// True if the value means on or off: see ``HIDReportDescriptor/isSwitch(_:in:)``.
  public let isSwitch: Bool

  /// Creates a pair of a name and a value.
  public init(name: String, value: Int64, isSwitch: Bool) {
    self.name = name
    self.value = value
    self.isSwitch = isSwitch
  }

  /// The name and the value: `led.capsLock on`, `genericDesktop.x -5`.
  public var description: String {
    isSwitch ? "\(name) \(value == 0 ? "off" : "on")" : "\(name) \(value)"
  }
}

extension HIDReportDescriptor {
  /// Returns the differences between a report and the report before it, by name.
  ///
  /// The result is empty if the descriptor does not declare the report.
  ///
  /// - Parameters:
  ///   - type: The type of both reports.
  ///   - previous: The report before, on the wire; `nil` for one in which all values are 0 and no
  ///     usage is selected.
  ///   - report: The report, on the wire.
  public func namedChanges(
    _ type: HIDReportType, from previous: [UInt8]?, to report: [UInt8]
  ) -> [HIDNamedValue] {
    guard let layout = self.report(type, of: report) else { return [] }
    return layout.changes(from: previous, to: report).map { change in
      HIDNamedValue(
        name: name(of: change.control), value: change.value,
        isSwitch: isSwitch(change.control, in: layout))
    }
  }

  /// Returns whether a control of a report is a usage of an array, or absolute with range 0 to 1.
  public func isSwitch(_ control: HIDReportElement, in layout: HIDReportLayout) -> Bool {
    if control.isArrayMember { return true }
    guard layout.fields.indices.contains(control.fieldIndex) else { return false }
    let field = layout.fields[control.fieldIndex]
    return !field.isRelative && field.logicalMinimum == 0 && field.logicalMaximum == 1
  }
}
