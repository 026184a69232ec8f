// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDTraces

/// Checks that any text is read or refused as commands of Android's hid program.
@c(LLVMFuzzerTestOneInput)
public func readTraceAndroid(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkTrace(.android, fuzzInput(start, count))
  return 0
}
