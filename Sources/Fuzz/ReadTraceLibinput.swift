// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Any text is read as a recording of libinput or refused.
@c(LLVMFuzzerTestOneInput)
public func readTraceLibinput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.libinput, fuzzInput(start, count))
  return 0
}
