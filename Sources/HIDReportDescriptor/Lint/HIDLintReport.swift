// SPDX-License-Identifier: Apache-2.0

/// The state of a report during the walk over the items.
struct HIDLintReport {
  let type: HIDReportType
  let id: HIDReportID?
  /// The offset of the first field; `lastOffset` is that of the last field.
  let firstOffset: Int
  var lastOffset: Int
  /// The index of the top-level collection around the first field; `nil` outside all collections.
  let topCollection: Int?
  var bitCount = 0
  /// The number of fields that have usages.
  var usedFieldCount = 0
  /// The offset of the field that made the report too long for uhid; `nil` if it is not too long.
  ///
  /// `linuxOffset` is the offset of the field that made it too long for Linux on any bus.
  var uhidOffset: Int?
  var linuxOffset: Int?
  /// The number of bits up to the end of the field at `linuxOffset`, else at `uhidOffset`.
  var longBitCount = 0
  /// True if a size or count was refused, so that the number of bits is meaningless.
  var isFaulty = false
  /// True if another finding already explains why a field of the report has no bits.
  var isEmptyForAReason = false

  /// The name of the report: `input report 3`.
  var name: String { "\(type) report\(id.map { " \($0)" } ?? "")" }
}
