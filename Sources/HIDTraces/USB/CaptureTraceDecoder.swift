// SPDX-License-Identifier: Apache-2.0

import HIDText

struct CaptureTraceDecoder: TraceDecoder {
  let devices: [HIDTraceDevice]
  private(set) var warnings = TraceWarnings()

  /// Whether bytes begin as such a trace does.
  static func isCapture(_ start: [UInt8]) -> Bool { false }

  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    throw HIDTraceError(
      HIDTextProblem(file: source.name, location: .start, message: "not read yet"))
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? { nil }
}
