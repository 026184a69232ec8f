// SPDX-License-Identifier: Apache-2.0

/// Where an element lies in a device's reports.
struct ElementPlace: Hashable, Sendable, BitwiseCopyable {
  /// The report, as its place among those of the descriptor.
  let report: Int32
  /// The field, as its place in the report.
  let field: Int32
  /// The element of a variable field; the usage of an array, as its place among those that it can select.
  let index: Int32
  /// Whether the element is a usage of an array.
  let isMember: Bool
}
