// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any text is read or refused as a recording of hid-recorder with report descriptors.
@c(LLVMFuzzerTestOneInput)
public func readRecording(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkReader(.recording, fuzzInput(start, count))
  return 0
}
