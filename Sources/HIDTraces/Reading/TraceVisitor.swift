// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A receiver of the events of a trace, one after the other.
///
/// Most events are input reports. They are passed as bytes, so that a decoder need not create a
/// ``HIDTraceEvent`` for each.
package protocol TraceVisitor {
  /// True if the visitor takes another event.
  var wantsMore: Bool { get }
  /// Takes an input report.
  ///
  /// - Parameters:
  ///   - report: The report. Valid during the call.
  ///   - device: The index of its device.
  ///   - microseconds: Its timestamp.
  ///   - line: The line of the file, as in ``HIDTraceEvent/line``.
  mutating func input(_ report: Span<UInt8>, device: Int, at microseconds: Int64, line: Int)
  /// Takes an event that is not an input report.
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
  /// Passes events to a visitor while it wants more, and returns whether there may be more.
  package mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    while visitor.wantsMore {
      guard let event = try next() else { return false }
      visitor.take(event)
    }
    return true
  }
}

extension HIDTraceReader {
  /// Passes events to a visitor while it wants more, and returns whether there may be more.
  ///
  /// - Throws: As ``next()`` does.
  package mutating func visit(_ visitor: inout some TraceVisitor) throws(HIDTraceError) -> Bool {
    try decoder.visit(&visitor)
  }
}
