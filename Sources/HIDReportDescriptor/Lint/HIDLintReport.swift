// SPDX-License-Identifier: Apache-2.0

/// The state of a report during the walk over the items.
struct HIDLintReport {
  let type: HIDReportType
  let id: HIDReportID?
  /// The offsets of the first and the last field.
  let firstOffset: Int
  var lastOffset: Int
  /// The index of the top-level collection around the first field; `nil` if it is outside all.
  let topCollection: Int?
  var bitCount = 0
  /// The number of fields that have usages.
  var usedFieldCount = 0
  /// The offset of the field that made the report too long for uhid, and the same for Linux.
  var uhidOffset: Int?
  var linuxOffset: Int?
  /// The number of bits up to the end of the field at `linuxOffset`, else at `uhidOffset`.
  var longBitCount = 0
  /// True if a size or count was refused, so that the number of bits is meaningless.
  var isFaulty = false
  /// True if another finding already explains why there are no bits.
  var isEmptyForAReason = false

  /// The name of the report: `input report 3`.
  var name: String { "\(type) report\(id.map { " \($0)" } ?? "")" }
}
