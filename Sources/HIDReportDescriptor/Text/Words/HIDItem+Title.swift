// SPDX-License-Identifier: Apache-2.0

extension HIDItem {
  /// Returns the item as in the examples of HID 1.11: `Usage Page (Generic Desktop)`.
  ///
  /// - Parameter context: The state before the item.
  func title(in context: HIDItemContext) -> String {
    if let longTag { return "Long Item (tag \(hexadecimal(UInt32(longTag), digitCount: 2)))" }
    guard let tag else { return "Reserved (\(hexadecimal(UInt32(code), digitCount: 2)))" }
    let name = HIDItemTitles.title(of: tag)
    switch tag {
    case .push, .pop, .endCollection: return name
    default: return "\(name) (\(valueTitle(tag, in: context)))"
    }
  }

  private func valueTitle(_ tag: HIDItemTag, in context: HIDItemContext) -> String {
    switch tag {
    case .usagePage: return Self.title(ofPage: data)
    case .usage, .usageMinimum, .usageMaximum:
      if dataByteCount > 2, data <= 0xffff { return hexadecimal(data, digitCount: 8) }
      let usage = HIDUsage(extended: context.extendedUsage(self))
      guard dataByteCount > 2 else { return usage.shortTitle }
      // The title includes the page, so that a reader makes a 32-bit usage of it.
      guard HIDUsage.title(ofPage: usage.page) != nil, let title = usage.title else {
        return hexadecimal(data, digitCount: 8)
      }
      return "\(Self.title(ofPage: UInt32(usage.page))): \(title)"
    case .collection:
      return HIDCollection.Kind.titles.indices.contains(Int(data))
        ? HIDCollection.Kind.titles[Int(data)] : hexadecimal(data, digitCount: 2)
    case .input, .output, .feature: return HIDFieldFlags(rawValue: data).shortTitle
    case .unit: return HIDUnitTitle.title(of: data)
    case .unitExponent:
      let value = signedData
      return String((8...15).contains(value) ? value - 16 : value)
    case .delimiter: return data == 0 ? "Close" : data == 1 ? "Open" : String(data)
    default: return String(context.number(self))
    }
  }

  /// Returns the title of a page, `Undefined` for 0; its number if it has no title.
  ///
  /// `Vendor-defined` precedes the number of a vendor's page.
  private static func title(ofPage page: UInt32) -> String {
    guard let number = UInt16(exactly: page) else { return hexadecimal(page, digitCount: 8) }
    return number == 0
      ? "Undefined"
      : HIDUsage.title(ofPage: number)
        ?? (number >= 0xff00 ? "Vendor-defined " : "") + hexadecimal(page, digitCount: 4)
  }
}

extension HIDUsage {
  /// The title without the page.
  ///
  /// A usage without a title has its number: `0x12`, or `Vendor Usage 0x12` on a vendor's page. The
  /// title for ID 0 or no usage on another page is `Undefined`.
  var shortTitle: String {
    if let title { return title }
    if (usage ?? 0) == 0, page < 0xff00 { return "Undefined" }
    let number = hexadecimal(UInt32(usage ?? 0), digitCount: 2)
    return page >= 0xff00 ? "Vendor Usage \(number)" : number
  }
}

extension HIDCollection.Kind {
  /// The names in HID 1.11, by number.
  static let titles = [
    "Physical", "Application", "Logical", "Report", "Named Array", "Usage Switch", "Usage Modifier",
  ]
}

extension HIDFieldFlags {
  /// The flags in the abbreviations of hid-tools: `Data,Var,Abs`; unknown bits follow as a number.
  var shortTitle: String {
    var words = [
      contains(.constant) ? "Cnst" : "Data", contains(.variable) ? "Var" : "Arr",
      contains(.relative) ? "Rel" : "Abs",
    ]
    for (flag, word) in Self.shortTitles where contains(flag) { words.append(word) }
    let unknown = rawValue & ~0x1ff
    if unknown != 0 { words.append(hexadecimal(unknown, digitCount: 1)) }
    return words.joined(separator: ",")
  }

  private static let shortTitles: [(Self, String)] = [
    (.wrap, "Wrap"), (.nonLinear, "NonLin"), (.noPreferredState, "NoPref"), (.nullState, "Null"),
    (.volatile, "Vol"), (.bufferedBytes, "Buff"),
  ]
}
