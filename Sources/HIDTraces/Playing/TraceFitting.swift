// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
package import HIDWire

/// How a report of a trace goes with what its device declares.
package enum TraceFitting: Hashable, Sendable {
  /// As declared.
  case exact
  /// More bytes than declared, which is sent as it is.
  case long
  /// Fewer bytes than declared: zeros are added, since the kernel would drop it (6.12).
  case short(declared: Int)
  /// Longer than declared, and than what any bus takes of that.
  case tooLong(declared: Int)
  /// Not declared at all.
  case undeclared

  /// Finds out how a report can be sent.
  @inline(__always)
  package init(_ report: Span<UInt8>, _ lengths: HIDReportLengths) {
    if lengths.isAsDeclared(report) { self = .exact } else { self.init(odd: report, lengths) }
  }

  private init(odd report: Span<UInt8>, _ lengths: HIDReportLengths) {
    let isNumbered = lengths.isNumbered(.input)
    let id = isNumbered && !report.isEmpty ? HIDReportID(rawValue: report[0]) : nil
    guard let declared = lengths.byteCount(.input, id) else {
      self = .undeclared
      return
    }
    switch report.count {
    case declared: self = .exact
    case ..<declared: self = .short(declared: declared)
    case ...HIDReportDescriptor.uhidMaximumReportByteCount: self = .long
    default: self = .tooLong(declared: declared)
    }
  }

  /// Whether it can be sent.
  package var isSendable: Bool {
    switch self {
    case .exact, .long, .short: true
    case .tooLong, .undeclared: false
    }
  }
}
