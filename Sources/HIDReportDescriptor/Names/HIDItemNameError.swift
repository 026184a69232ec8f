// SPDX-License-Identifier: Apache-2.0

/// The reason why an item cannot be made from its name and values.
public enum HIDItemNameError: Error, Hashable, Sendable {
  /// No item has this name.
  case unknownItem(name: String, suggestion: String?)
  /// The item does not accept this word; `expected` lists what it accepts.
  case unknownWord(item: HIDItemTag, word: String, expected: String, suggestion: String?)
  /// The item needs another number of values.
  case wrongValueCount(item: HIDItemTag, count: Int, expected: String)
  /// The value is outside the item's range.
  case valueOutOfRange(item: HIDItemTag, value: Int64, range: ClosedRange<Int64>)
  /// The value does not fit into the requested bytes, or no item has that many data bytes.
  case wrongByteCount(item: HIDItemTag, value: Int64, byteCount: Int)
  /// Two words of one item contradict each other.
  case contradiction(item: HIDItemTag, first: String, second: String)
}

extension HIDItemNameError: CustomStringConvertible {
  /// The fault, the expected content, and the suggested name.
  public var description: String {
    switch self {
    case .unknownItem(let name, let suggestion):
      "unknown item \"\(name)\"" + Self.question(suggestion)
    case .unknownWord(let item, let word, let expected, let suggestion):
      "\(item) cannot be \"\(word)\"; expected \(expected)" + Self.question(suggestion)
    case .wrongValueCount(let item, let count, let expected):
      "\(item) has \(count) values; expected \(expected)"
    case .valueOutOfRange(let item, let value, let range):
      "\(item) cannot be \(value); expected \(range.lowerBound) to \(range.upperBound)"
    case .wrongByteCount(let item, let value, let byteCount):
      [0, 1, 2, 4].contains(byteCount)
        ? "\(item) \(value) does not fit into \(byteCount) byte\(byteCount == 1 ? "" : "s")"
        : "\(item) cannot have \(byteCount) bytes of data; expected 0, 1, 2 or 4"
    case .contradiction(let item, let first, let second):
      "\(item) cannot be both \"\(first)\" and \"\(second)\""
    }
  }

  private static func question(_ suggestion: String?) -> String {
    suggestion.map { "; did you mean \"\($0)\"?" } ?? ""
  }
}
