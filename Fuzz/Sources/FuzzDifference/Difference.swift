// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that two report descriptors differ in both directions or in none, and that the first does
/// not differ from itself.
///
/// The first two bytes are the length of the first descriptor, little-endian.
@c(LLVMFuzzerTestOneInput)
public func compare(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = fuzzInput(start, count)
  guard input.count >= 2 else { return 0 }
  let split = Int(input[0]) | Int(input[1]) << 8
  let rest = input.dropFirst(2)
  guard let first = try? HIDReportDescriptor(parsing: Array(rest.prefix(split))) else { return 0 }
  expect(first.differences(to: first).isEmpty, "it differs from itself")
  let bytes = Array(rest.dropFirst(split))
  guard let second = try? HIDReportDescriptor(parsing: bytes) else { return 0 }
  let there = first.differences(to: second)
  let back = second.differences(to: first)
  expect(there.isEmpty == back.isEmpty, "there \(there), and back \(back)")
  for difference in there {
    expect(!difference.description.isEmpty, "a difference without words")
    for aspect in difference.aspects {
      expect(aspect.before != aspect.after, "\(difference): \(aspect.name) is the same")
    }
  }
  return 0
}
