// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any text is read or refused as a text of the format that is detected.
@c(LLVMFuzzerTestOneInput)
public func readAny(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkReader(nil, fuzzInput(start, count))
  return 0
}
