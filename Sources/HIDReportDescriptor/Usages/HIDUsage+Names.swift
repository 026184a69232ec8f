// SPDX-License-Identifier: Apache-2.0

import HIDText
public import HIDUsages

extension HIDUsage {
  /// The name of the usage, which is its description, as ``init(name:)`` reads it.
  ///
  /// Examples are `led.capsLock`, `button 1` on a page whose usages are numbers, and `led` for a
  /// page without a usage. A page or usage without a name is four hex digits: `0xff00.0x0001`,
  /// `led.0x00ff`.
  public var name: String { description }

  /// The name of the usage without its page: `capsLock`.
  ///
  /// `nil` for a page without a usage, and for a usage that has no name in the tables.
  public var shortName: String? {
    guard let usage else { return nil }
    return HIDUsageNames.shared.pages[page]?.usageWords[usage].map(String.init)
  }

  /// Reads the name of a usage or page; `nil` for other text.
  ///
  /// It accepts the texts of ``name``, and `button.1`, `button1`, `0xFF00:0x0001`. Upper and lower
  /// case do not matter. Aliases such as `a` or `wheel` are not names: see ``key(named:)`` and
  /// ``axis(named:)``.
  ///
  /// - Parameter name: The name; ASCII spaces around it are ignored.
  public init?(name: some StringProtocol) {
    let name = Self.trimmed(Substring(name))
    guard let separator = name.firstIndex(where: { $0 == "." || $0 == ":" || $0 == " " }) else {
      self.init(singleWord: name)
      return
    }
    guard let page = Self.page(named: name[..<separator]),
      let usage = Self.usageID(
        named: Self.trimmed(name[separator...].dropFirst()), onPage: page)
    else { return nil }
    self.init(page: page, usage: usage)
  }

  /// Returns the number of a page with a name (`led`) or hex digits (`0xff00`).
  ///
  /// - Parameter name: The name, in upper or lower case.
  /// - Returns: The number, or `nil` when no page has the name. Hex digits give their number even
  ///   if the tables have no such page.
  public static func page(named name: some StringProtocol) -> UInt16? {
    let name = trimmed(Substring(name))
    return HIDUsageNames.shared.pageNumbers[name]
      ?? HIDUsageNames.lowercased.pageNumbers[name.lowercased()[...]]
      ?? NumberText.hexadecimal(name)
  }

  /// Returns the name of a page, or its number as `0xff00`.
  ///
  /// - Parameter page: The number of the page.
  public static func name(ofPage page: UInt16) -> String {
    HIDUsage(page: page, usage: nil).description
  }

  /// Returns the ID of a usage on a page, from its short name (`capsLock`) or hex digits.
  ///
  /// Decimal digits are accepted on the pages whose usages are numbers.
  ///
  /// - Parameter name: The name without its page, in upper or lower case.
  /// - Parameter page: The number of the page.
  /// - Returns: The ID, or `nil` when the page has no usage of this name. Digits give their number
  ///   even if the tables have no such usage.
  public static func usageID(named name: some StringProtocol, onPage page: UInt16) -> UInt16? {
    let name = Substring(name)
    if isNumbered(page), name.first != "+", let number = UInt16(name) { return number }
    return HIDUsageNames.shared.pages[page]?.usages[name]
      ?? HIDUsageNames.lowercased.pages[page]?.usages[name.lowercased()[...]]
      ?? NumberText.hexadecimal(name)
  }

  /// The names of all pages, sorted by number.
  public static var pageNames: [String] {
    HIDUsageNames.shared.pages.sorted { $0.key < $1.key }.map { String($0.value.words) }
  }

  /// Returns the short names of all usages of a page, sorted by ID.
  ///
  /// The array is empty for an unknown page, and for a page whose usages are numbers.
  ///
  /// - Parameter page: The number of the page.
  public static func shortNames(onPage page: UInt16) -> [String] {
    let names = HIDUsageNames.shared.pages[page]?.usageWords ?? [:]
    return names.sorted { $0.key < $1.key }.map { String($0.value) }
  }

  private init?(singleWord name: Substring) {
    if let page = Self.page(named: name) {
      self.init(page: page, usage: nil)
      return
    }
    let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
    guard let usage = UInt16(name.suffix(digits)),
      let page = Self.page(named: name.dropLast(digits)), Self.isNumbered(page)
    else { return nil }
    self.init(page: page, usage: usage)
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}
