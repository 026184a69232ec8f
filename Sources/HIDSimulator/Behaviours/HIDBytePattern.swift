// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDText

/// A pattern of bytes, such as `01 ?? 0? 80/c0 ...`.
public struct HIDBytePattern: Hashable, Sendable {
  /// The pattern of one byte.
  public struct Byte: Hashable, Sendable {
    /// The values of the bits in ``mask``; the others are 0.
    public let value: UInt8
    /// The bits that are compared.
    public let mask: UInt8

    /// Creates the pattern of the bytes whose bits in `mask` are those of `value`.
    public init(_ value: UInt8, mask: UInt8 = 0xFF) {
      self.value = value & mask
      self.mask = mask
    }

    /// The pattern of any byte.
    public static let any = Byte(0, mask: 0)

    /// Returns whether a byte matches.
    public func matches(_ byte: UInt8) -> Bool { byte & mask == value }

    /// Returns whether each byte that the other pattern matches matches this one.
    func covers(_ other: Byte) -> Bool { other.mask & mask == mask && other.value & mask == value }
  }

  /// The patterns of the bytes, in order.
  public var bytes: [Byte]
  /// True if more bytes may follow.
  public var isPrefix: Bool

  /// Creates a pattern from the patterns of its bytes.
  public init(bytes: [Byte], isPrefix: Bool = false) {
    self.bytes = bytes
    self.isPrefix = isPrefix
  }

  /// Creates a pattern from its bytes; `nil` is any byte.
  public init(_ bytes: [UInt8?], isPrefix: Bool = false) {
    self.init(bytes: bytes.map { $0.map { Byte($0) } ?? .any }, isPrefix: isPrefix)
  }

  /// The forms of bytes in a pattern, for messages.
  package static let help =
    "two digits a byte, ? for any digit, 80/c0 for a value under a mask, ... at the end for any "
    + "further bytes"

  /// Reads the bytes of one word: `04`, `0x04`, `??`, `0?`, a run such as `00??04`, or a value and
  /// its mask, `80/c0`.
  ///
  /// The result is `nil` for any other word.
  package static func bytes(word: some StringProtocol) -> [Byte]? {
    if let bytes = HexText.bytes(word: word) { return bytes.map { Byte($0) } }
    let parts = word.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let value = HexText.bytes(word: parts[0]), let mask = HexText.bytes(word: parts[1]),
        value.count == 1, mask.count == 1, value[0] & ~mask[0] == 0
      else { return nil }
      return [Byte(value[0], mask: mask[0])]
    }
    var rest = Array(word.utf8)[...]
    guard !rest.isEmpty, rest.count.isMultiple(of: 2) else { return nil }
    var bytes: [Byte] = []
    while let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) {
      bytes.append(Byte(high.value << 4 | low.value, mask: high.mask << 4 | low.mask))
    }
    return rest.isEmpty && bytes.count * 2 == word.utf8.count ? bytes : nil
  }

  /// Returns the value and the mask of a digit or a question mark; nil for another character.
  private static func digit(_ character: UInt8) -> (value: UInt8, mask: UInt8)? {
    if character == UInt8(ascii: "?") { return (0, 0) }
    return hexDigit(character).map { ($0, 0xF) }
  }

  /// Returns whether a report matches the pattern.
  public func matches(_ report: [UInt8]) -> Bool {
    guard isPrefix ? report.count >= bytes.count : report.count == bytes.count else { return false }
    return zip(bytes, report).allSatisfy { $0.matches($1) }
  }

  /// Returns whether the content of a packet matches the pattern.
  ///
  /// Zeros may follow the bytes of the pattern, because they fill a packet up to a whole block.
  package func matches(filledUpTo content: [UInt8]) -> Bool {
    guard !isPrefix, bytes.count < content.count else { return matches(content) }
    let zeros = [Byte](repeating: Byte(0), count: content.count - bytes.count)
    return Self(bytes: bytes + zeros).matches(content)
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
    return zip(pattern.bytes, other.bytes).allSatisfy { $0.covers($1) }
  }
}

extension HIDBytePattern: CustomStringConvertible {
  /// The pattern as it is written: `01 ?? 03 ...`.
  public var description: String {
    (bytes.map { "\($0)" } + (isPrefix ? ["..."] : [])).joined(separator: " ")
  }
}

extension HIDBytePattern.Byte: CustomStringConvertible {
  /// The byte as it is written: `04`, `??`, `0?` or `80/c0`.
  public var description: String {
    let digits = Array([value].hexText)
    func digit(_ index: Int, _ mask: UInt8) -> Character? {
      mask == 0xF ? digits[index] : mask == 0 ? "?" : nil
    }
    guard let high = digit(0, mask >> 4), let low = digit(1, mask & 0xF) else {
      return "\([value].hexText)/\([mask].hexText)"
    }
    return String([high, low])
  }
}
