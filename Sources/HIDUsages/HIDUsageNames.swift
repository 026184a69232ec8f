// SPDX-License-Identifier: Apache-2.0

/// The names of pages and usages, and the way back from each.
///
/// Read from one literal at first use; the names are slices of it, so that none is allocated.
struct HIDUsageNames: Sendable {
  struct Page: Sendable {
    var name: Substring
    var names: [UInt16: Substring] = [:]
    var usages: [Substring: UInt16] = [:]
  }

  private(set) var pages: [UInt16: Page] = [:]
  private(set) var pageNumbers: [Substring: UInt16] = [:]

  /// The names as they are written.
  static let shared = Self(table: table)

  /// The names in lower case, for those who write them otherwise.
  ///
  /// No two of a page become equal.
  static let lowercased = Self(table: table.lowercased())

  private init(table: String) {
    var page: UInt16 = 0
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      guard words.count == 2 else { continue }
      if words[0].first == "@" {
        page = UInt16(words[0].dropFirst(), radix: 16) ?? 0
        pages[page] = Page(name: words[1])
        pageNumbers[words[1]] = page
      } else if let usage = UInt16(words[0], radix: 16) {
        pages[page]?.names[usage] = words[1]
        pages[page]?.usages[words[1]] = usage
      }
    }
  }
}
