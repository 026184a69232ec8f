// SPDX-License-Identifier: Apache-2.0

package import HIDReportDescriptor

/// The relation of a report's length to the length that its device declares.
package enum TraceFitting: Hashable, Sendable {
  /// The report has the declared length.
  case exact
  /// The report has more bytes than declared, and is sent as it is.
  case long
  /// The report has fewer bytes than declared.
  ///
  /// Zeros are added, because the kernel (6.12) would drop the short report.
  case short(declared: Int)
  /// The report is longer than declared, and longer than any bus takes.
  case tooLong(declared: Int)
  /// The device does not declare the report.
  case undeclared

  /// Compares a report with the declared lengths.
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

  /// True if the report can be sent.
  package var isSendable: Bool {
    switch self {
    case .exact, .long, .short: true
    case .tooLong, .undeclared: false
    }
  }
}
