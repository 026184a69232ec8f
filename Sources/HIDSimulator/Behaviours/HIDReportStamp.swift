// SPDX-License-Identifier: Apache-2.0

public import HIDReportDescriptor

/// Bytes that the device writes into an input report before it is sent, such as a counter, a time
/// or a checksum.
///
/// A report whose bytes are given, such as by a behaviour, a `report` command or a trace, is sent
/// without stamps.
public struct HIDReportStamp: Hashable, Sendable {
  /// The report's ID; `nil` for an unnumbered report.
  public var id: HIDReportID?
  /// The offset of the bytes from the start of the report, in bytes, the ID included.
  ///
  /// Bytes beyond the end of the report are left out.
  public var offset: Int
  /// The template of the bytes.
  public var bytes: HIDReportTemplate

  /// Creates a stamp from its parts.
  public init(id: HIDReportID?, offset: Int, bytes: HIDReportTemplate) {
    self.id = id
    self.offset = offset
    self.bytes = bytes
  }
}
