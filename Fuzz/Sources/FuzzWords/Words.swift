// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any words, one item a line, are read, or refused with an explanation and without
/// bytes.
@c(LLVMFuzzerTestOneInput)
public func readWords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: fuzzInput(start, count), as: UTF8.self)
  var builder = HIDReportDescriptorBuilder()
  for line in text.split(separator: "\n").prefix(64) {
    let words = line.split(separator: " ").map(String.init)
    guard let name = words.first else { continue }
    let before = builder.bytes
    do {
      try builder.append(name: name, values: words.dropFirst().map { .word($0) })
      let item = Array(builder.bytes.dropFirst(before.count))
      expect(builder.bytes.starts(with: before), "earlier bytes changed")
      expect((try? HIDItem.decodeAll(item))?.map(\.tag) == [HIDItemTag(name: name)], "\(item)")
    } catch {
      expect(builder.bytes == before, "bytes of what was refused")
      expect(!error.description.isEmpty, "an error without words")
    }
    checkUsage(words.last ?? "")
  }
  return 0
}

/// Checks that a name that is read leads back to its usage.
private func checkUsage(_ word: String) {
  guard let usage = HIDUsage(name: word) else { return }
  expect(HIDUsage(name: usage.name) == usage, "\(word) is \(usage.name), which is another")
}
