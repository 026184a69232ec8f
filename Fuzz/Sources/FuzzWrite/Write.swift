// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any bytes can be written in each format, and are the same when read again.
@c(LLVMFuzzerTestOneInput)
public func writeTexts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  for format in HIDDescriptorFormat.allCases { checkWriting(bytes, as: format) }
  return 0
}
