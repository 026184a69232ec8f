// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any text is read or refused as items in JSON.
@c(LLVMFuzzerTestOneInput)
public func readItems(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkReader(.items, fuzzInput(start, count))
  return 0
}
