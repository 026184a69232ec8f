// SPDX-License-Identifier: Apache-2.0

/// The names of items as HID 1.11 and related tools write them.
enum HIDItemTitles {
  /// Returns the item's name in HID 1.11: `Usage Page`.
  static func title(of tag: HIDItemTag) -> String {
    if tag == .reportID { return "Report ID" }
    var title = ""
    for letter in tag.name {
      if letter.isUppercase || title.isEmpty {
        title += (title.isEmpty ? "" : " ") + letter.uppercased()
      } else {
        title.append(letter)
      }
    }
    return title
  }

  /// Returns the item with a name; `nil` if there is none.
  ///
  /// Case, spaces and punctuation do not matter.
  static func tag(titled title: some StringProtocol) -> HIDItemTag? {
    byTitle[HIDUsage.plainTitle(title)]
  }

  /// Returns whether a word is the first of an item's name, or a whole name.
  static func isFirstWord(_ word: String) -> Bool {
    let plain = HIDUsage.plainTitle(word)
    return firstWords.contains(plain) || byTitle[plain] != nil
  }

  private static let firstWords: Set<String> = [
    "usage", "logical", "log", "physical", "phys", "unit", "report", "collection", "end", "input",
    "output", "feature", "push", "pop", "designator", "string", "delimiter",
  ]

  private static let byTitle: [String: HIDItemTag] = {
    var tags: [String: HIDItemTag] = [:]
    for tag in HIDItemTag.allCases {
      let name = tag.name.lowercased()
      tags[name] = tag
      for (long, short) in [("minimum", "min"), ("maximum", "max"), ("exponent", "exp")]
      where name.hasSuffix(long) {
        let stem = name.dropLast(long.count) + short
        tags[String(stem)] = tag
        if stem.hasPrefix("logical") { tags["log" + stem.dropFirst(7)] = tag }
        if stem.hasPrefix("physical") { tags["phys" + stem.dropFirst(8)] = tag }
      }
    }
    tags["collectionend"] = .endCollection
    tags["designator"] = .designatorIndex
    tags["string"] = .stringIndex
    return tags
  }()
}
