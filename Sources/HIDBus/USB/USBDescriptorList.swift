// SPDX-License-Identifier: Apache-2.0

/// The descriptors in bytes, one after the other, each with its length and type.
///
/// The list ends before a descriptor whose length is below 2, or that is longer than the rest of
/// the bytes.
package struct USBDescriptorList: Sequence, IteratorProtocol, Sendable {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  package mutating func next() -> [UInt8]? {
    guard let length = rest.first, length >= 2, Int(length) <= rest.count else { return nil }
    defer { rest = rest.dropFirst(Int(length)) }
    return Array(rest.prefix(Int(length)))
  }
}
