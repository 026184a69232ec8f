// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Any text is read as a recording of umockdev or refused.
@c(LLVMFuzzerTestOneInput)
public func readTraceUmockdev(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.umockdev, fuzzInput(start, count))
  return 0
}
