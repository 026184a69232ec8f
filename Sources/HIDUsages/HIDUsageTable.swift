// SPDX-License-Identifier: Apache-2.0

/// A table of the words for pages and usages, with a lookup in both directions in constant time.
///
/// It is read from one text: `@page words`, then `ID words` for each of its usages, with numbers in
/// hex. The words are slices of the text, so none is allocated.
package struct HIDUsageTable<Key: Hashable & Sendable>: Sendable {
  package struct Page: Sendable {
    package fileprivate(set) var words: Substring
    package fileprivate(set) var usageWords: [UInt16: Substring] = [:]
    package fileprivate(set) var usages: [Key: UInt16] = [:]
  }

  package private(set) var pages: [UInt16: Page] = [:]
  package private(set) var pageNumbers: [Key: UInt16] = [:]

  /// Reads a table.
  ///
  /// - Parameter key: Returns the key under which words are found; the keys of a page must differ.
  package init(_ table: String, key: (Substring) -> Key) {
    var page: UInt16 = 0
    for line in table.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2 else { continue }
      if parts[0].first == "@" {
        page = UInt16(parts[0].dropFirst(), radix: 16) ?? 0
        pages[page] = Page(words: parts[1])
        pageNumbers[key(parts[1])] = page
      } else if let usage = UInt16(parts[0], radix: 16) {
        pages[page]?.usageWords[usage] = parts[1]
        pages[page]?.usages[key(parts[1])] = usage
      }
    }
  }
}
