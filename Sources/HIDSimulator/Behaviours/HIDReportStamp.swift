// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// Bytes that an input report gets when it is made: a counter, a time, a checksum.
///
/// Reports that are given byte by byte, by a script's `report` or a replay, are sent as they are.
public struct HIDReportStamp: Hashable, Sendable {
  /// The report's ID; `nil` for an un-numbered report.
  public var id: HIDReportID?
  /// Where the bytes stand: an offset in bytes from the start of the report, its ID counted.
  ///
  /// What is outside of the report is left out.
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
