// SPDX-License-Identifier: Apache-2.0

/// The words for pages and usages, and the way back from each, in constant time.
///
/// Read from one literal at first use: `@page words`, then `ID words` for each of its usages, numbers in hex. The words
/// are slices of it, so that none is allocated.
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
  /// - Parameter key: What the words are found by; no two of a page have the same.
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
