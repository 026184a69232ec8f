// SPDX-License-Identifier: Apache-2.0

import HIDText

struct RecorderTraceDecoder: TraceDecoder {
  let devices: [HIDTraceDevice]
  private(set) var warnings = TraceWarnings()

  init(_ source: HIDTraceSource, _ options: HIDTraceReadingOptions) throws(HIDTraceError) {
    throw HIDTraceError(
      HIDTextProblem(file: source.name, location: .start, message: "not read yet"))
  }

  mutating func next() throws(HIDTraceError) -> HIDTraceEvent? { nil }
}

struct RecorderTraceEncoder: TraceEncoder {
  var leftOut: [String: Int] = [:]
  init(_ devices: [HIDTraceDevice]) {}
  mutating func begin(into output: inout [UInt8]) {}
  mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8]) {}
}
