// SPDX-License-Identifier: Apache-2.0

/// Puts numbers, text and bytes one after the other.
///
/// Little-endian; lengths before what they measure.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func append(_ value: UInt8) { bytes.append(value) }

  package mutating func append<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
    for index in 0..<Value.bitWidth / 8 {
      bytes.append(UInt8(truncatingIfNeeded: value >> Value(8 * index)))
    }
  }

  /// Appends bytes with their number before them, at most 65,535.
  package mutating func append(counted value: [UInt8]) {
    let cut = value.prefix(Int(UInt16.max))
    append(UInt16(cut.count))
    bytes += cut
  }

  package mutating func append(text: String) { append(counted: Array(text.utf8)) }
  package mutating func append(rest: [UInt8]) { bytes += rest }
}

/// Takes out what ``ByteWriter`` put in; `nil` as soon as something is missing.
package struct ByteReader {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether everything was taken.
  package var isAtEnd: Bool { rest.isEmpty }

  /// What was not taken.
  package var remainder: [UInt8] { Array(rest) }

  package mutating func next<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value? {
    let count = Value.bitWidth / 8
    guard rest.count >= count else { return nil }
    var value: Value = 0
    for (index, byte) in rest.prefix(count).enumerated() {
      value |= Value(byte) << Value(8 * index)
    }
    rest = rest.dropFirst(count)
    return value
  }

  package mutating func nextCounted() -> [UInt8]? {
    guard let count = next(UInt16.self), rest.count >= Int(count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  package mutating func nextText() -> String? {
    nextCounted().flatMap { String(validating: $0, as: UTF8.self) }
  }
}
