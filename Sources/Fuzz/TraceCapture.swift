// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Any bytes are read as a capture of USB packets or refused.
@c(LLVMFuzzerTestOneInput)
public func traceCapture(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.usb, fuzzInput(start, count))
  return 0
}
