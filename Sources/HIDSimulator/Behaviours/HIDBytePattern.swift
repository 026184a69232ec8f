// SPDX-License-Identifier: Apache-2.0

import IOLoop

/// Which bytes are meant: `01 ?? 03 ...`.
public struct HIDBytePattern: Hashable, Sendable {
  /// The bytes in order; `nil` for any byte.
  public var bytes: [UInt8?]
  /// Whether more bytes may follow.
  public var isPrefix: Bool

  /// Creates a pattern from its parts.
  public init(_ bytes: [UInt8?], isPrefix: Bool = false) {
    self.bytes = bytes
    self.isPrefix = isPrefix
  }

  /// Whether some bytes match.
  public func matches(_ report: [UInt8]) -> Bool {
    guard isPrefix ? report.count >= bytes.count : report.count == bytes.count else { return false }
    return zip(bytes, report).allSatisfy { $0 == nil || $0 == $1 }
  }

  /// Whether every report that matches a pattern matches another; `nil` is the pattern of any report.
  static func covers(_ pattern: Self?, _ other: Self?) -> Bool {
    guard let pattern else { return true }
    guard let other else { return pattern.isPrefix && pattern.bytes.isEmpty }
    guard
      pattern.isPrefix
        ? pattern.bytes.count <= other.bytes.count
        : !other.isPrefix && pattern.bytes.count == other.bytes.count
    else { return false }
    return zip(pattern.bytes, other.bytes).allSatisfy { $0 == nil || $0 == $1 }
  }
}

extension HIDBytePattern: CustomStringConvertible {
  /// The pattern as it is written: `01 ?? 03 ...`.
  public var description: String {
    (bytes.map { $0.map { [$0].hexText } ?? "??" } + (isPrefix ? ["..."] : [])).joined(
      separator: " ")
  }
}
