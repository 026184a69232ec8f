// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any text is read or refused as bytes in hex, alone or beside words.
@c(LLVMFuzzerTestOneInput)
public func readHex(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  for format in [HIDDescriptorFormat.hex, .text, .tree, .debugfs] { checkReader(format, bytes) }
  return 0
}
