// SPDX-License-Identifier: Apache-2.0

/// A buffer to which numbers, text and bytes are appended.
///
/// Numbers are little-endian. Text and counted bytes follow their length in bytes, of 16 bits.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func append(_ value: UInt8) { bytes.append(value) }

  @inlinable
  package mutating func append<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
    append(UInt64(truncatingIfNeeded: value), byteCount: Value.bitWidth / 8)
  }

  @usableFromInline
  mutating func append(_ value: UInt64, byteCount: Int) {
    for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }

  /// Appends bytes after their count; bytes beyond 65,535 are left out.
  package mutating func append(counted value: [UInt8]) {
    let cut = value.prefix(Int(UInt16.max))
    append(UInt16(cut.count))
    bytes += cut
  }

  package mutating func append(text: String) { append(counted: Array(text.utf8)) }
  package mutating func append(rest: [UInt8]) { bytes += rest }

  /// Appends a byte that is 1 if there is a text, else 0; then the text, empty if there is none.
  package mutating func append(optional text: String?) {
    append(UInt8(text == nil ? 0 : 1))
    append(text: text ?? "")
  }
}

/// A reader of the bytes that a ``ByteWriter`` wrote.
///
/// Its methods return `nil` if bytes are missing or not valid.
package struct ByteReader {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// True if everything was read.
  package var isAtEnd: Bool { rest.isEmpty }

  /// The bytes that were not read.
  package var remainder: [UInt8] { Array(rest) }

  @inlinable
  package mutating func next<Value: FixedWidthInteger & UnsignedInteger>(_: Value.Type) -> Value? {
    next(byteCount: Value.bitWidth / 8).map { Value(truncatingIfNeeded: $0) }
  }

  @usableFromInline
  mutating func next(byteCount: Int) -> UInt64? {
    guard rest.count >= byteCount else { return nil }
    var value: UInt64 = 0
    for index in 0..<byteCount { value |= UInt64(rest[rest.startIndex + index]) << (8 * index) }
    rest = rest.dropFirst(byteCount)
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

  /// Reads an optional text; `nil` if bytes are missing or not valid.
  package mutating func nextOptional() -> (text: String?, Void)? {
    guard let isThere = next(UInt8.self), isThere <= 1, let text = nextText() else { return nil }
    return (isThere == 1 ? text : nil, ())
  }
}
