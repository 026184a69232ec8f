// SPDX-License-Identifier: Apache-2.0

/// The location of an element in a device's reports.
struct ElementPlace: Hashable, Sendable, BitwiseCopyable {
  /// The index of the report in ``DeviceModel/reports``.
  let report: Int32
  /// The index of the field in the report.
  let field: Int32
  /// The index of the element in a variable field.
  ///
  /// For a usage of an array, it is the index in the array's list of usages.
  let index: Int32
  /// True if the element is a usage of an array.
  let isMember: Bool
}
