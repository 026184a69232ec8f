// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// Bytes that an input report gets when it is made: a counter, a time, a checksum.
///
/// A report whose bytes a script's `report` or a replay gives is sent without stamps.
public struct HIDReportStamp: Hashable, Sendable {
  /// The report's ID; `nil` for an unnumbered report.
  public var id: HIDReportID?
  /// The offset of the bytes from the start of the report, in bytes; the ID counts.
  ///
  /// Bytes beyond the end of the report are left out.
  public var offset: Int
  /// The bytes.
  public var bytes: HIDReportTemplate

  /// Creates a stamp from its parts.
  public init(id: HIDReportID?, offset: Int, bytes: HIDReportTemplate) {
    self.id = id
    self.offset = offset
    self.bytes = bytes
  }
}
