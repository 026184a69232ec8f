// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Checks that any text is read or refused as a recording of libinput.
@c(LLVMFuzzerTestOneInput)
public func readTraceLibinput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.libinput, fuzzInput(start, count))
  return 0
}
