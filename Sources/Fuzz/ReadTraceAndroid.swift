// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Any text is read as commands of Android's hid program or refused.
@c(LLVMFuzzerTestOneInput)
public func readTraceAndroid(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.android, fuzzInput(start, count))
  return 0
}
