// SPDX-License-Identifier: Apache-2.0

/// What the bits of one report mean.
public struct HIDReportLayout: Sendable {
  private let storage: HIDDescriptorStorage
  private let record: HIDReportRecord

  init(_ storage: HIDDescriptorStorage, at index: Int) {
    self.storage = storage
    record = storage.reports[index]
  }

  /// Which way the report goes.
  public var type: HIDReportType { record.type }
  /// Its number; `nil` for an unnumbered report.
  public var id: HIDReportID? { record.id }
  /// The bits of the payload: without the report ID.
  public var bitCount: Int { Int(record.bitCount) }
  /// The fields in the order of the descriptor, padding included.
  public var fields: HIDReportFields { HIDReportFields(storage, of: record) }

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

extension HIDReportLayout: Hashable {
  /// Whether both are the same report of equal descriptors.
  public static func == (left: Self, right: Self) -> Bool {
    left.record.slot == right.record.slot && left.storage == right.storage
  }

  /// Hashes type and ID, and the descriptor's bytes.
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

  /// The report at a place.
  public subscript(position: Int) -> HIDReportLayout {
    precondition(indices.contains(position), "no such report")
    return HIDReportLayout(storage, at: position)
  }
}
