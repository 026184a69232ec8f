// SPDX-License-Identifier: Apache-2.0

/// The name and the values of an item, in the form that ``HIDReportDescriptorBuilder`` reads.
///
/// A long item and an item with a reserved tag have neither a name nor values.
public struct HIDNamedItem: Hashable, Sendable {
  /// The tag in HID 1.11; `nil` for a long item and for a reserved tag.
  public let tag: HIDItemTag?
  /// The values: words where the builder has words, else numbers.
  public let values: [HIDReportDescriptorBuilder.Value]
  /// The number of collections around the item; an End Collection has the level of its Collection.
  public let level: Int
  /// The item itself, with its data and their width.
  public let item: HIDItem
}

extension HIDNamedItem: CustomStringConvertible {
  /// The name and the values, without indentation: `usagePage genericDesktop`.
  ///
  /// An item without a name is `long item, tag 1, 2 bytes` or `reserved item 0x0c 5`.
  public var description: String {
    guard let tag else {
      return item.isLong
        ? "long item, tag \(item.longTag ?? 0), \(item.dataByteCount) bytes"
        : "reserved item \(hexadecimal(UInt32(item.code), digitCount: 2)) \(item.data)"
    }
    let words = values.map { value in
      switch value {
      case .integer(let number): String(number)
      case .word(let word): word
      }
    }
    return ([tag.name] + words).joined(separator: " ")
  }
}

extension HIDReportDescriptor {
  /// The items as names and values, in the order of the descriptor.
  public var namedItems: [HIDNamedItem] { Self.namedItems(items) }

  /// The items as names and values, one per line.
  ///
  /// Each line is indented by two spaces for each collection around the item.
  public var text: String {
    namedItems.map { String(repeating: "  ", count: $0.level) + $0.description + "\n" }.joined()
  }

  /// Returns the names and values of items, without checks that the items fit together.
  ///
  /// A descriptor built from the result means the same to Linux, except for the items listed below.
  /// Its bytes can differ, because the builder chooses the width and the form of each item. Long
  /// and reserved items have no name. The result does not contain the widths of items, so these
  /// items are built as other usages:
  ///
  /// - a 32-bit usage of page 0, or of the page in force if a Usage Page follows before the main
  ///   item,
  /// - a usage page over 16 bits,
  /// - a usage range whose ends have different widths or pages.
  ///
  /// - Parameter items: The items in order.
  public static func namedItems(_ items: [HIDItem]) -> [HIDNamedItem] {
    var context = HIDItemContext()
    return items.map { item in
      let level = context.level(of: item)
      context.pass(item)
      return HIDNamedItem(
        tag: item.tag, values: values(of: item, in: context), level: level, item: item)
    }
  }

  static func values(
    of item: HIDItem, in context: HIDItemContext
  ) -> [HIDReportDescriptorBuilder.Value] {
    guard let tag = item.tag else { return [] }
    switch tag {
    case .push, .pop, .endCollection: return []
    case .usagePage:
      return [.word(HIDUsage.name(ofPage: UInt16(truncatingIfNeeded: item.data)))]
    case .usage, .usageMinimum, .usageMaximum:
      if item.dataByteCount > 2 {
        // The ID alone would take the page in force, and page 0 has no name.
        let usage = HIDUsage(extended: item.data)
        let word = String(usage.name.map { $0 == " " ? "." : $0 })  // "button.1": one word
        return item.data > 0xffff ? [.word(word)] : [.integer(Int64(item.data))]
      }
      let usage = HIDUsage(extended: context.extendedUsage(item))
      return [usage.shortName.map { .word($0) } ?? .integer(Int64(item.data))]
    case .collection:
      let kind = HIDCollection.Kind(rawValue: UInt8(truncatingIfNeeded: item.data))
      if case .other(let number) = kind { return [.integer(Int64(number))] }
      return [.word(kind.description)]
    case .input, .output, .feature:
      let known: UInt32 = 0x1ff
      let words = HIDFieldFlags(rawValue: item.data).words.map {
        HIDReportDescriptorBuilder.Value.word($0)
      }
      return item.data & ~known == 0 ? words : words + [.integer(Int64(item.data & ~known))]
    case .unit:
      return [HIDUnitNames.name(of: item.data).map { .word($0) } ?? .integer(Int64(item.data))]
    case .unitExponent:
      let value = Int64(item.signedData)
      return [.integer((8...15).contains(value) ? value - 16 : value)]
    case .delimiter: return [.word(item.data == 0 ? "close" : "open")]
    default: return [.integer(context.number(item))]
    }
  }
}
