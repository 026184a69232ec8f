// SPDX-License-Identifier: Apache-2.0

/// The names of pages and usages in CoreHID's spelling.
package enum HIDUsageNames {
  /// The names with their upper- and lower-case letters.
  package static let shared = HIDUsageTable(table) { $0 }

  /// The names in lower case, for input in another case.
  ///
  /// No two usages of a page have names that differ only in case.
  package static let lowercased = HIDUsageTable(table.lowercased()) { $0 }
}
