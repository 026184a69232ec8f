// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A builder that makes the bytes of a report descriptor from items by name.
///
/// The items have their names in HID 1.11: `usagePage`, `logicalMinimum`, `endCollection`. Each
/// value is a number or a word. A word of digits, decimal or after `0x`, is a number, also with a
/// minus sign.
public struct HIDReportDescriptorBuilder: Sendable {
  /// The value of an item by name.
  public enum Value: Hashable, Sendable {
    /// A number as in the descriptor; signed if the item is signed.
    case integer(Int64)
    /// A word: the name of a page, usage, collection kind, flag or unit; `open` or `close`; digits.
    case word(String)
  }

  /// The descriptor so far.
  public private(set) var bytes: [UInt8] = []

  /// The usage page in force, which applies to usages without a page.
  public private(set) var usagePage: UInt16 = 0
  private var savedPages: [UInt16] = []

  /// Creates a builder with no bytes.
  public init() {}

  /// Appends an item by name, in the bytes of ``HIDItem/init(shortest:value:)`` or in
  /// `dataByteCount` bytes.
  ///
  /// - `usagePage`: a page (`genericDesktop`) or its number.
  /// - `usage`, `usageMinimum`, `usageMaximum`: a usage of the page in force (`keyboard`), a usage
  ///   of any page (`led.capsLock`), or a number. A usage of another page has 32 bits. A number up
  ///   to 0xffff is an ID; above it, it is page and ID.
  /// - `input`, `output`, `feature`: any number of the words `data` `constant`, `array`
  ///   `variable`, `absolute` `relative`, `noWrap` `wrap`, `linear` `nonLinear`, `preferredState`
  ///   `noPreferredState`, `noNullPosition` `nullState`, `nonVolatile` `volatile`, `bitField`
  ///   `bufferedBytes`; or numbers, whose bits are added.
  /// - `collection`: `physical` `application` `logical` `report` `namedArray`
  ///   `usageSwitch` `usageModifier` or a number. `endCollection`, `push` and `pop` take no value.
  /// - `unit`: a word such as `centimeters`, or a number. `unitExponent`: the power of ten; 8 to 15
  ///   mean -8 to -1, which have the same nibbles.
  /// - `delimiter`: `open` or `close`, or a number.
  /// - All other items: a number.
  ///
  /// - Parameter name: The item's name; case-sensitive.
  /// - Parameter values: The values of the item.
  /// - Parameter dataByteCount: The width of the data, 0, 1, 2 or 4 bytes; `nil` for the fewest.
  ///   With a given width, a unit exponent is a signed number instead of a nibble. With 4 bytes, a
  ///   usage by name includes its page.
  /// - Throws: `unknownItem` and `unknownWord`, with the nearest known name if one is similar,
  ///   `wrongValueCount`, `valueOutOfRange`, `wrongByteCount`, `contradiction`. The bytes are then
  ///   unchanged.
  public mutating func append(
    name: String, values: [Value] = [], dataByteCount: Int? = nil
  ) throws(HIDItemNameError) {
    guard let tag = HIDItemTag(name: name) else {
      throw .unknownItem(
        name: name,
        suggestion: NameSuggestion.nearest(to: name, in: HIDItemTag.allCases.map(\.name)))
    }
    try append(tag, values: values, dataByteCount: dataByteCount)
  }

  /// Appends an item; see ``append(name:values:dataByteCount:)``.
  public mutating func append(
    _ tag: HIDItemTag, values: [Value] = [], dataByteCount: Int? = nil
  ) throws(HIDItemNameError) {
    append(try item(tag, values: values, dataByteCount: dataByteCount))
  }

  /// Returns the item that ``append(_:values:dataByteCount:)`` would append.
  func item(
    _ tag: HIDItemTag, values: [Value], dataByteCount: Int?
  ) throws(HIDItemNameError) -> HIDItem {
    let value: Int64
    switch tag {
    case .push, .pop, .endCollection:
      guard values.isEmpty else {
        throw .wrongValueCount(item: tag, count: values.count, expected: "none")
      }
      value = 0
    case .input, .output, .feature:
      value = try flags(tag, values)
    default:
      guard let only = values.first, values.count == 1 else {
        throw .wrongValueCount(item: tag, count: values.count, expected: "one")
      }
      value = try number(tag, only, dataByteCount)
    }
    let range = Self.range(of: tag)
    guard range.contains(value), let shortest = HIDItem(shortest: tag, value: value) else {
      throw .valueOutOfRange(item: tag, value: value, range: range)
    }
    guard let dataByteCount else { return shortest }
    guard let item = HIDItem(tag, value: value, dataByteCount: dataByteCount) else {
      throw .wrongByteCount(item: tag, value: value, byteCount: dataByteCount)
    }
    return item
  }

  /// Appends encoded items unchanged, and also a truncated item at their end.
  ///
  /// - Parameter bytes: Any bytes.
  public mutating func append(bytes: [UInt8]) {
    var position = 0
    while position < bytes.count {
      let start = position
      guard let item = try? HIDItem(decoding: bytes.span, at: &position) else {
        position = bytes.count
        self.bytes += bytes[start...]
        return
      }
      pass(item)
      self.bytes += bytes[start..<position]
    }
  }

  /// Appends an item unchanged; for a long item, appends nothing.
  public mutating func append(_ item: HIDItem) {
    pass(item)
    item.encode(into: &bytes)
  }

