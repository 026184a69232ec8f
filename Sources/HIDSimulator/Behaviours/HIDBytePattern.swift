// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDText

/// A pattern of bytes, such as `01 ?? 03 ...`.
public struct HIDBytePattern: Hashable, Sendable {
  /// The bytes in order; `nil` for any byte.
  public var bytes: [UInt8?]
  /// True if more bytes may follow.
  public var isPrefix: Bool

  /// Creates a pattern from its parts.
  public init(_ bytes: [UInt8?], isPrefix: Bool = false) {
    self.bytes = bytes
    self.isPrefix = isPrefix
  }

  /// Reads the bytes of one word: `04`, `0x04`, `??`, or a run such as `00??04`.
  ///
  /// The result is `nil` for any other word.
  static func bytes(word: some StringProtocol) -> [UInt8?]? {
    if let bytes = HexText.bytes(word: word) { return bytes }
    var rest = Array(word.utf8)[...]
    guard !rest.isEmpty, rest.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8?] = []
    while let high = rest.popFirst(), let low = rest.popFirst() {
      if high == UInt8(ascii: "?"), low == high {
        bytes.append(nil)
      } else if let high = hexDigit(high), let low = hexDigit(low) {
        bytes.append(high << 4 | low)
      } else {
        return nil
      }
    }
    return bytes
  }

  /// Returns whether a report matches the pattern.
  public func matches(_ report: [UInt8]) -> Bool {
    guard isPrefix ? report.count >= bytes.count : report.count == bytes.count else { return false }
    return zip(bytes, report).allSatisfy { $0 == nil || $0 == $1 }
  }

  /// Returns whether the content of a packet matches the pattern.
  ///
  /// Zeros may follow the bytes of the pattern, because they fill a packet up to a whole block.
  func matches(filledUpTo content: [UInt8]) -> Bool {
    guard !isPrefix, bytes.count < content.count else { return matches(content) }
    let zeros = [UInt8?](repeating: 0, count: content.count - bytes.count)
    return Self(bytes + zeros).matches(content)
  }

  /// Returns the pattern of every report with an ID; `nil` stands for unnumbered reports.
  static func anyReport(_ id: HIDReportID?) -> Self {
    guard let id else { return Self([], isPrefix: true) }
    return Self([id.rawValue], isPrefix: true)
  }

  /// Returns whether `pattern` matches every report that `other` matches.
  ///
  /// `nil` is the pattern of any report.
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
