// SPDX-License-Identifier: Apache-2.0

/// What the bits of one report mean.
public struct HIDReportLayout: Hashable, Sendable {
  /// Which way the report goes.
  public let type: HIDReportType
  /// Its number; `nil` for an unnumbered report.
  public let id: HIDReportID?
  /// The bits of the payload: without the report ID.
  public internal(set) var bitCount: Int
  /// The fields in the order of the descriptor, padding included.
  public internal(set) var fields: [HIDReportField]

  /// The bytes of the payload: without the report ID.
  public var payloadByteCount: Int { (bitCount + 7) / 8 }

  /// The bytes on the wire: with the report ID, if the report is numbered.
  public var byteCount: Int { payloadByteCount + payloadOffset }

  /// Where the payload begins in the bytes on the wire: 1 if the report is numbered, else 0.
  public var payloadOffset: Int { id == nil ? 0 : 1 }

  /// A report on the wire with this number and all other bits 0.
  public var zeroReport: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    if let id { bytes[0] = id.rawValue }
    return bytes
  }
}
