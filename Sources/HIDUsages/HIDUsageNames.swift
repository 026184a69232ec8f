// SPDX-License-Identifier: Apache-2.0

/// The names of pages and usages in CoreHID's spelling.
package enum HIDUsageNames {
  /// The names as they are written.
  package static let shared = HIDUsageTable(table) { $0 }

  /// The names in lower case, for those who write them otherwise.
  ///
  /// No two of a page become equal.
  package static let lowercased = HIDUsageTable(table.lowercased()) { $0 }
}
