// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The bytes of a descriptor while its text is read, with their locations.
struct DescriptorBytes {
  private(set) var bytes: [UInt8] = []
  private(set) var places = HIDDescriptorPlaces()

  mutating func append(
    _ more: some Collection<UInt8>, at location: HIDTextLocation, of scanner: TextScanner
  ) throws(HIDTextProblem) {
    guard bytes.count + more.count <= HIDDescriptorText.maximumDescriptorByteCount else {
      throw scanner.problem(HIDDescriptorText.tooLongMessage, at: location)
    }
    guard !more.isEmpty else { return }
    places.add(bytes.count, location)
    bytes += more
  }
}

extension TextScanner {
  /// Skips a comment of any kind: `//`, `#` and `;` to the end of the line, `/* … */`.
  ///
  /// - Returns: True if there was a comment.
  mutating func skipComment() throws(HIDTextProblem) -> Bool {
    switch byte {
    case 0x23, 0x3b: skipLine()
    case 0x2f where peek(1) == 0x2f: skipLine()
    default: return try skipBlockComment()
    }
    return true
  }
}
