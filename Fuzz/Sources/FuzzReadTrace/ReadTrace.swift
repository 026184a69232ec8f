// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Checks that any text is read or refused as a trace of hid-recorder, and written again.
@c(LLVMFuzzerTestOneInput)
public func readTrace(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.recorder, fuzzInput(start, count))
  return 0
}
