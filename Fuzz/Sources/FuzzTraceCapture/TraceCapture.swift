// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Checks that any bytes are read or refused as a capture of USB packets.
@c(LLVMFuzzerTestOneInput)
public func traceCapture(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.usb, fuzzInput(start, count))
  return 0
}
