// SPDX-License-Identifier: Apache-2.0

/// The names of pages and usages in CoreHID's spelling.
package enum HIDUsageNames {
  /// The names as they are written.
  package static let shared = HIDUsageTable(table) { $0 }

  /// The names in lower case, for input in another case.
  ///
  /// The names of a page stay different in lower case.
  package static let lowercased = HIDUsageTable(table.lowercased()) { $0 }
}
