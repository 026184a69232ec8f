// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

extension HIDUsage {
  /// The name of the usage in the HID Usage Tables: `Caps Lock`, in ASCII and without the page.
  ///
  /// On the pages whose usages are numbers, it has the number: `Button 1`; but button 0 is
  /// `No Button Pressed`. It is `nil` for a page without a usage, and for a usage without a name in
  /// the tables. Report descriptors as text use titles; files and scripts of hidsim use ``name``.
  ///
  /// Source: HID Usage Tables 1.4.
  public var title: String? {
    guard let usage else { return nil }
    switch page {
    case ButtonUsage.page: return usage == 0 ? "No Button Pressed" : "Button \(usage)"
    case OrdinalUsage.page: return "Instance \(usage)"
    case MonitorEnumeratedUsage.page: return "Enum \(usage)"
    default: return HIDUsageTitles.shared.pages[page]?.usageWords[usage].map(String.init)
    }
  }

  /// Returns the name of a page in the HID Usage Tables: `Generic Desktop`; `nil` if it has none.
  ///
  /// - Parameter page: The number of the page.
  public static func title(ofPage page: UInt16) -> String? {
    HIDUsageTitles.shared.pages[page].map { String($0.words) }
  }

  /// Returns the number of the page with a title, in constant time.
  ///
  /// - Parameter title: The title; case, spaces and punctuation do not matter.
  /// - Returns: The number, or `nil` when no page has the title.
  public static func page(titled title: some StringProtocol) -> UInt16? {
    HIDUsageTitles.shared.pageNumbers[HIDUsageTitles.plain(title)]
  }

  /// Returns the ID of the usage with a title, in constant time.
  ///
  /// It accepts the texts of ``title``, including those with the numbers of buttons and ordinals.
  ///
  /// - Parameter title: The title; case, spaces and punctuation do not matter.
  /// - Parameter page: The number of the page.
  /// - Returns: The ID, or `nil` when the page has no usage of this title.
  public static func usageID(titled title: some StringProtocol, onPage page: UInt16) -> UInt16? {
    let plain = HIDUsageTitles.plain(title)
    let prefix: String
    switch page {
    case ButtonUsage.page: prefix = "button"
    case OrdinalUsage.page: prefix = "instance"
    case MonitorEnumeratedUsage.page: prefix = "enum"
    default: return HIDUsageTitles.shared.pages[page]?.usages[plain]
    }
    if page == ButtonUsage.page, plain == "nobuttonpressed" { return 0 }
    return plain.hasPrefix(prefix) ? UInt16(plain.dropFirst(prefix.count)) : nil
  }

  /// Returns the titles of all usages of a page, sorted by ID.
  ///
  /// The array is empty for an unknown page, and for a page whose titles are numbered: `Button 1`.
  ///
  /// - Parameter page: The number of the page.
  public static func titles(onPage page: UInt16) -> [String] {
    let titles = HIDUsageTitles.shared.pages[page]?.usageWords ?? [:]
    return titles.sorted { $0.key < $1.key }.map { String($0.value) }
  }

  /// The titles of all pages, sorted by number.
  public static var pageTitles: [String] {
    HIDUsageTitles.shared.pages.sorted { $0.key < $1.key }.map { String($0.value.words) }
  }

  /// Returns a title's ASCII letters and digits in lower case, by which spellings are compared.
  package static func plainTitle(_ title: some StringProtocol) -> String {
    HIDUsageTitles.plain(title)
  }
}
