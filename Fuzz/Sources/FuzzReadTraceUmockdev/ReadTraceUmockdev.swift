// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Checks that any text is read or refused as a recording of umockdev.
@c(LLVMFuzzerTestOneInput)
public func readTraceUmockdev(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.umockdev, fuzzInput(start, count))
  return 0
}
