// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The bytes of one report; up to 64 bytes need no allocation.
///
/// The source of the bytes defines whether the first one is a report ID. The bytes are in the order
/// in which they are transmitted: values are little-endian, least significant bit first.
public struct HIDReportBytes: Sendable {
  /// The maximum number of bytes that are held inline.
  @inlinable public static var inlineCapacity: Int { 64 }

  @usableFromInline package var inline: InlineArray<64, UInt8>
  @usableFromInline package var overflow: [UInt8]?  // all bytes, if there are more than 64

  @usableFromInline package var length: Int

  /// The number of bytes.
  @inlinable public var count: Int { length }

  /// Copies bytes.
  public init(copying bytes: Span<UInt8>) {
    length = bytes.count
    inline = InlineArray(repeating: 0)
    if bytes.count <= Self.inlineCapacity {
      var target = inline.mutableSpan
      unsafe target.withUnsafeMutableBytes { target in
        unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      }
    } else {
      var all: [UInt8] = []
      all.append(copying: bytes)
      overflow = all
    }
  }

  /// Copies bytes.
  public init(_ bytes: [UInt8]) { self.init(copying: bytes.span) }

  /// Makes the bytes of an inline array.
  ///
  /// - Parameters:
  ///   - inline: The bytes, followed by zeros.
  ///   - count: The number of bytes: at most 64.
  public init(inline: InlineArray<64, UInt8>, count: Int) {
    precondition(count <= Self.inlineCapacity)
    self.inline = inline
    length = count
  }

  /// Makes an empty report.
  public init() {
    inline = InlineArray(repeating: 0)
    length = 0
  }

  /// The byte at `index`, counted from 0.
  @inlinable
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "index out of range")
    if length <= Self.inlineCapacity { return inline[index] }
    return overflow.map { $0[index] } ?? 0
  }

  /// The first byte; `nil` if there is none.
  public var first: UInt8? { count > 0 ? self[0] : nil }

  /// Calls `body` with the bytes, and returns its result.
  public func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let overflow { return try body(overflow.span) }
    return try body(inline.span.extracting(first: count))
  }

  /// Returns the bytes without the first `dropped` ones.
  public func droppingFirst(_ dropped: Int) -> HIDReportBytes {
    guard dropped > 0 else { return self }
    return withSpan { HIDReportBytes(copying: $0.extracting(droppingFirst: dropped)) }
  }
}

extension HIDReportBytes: Hashable {
  /// Returns whether two reports have the same bytes.
  public static func == (first: HIDReportBytes, second: HIDReportBytes) -> Bool {
    guard first.count == second.count else { return false }
    return first.withSpan { one in
      second.withSpan { other in one.indices.allSatisfy { one[$0] == other[$0] } }
    }
  }

  /// Feeds the bytes to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    withSpan { for index in $0.indices { hasher.combine($0[index]) } }
  }
}

extension HIDReportBytes: CustomStringConvertible {
  /// The bytes in lower-case hex, separated by spaces.
  public var description: String { Array(self).hexText }
}

extension Array where Element == UInt8 {
  /// Copies the bytes of a report.
  public init(_ bytes: HIDReportBytes) {
    // The initializer below would write to the storage that all empty arrays share (Swift 6.3).
    guard bytes.count > 0 else {
      self = []
      return
    }
    self = bytes.withSpan { span in
      unsafe [UInt8](unsafeUninitializedCapacity: span.count) { buffer, initialized in
        for index in span.indices { unsafe buffer.initializeElement(at: index, to: span[index]) }
        initialized = span.count
      }
    }
  }

  /// The bytes in lower-case hex, separated by spaces: `01 00 ff`.
  public var hexText: String { HIDText.hexText(self) }
}
