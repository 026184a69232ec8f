// SPDX-License-Identifier: Apache-2.0

/// The answer of a device to a request of a host, which gets or sets a report.
///
/// Scripts, programs that drive a device, traces and events all have answers of this type.
public enum HIDRequestAnswer: Hashable, Sendable {
  /// The report that a get request asked for, its ID first if it is numbered.
  case report(HIDReportBytes)
  /// The success of a set request.
  case acknowledged
  /// An error.
  case error
  /// No answer: the host waits until its own timeout. In a trace, no answer is known.
  ///
  /// Where an optional answer is expected, write `HIDRequestAnswer.none`: `.none` alone is nil
  /// there.
  case none

  /// Returns the answer with a report, its ID first if it is numbered.
  public static func report(_ bytes: [UInt8]) -> HIDRequestAnswer { .report(HIDReportBytes(bytes)) }

  /// The report of the answer; nil for another answer than a report.
  public var report: HIDReportBytes? {
    if case .report(let bytes) = self { bytes } else { nil }
  }

  /// The name of the answer in the stream and in the page: `report`, `acknowledged`, `error` or
  /// `none`.
  public var name: String {
    switch self {
    case .report: "report"
    case .acknowledged: "acknowledged"
    case .error: "error"
    case .none: "none"
    }
  }

  /// The words for the answer in the text of an event, such as "answered 01 02".
  package var words: String {
    switch self {
    case .report(let report): "answered \(report)"
    case .acknowledged: "accepted"
    case .error: "refused"
    case .none: "no answer"
    }
  }
}
