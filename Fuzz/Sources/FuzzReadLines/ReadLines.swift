// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any text is read or refused as items in the words of HID 1.11.
@c(LLVMFuzzerTestOneInput)
public func readLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkReader(.lines, fuzzInput(start, count))
  return 0
}
