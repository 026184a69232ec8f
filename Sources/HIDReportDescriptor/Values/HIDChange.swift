// SPDX-License-Identifier: Apache-2.0

import HIDUsageNaming
public import HIDUsages

/// What a report says that the one before it did not.
public struct HIDChange: Hashable, Sendable {
  /// What changed.
  public let control: HIDControl
  /// The value before; 0 for a control that is relative, and where there was no report before.
  public let previous: Int64
  /// The value now: a logical value, or 1 and 0 for usages that an array selects or no longer does.
  public let value: Int64

  /// The usage of the control.
  public var usage: HIDUsage { control.usage }
}

extension HIDReportLayout {
  /// What a report changes; see ``HIDReportDecoder/forEachChange(from:to:_:)``, which needs no array.
  ///
  /// - Parameter previous: The report before, on the wire, or `nil`.
  /// - Parameter report: The report, on the wire.
  public func changes(from previous: [UInt8]?, to report: [UInt8]) -> [HIDChange] {
    var changes: [HIDChange] = []
    let decoder = HIDReportDecoder(self)
    let body = { (control: HIDControl, previous: Int64, value: Int64) in
      changes.append(HIDChange(control: control, previous: previous, value: value))
    }
    if let previous {
      decoder.forEachChange(from: previous.span, to: report.span, body)
    } else {
      decoder.forEachChange(from: nil, to: report.span, body)
    }
    return changes
  }

  /// Whether a keyboard says with this report that too many keys are down to tell which.
  ///
  /// - Parameter report: The report, on the wire.
  ///
  /// Source: HID Usage Tables 1.4, page 0x07, usage 0x01, ErrorRollOver.
  public func isRollOver(_ report: [UInt8]) -> Bool {
    HIDReportDecoder(self).isRollOver(report.span)
  }
}
