// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any text is read or refused as source in C.
@c(LLVMFuzzerTestOneInput)
public func readC(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkReader(.c, fuzzInput(start, count))
  return 0
}
