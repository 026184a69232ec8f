// SPDX-License-Identifier: Apache-2.0

/// The titles of pages and usages in HID Usage Tables, and the way back from each.
///
/// Read from one literal at first use; the titles are slices of it.
struct HIDUsageTitles: Sendable {
  struct Page: Sendable {
    var title: Substring
    var titles: [UInt16: Substring] = [:]
    /// The IDs by ``plain(_:)`` titles.
    var usages: [String: UInt16] = [:]
  }

  private(set) var pages: [UInt16: Page] = [:]
  /// The pages by ``plain(_:)`` titles.
  private(set) var pageNumbers: [String: UInt16] = [:]

  static let shared = Self(table: table)

  private init(table: String) {
    var page: UInt16 = 0
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { continue }
      if words[0].first == "@" {
        page = UInt16(words[0].dropFirst(), radix: 16) ?? 0
        pages[page] = Page(title: words[1])
        pageNumbers[Self.plain(words[1])] = page
      } else if let usage = UInt16(words[0], radix: 16) {
        pages[page]?.titles[usage] = words[1]
        pages[page]?.usages[Self.plain(words[1])] = usage
      }
    }
  }

  /// The letters and digits of a title in lower case: what is left of it in most spellings.
  ///
  /// The generator makes sure that no two titles of a page have the same.
  static func plain(_ title: some StringProtocol) -> String {
    let letters = title.utf8.compactMap { byte -> UInt8? in
      switch byte {
      case 0x30...0x39, 0x61...0x7a: byte
      case 0x41...0x5a: byte + 0x20
      default: nil
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