  private mutating func pass(_ item: HIDItem) {
    switch item.tag {
    case .usagePage: usagePage = UInt16(truncatingIfNeeded: item.data)
    case .push: savedPages.append(usagePage)
    case .pop: usagePage = savedPages.popLast() ?? usagePage
    default: break
    }
  }

  // MARK: Values

  private func number(
    _ tag: HIDItemTag, _ value: Value, _ dataByteCount: Int?
  ) throws(HIDItemNameError) -> Int64 {
    switch value {
    case .integer(let number):
      let isNibble = tag == .unitExponent && dataByteCount == nil && (-8...7).contains(number)
      return isNibble ? number & 0xf : number
    case .word(let word):
      if let number = NumberText.integer(word, as: Int64.self) {
        return try self.number(tag, .integer(number), dataByteCount)
      }
      switch tag {
      case .usagePage:
        if let page = HIDUsage.page(named: word) { return Int64(page) }
        throw unknown(tag, word, "a usage page", HIDUsage.pageNames)
      case .usage, .usageMinimum, .usageMaximum:
        let usage = try extendedUsage(tag, word)
        let isShort = usage >> 16 == usagePage && dataByteCount != 4
        return Int64(isShort ? usage & 0xffff : usage)
      case .collection:
        return Int64(
          try Self.lookUp(tag, word, HIDCollection.Kind.named.map { ($0.description, $0.rawValue) })
        )
      case .unit:
        return Int64(try Self.lookUp(tag, word, HIDUnitNames.all.map { ($0.name, $0.unit) }))
      case .delimiter:
        return try Self.lookUp(tag, word, [("open", 1), ("close", 0)])
      default:
        throw .unknownWord(item: tag, word: word, expected: "a number", suggestion: nil)
      }
    }
  }

  private func extendedUsage(
    _ tag: HIDItemTag, _ word: String
  ) throws(HIDItemNameError) -> UInt32 {
    if let id = HIDUsage.usageID(named: word, onPage: usagePage) {
      return UInt32(usagePage) << 16 | UInt32(id)
    }
    if let usage = HIDUsage(name: word), usage.usage != nil { return usage.extended }
    let page = HIDUsage.name(ofPage: usagePage)
    let candidates: [String]
    if let dot = word.firstIndex(of: "."), let other = HIDUsage.page(named: word[..<dot]) {
      let name = HIDUsage.name(ofPage: other)
      candidates = HIDUsage.shortNames(onPage: other).map { "\(name).\($0)" }
    } else {
      candidates = HIDUsage.shortNames(onPage: usagePage)
    }
    throw unknown(
      tag, word, "a usage of page \(page), or a usage with its page, such as led.capsLock",
      candidates)
  }

  private func flags(
    _ tag: HIDItemTag, _ values: [Value]
  ) throws(HIDItemNameError) -> Int64 {
    var bits: Int64 = 0
    // The word that decided each bit.
    var words: [UInt32: String] = [:]
    for value in values {
      var value = value
      if case .word(let word) = value, let number = NumberText.integer(word, as: Int64.self) {
        value = .integer(number)
      }
      switch value {
      case .integer(let number):
        guard Self.range(of: tag).contains(number) else {
          throw .valueOutOfRange(item: tag, value: number, range: Self.range(of: tag))
        }
        bits |= number
      case .word(let word):
        guard
          let (flag, _, on) = HIDFieldFlags.pairs.first(where: { $0.1 == word || $0.2 == word })
        else {
          throw unknown(
            tag, word, "words such as data, variable, absolute",
            HIDFieldFlags.pairs.flatMap { [$0.1, $0.2] })
        }
        if let other = words[flag.rawValue], other != word {
          throw .contradiction(item: tag, first: other, second: word)
        }
        words[flag.rawValue] = word
        if word == on { bits |= Int64(flag.rawValue) }
      }
    }
    return bits
  }

  private static func lookUp<Number>(
    _ tag: HIDItemTag, _ word: String, _ table: [(String, Number)]
  ) throws(HIDItemNameError) -> Number {
    if let found = table.first(where: { $0.0 == word }) { return found.1 }
    let names = table.map(\.0)
    throw .unknownWord(
      item: tag, word: word, expected: names.joined(separator: ", ") + ", or a number",
      suggestion: NameSuggestion.nearest(to: word, in: names))
  }

  private func unknown(
    _ tag: HIDItemTag, _ word: String, _ expected: String, _ candidates: [String]
  ) -> HIDItemNameError {
    .unknownWord(
      item: tag, word: word, expected: expected,
      suggestion: NameSuggestion.nearest(to: word, in: candidates))
  }

  /// Returns the range of the values that the builder accepts for an item.
  private static func range(of tag: HIDItemTag) -> ClosedRange<Int64> {
    switch tag {
    case .logicalMinimum, .physicalMinimum, .unitExponent: Int64(Int32.min)...Int64(Int32.max)
    case .logicalMaximum, .physicalMaximum: Int64(Int32.min)...Int64(UInt32.max)
    case .usagePage: 0...0xffff
    case .reportID: 1...255
    case .reportSize: 0...Int64(HIDReportDescriptor.maximumFieldBitSize)
    case .reportCount: 0...Int64(HIDReportDescriptor.maximumUsageCount)
    case .collection: 0...0xff
    default: 0...Int64(UInt32.max)
    }
  }
}
