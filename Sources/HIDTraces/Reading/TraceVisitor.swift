// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// Who takes the events of a trace, one after the other.
///
/// Input reports, which most events are, come as bytes: of a million of them no value each is made.
package protocol TraceVisitor {
  /// Whether another event is to come.
  var wantsMore: Bool { get }
  /// Takes an input report.
  ///
  /// - Parameters:
  ///   - report: The report. Valid during the call.
  ///   - device: The place of its device.
  ///   - microseconds: Its stamp.
  ///   - line: The line of the file, as in ``HIDTraceEvent/line``.
  mutating func input(_ report: Span<UInt8>, device: Int, at microseconds: Int64, line: Int)
  /// Takes an event that is no input report.
  mutating func event(_ event: HIDTraceEvent)
}

extension TraceVisitor {
  /// Takes any event.
  package mutating func take(_ event: HIDTraceEvent) {
    guard case .input(let report) = event.kind else { return self.event(event) }
    report.withSpan {
      input($0, device: event.device, at: event.microseconds, line: event.line)
    }
  }
}

extension TraceDecoder {
  /// Hands events to a visitor for as long as it wants more, and says whether there may be more.
  package mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    while visitor.wantsMore {
      guard let event = try next() else { return false }
      visitor.take(event)
    }
    return true
  }
}

extension HIDTraceReader {
  /// Hands the next events to a visitor for as long as it wants more, and says whether there may be more.
  ///
  /// - Throws: As ``next()`` does.
  package mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    try decoder.visit(&visitor)
  }
}
