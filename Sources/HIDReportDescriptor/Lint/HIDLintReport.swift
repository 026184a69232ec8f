// SPDX-License-Identifier: Apache-2.0

/// A report as far as the walk has come.
struct HIDLintReport {
  let type: HIDReportType
  let id: HIDReportID?
  /// The first and the last field.
  let firstOffset: Int
  var lastOffset: Int
  /// The top-level collection of the first field.
  let topCollection: Int?
  var bitCount = 0
  /// The fields that have usages.
  var usedFieldCount = 0
  /// The field with which the report became too long for uhid, and for Linux.
  var uhidOffset: Int?
  var linuxOffset: Int?
  /// The bits up to that field.
  var longBitCount = 0
  /// Whether a size or count was refused, so that the number of bits says nothing.
  var isFaulty = false
  /// Whether a finding says already why there are no bits.
  var isEmptyForAReason = false

  /// As in `input report 3`.
  var name: String { "\(type) report\(id.map { " \($0)" } ?? "")" }
}
