// SPDX-License-Identifier: Apache-2.0

struct AndroidTraceEncoder: TraceEncoder {
  var leftOut: [String: Int] = [:]
  init(_ devices: [HIDTraceDevice]) {}
  mutating func begin(into output: inout [UInt8]) {}
  mutating func write(_ event: HIDTraceEvent, into output: inout [UInt8]) {}
}
