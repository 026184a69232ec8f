// SPDX-License-Identifier: Apache-2.0

/// The layout of one report: the meaning of its bits.
public struct HIDReportLayout: Sendable {
  private let storage: HIDDescriptorStorage
  private let record: HIDReportRecord

  init(_ storage: HIDDescriptorStorage, at index: Int) {
    self.storage = storage
    record = storage.reports[index]
  }

  /// The type of the report.
  public var type: HIDReportType { record.type }
  /// Its report ID; `nil` for an unnumbered report.
  public var id: HIDReportID? { record.id }
  /// The number of bits of the payload, without the report ID.
  public var bitCount: Int { Int(record.bitCount) }
  /// The fields in the order of the descriptor, padding included; then the added fields.
  ///
  /// A field that an added field replaces is left out.
  public var fields: HIDReportFields { HIDReportFields(storage, of: record) }

  /// The number of bytes of the payload, without the report ID.
  public var payloadByteCount: Int { (bitCount + 7) / 8 }

  /// The number of bytes on the wire, including the report ID if the report is numbered.
  public var byteCount: Int { payloadByteCount + payloadOffset }

  /// The index of the payload's first byte on the wire: 1 if the report is numbered, else 0.
  public var payloadOffset: Int { id == nil ? 0 : 1 }

  /// A report on the wire with this report ID, and with all other bits 0.
  public var zeroReport: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    if let id { bytes[0] = id.rawValue }
    return bytes
  }
}

extension HIDReportLayout: Hashable {
  /// Returns whether both values are the same report of equal descriptors.
  public static func == (left: Self, right: Self) -> Bool {
    left.record.slot == right.record.slot && left.storage == right.storage
  }

  /// Hashes the type, the ID and the descriptor's bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record.slot)
    hasher.combine(storage)
  }
}

/// The reports of a descriptor, sorted by type and ID.
///
/// An unnumbered report comes first in its type.
public struct HIDReports: RandomAccessCollection, Sendable {
  let storage: HIDDescriptorStorage

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of reports.
  public var endIndex: Int { storage.reports.count }

  /// Returns the report at an index.
  public subscript(position: Int) -> HIDReportLayout {
    precondition(indices.contains(position), "no such report")
    return HIDReportLayout(storage, at: position)
  }
}
