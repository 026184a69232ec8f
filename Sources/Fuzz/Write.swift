// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Any bytes can be written in each format, and are the same when they are read again.
@c(LLVMFuzzerTestOneInput)
public func writeTexts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  for format in HIDDescriptorFormat.allCases { checkWriting(bytes, as: format) }
  return 0
}
