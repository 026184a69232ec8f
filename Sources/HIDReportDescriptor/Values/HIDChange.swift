// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// A difference between a report and the report before it.
public struct HIDChange: Hashable, Sendable {
  /// The control whose value changed.
  public let control: HIDReportElement
  /// The value in the report before; 0 if there is no such report or it does not have the value.
  ///
  /// It is also 0 for a relative control, unless the control is a usage in an array.
  public let previous: Int64
  /// The new value: a logical value, or for a usage in an array 1 if it is selected now, else 0.
  public let value: Int64

  /// The usage of the control.
  public var usage: HIDUsage { control.usage }
}

extension HIDReportLayout {
  /// Returns the changes that a report makes.
  ///
  /// ``HIDReportDecoder/forEachChange(from:to:_:)`` does the same without an array.
  ///
  /// - Parameter previous: The report before, on the wire; `nil` for one in which all values are 0
  ///   and no usage is selected.
  /// - Parameter report: The report, on the wire.
  public func changes(from previous: [UInt8]?, to report: [UInt8]) -> [HIDChange] {
    var changes: [HIDChange] = []
    let decoder = HIDReportDecoder(self)
    let body = { (control: HIDReportElement, previous: Int64, value: Int64) in
      changes.append(HIDChange(control: control, previous: previous, value: value))
    }
    if let previous {
      decoder.forEachChange(from: previous.span, to: report.span, body)
    } else {
      decoder.forEachChange(from: nil, to: report.span, body)
    }
    return changes
  }

  /// Returns whether an array of a report contains ErrorRollOver: too many keys are down for the
  /// keyboard to identify them.
  ///
  /// - Parameter report: The report, on the wire.
  ///
  /// Source: HID Usage Tables 1.4, page 0x07, usage 0x01, ErrorRollOver.
  public func isRollOver(_ report: [UInt8]) -> Bool {
    HIDReportDecoder(self).isRollOver(report.span)
  }
}
