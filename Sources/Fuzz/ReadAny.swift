// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Any text is taken for one of the formats, and read or refused as such.
@c(LLVMFuzzerTestOneInput)
public func readAny(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkReader(nil, fuzzInput(start, count))
  return 0
}
