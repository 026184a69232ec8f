// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Any text is read as a trace of hid-recorder or refused, and what is read is written again.
@c(LLVMFuzzerTestOneInput)
public func readTrace(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.recorder, fuzzInput(start, count))
  return 0
}
