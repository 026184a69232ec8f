// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A descriptor, or the part of it that hidsim accepts.
struct OracleSubject {
  /// hidsim's reading of the whole descriptor, or of the part before the fault; `nil` if there is
  /// no such part.
  let descriptor: HIDReportDescriptor?
  /// The error for the whole descriptor; `nil` if it is accepted.
  let refusal: HIDReportDescriptorError?

  init(_ bytes: [UInt8], reading: HIDReading = .linux) throws {
    do {
      descriptor = try HIDReportDescriptor(parsing: bytes, reading: reading)
      refusal = nil
    } catch {
      refusal = error
      let accepted = Self.accepted(of: bytes, error)
      descriptor =
        accepted.isEmpty ? nil : try HIDReportDescriptor(parsing: accepted, reading: reading)
    }
  }

  /// Returns the bytes before the fault, with open collections and delimiters closed.
  private static func accepted(
    of bytes: [UInt8], _ error: HIDReportDescriptorError
  ) -> [UInt8] {
    var bytes = bytes
    switch error {
    case .unclosedCollection, .unclosedDelimiter: break  // no item is at fault
    case .descriptorTooLong: bytes = []
    default: bytes = Array(bytes.prefix(error.offset ?? 0))
    }
    var depth = 0
    var isDelimiterOpen = false
    for item in (try? HIDItem.decodeAll(bytes)) ?? [] {
      switch item.tag {
      case .collection: depth += 1
      case .endCollection: depth -= 1
      case .delimiter: isDelimiterOpen = item.data != 0
      default: break
      }
      if item.kind == .main { isDelimiterOpen = false }
    }
    if isDelimiterOpen { HIDItem(.delimiter, data: 0, dataByteCount: 1).encode(into: &bytes) }
    for _ in 0..<max(depth, 0) {
      HIDItem(.endCollection, data: 0, dataByteCount: 0).encode(into: &bytes)
    }
    return bytes
  }

  /// The rule for a descriptor that only the kernel refuses.
  var refusalRule: OracleRule? {
    switch refusal {
    case nil: nil
    case .empty: .kernelEmpty
    case .truncatedItem: .kernelTruncated
    case .longItem: .kernelLongItem
    case .reservedGlobalItem: .kernelReservedGlobal
    case .invalidReportID: .kernelReportID
    case .pushTooDeep, .popWithoutPush: .kernelStack
    case .endCollectionWithoutCollection, .unclosedCollection: .kernelBalance
    case .nestedDelimiter, .closeDelimiterWithoutOpen, .unclosedDelimiter: .kernelDelimiter
    case .logicalRangeReversed: .kernelLogicalRange
    case .descriptorTooLong, .reportSizeTooLarge, .reportCountTooLarge, .tooManyUsages,
      .reportTooLong:
      .kernelLimit
    }
  }

  /// All fields with their reports, in the order of their items.
  var fields: [(report: HIDReportLayout, field: HIDReportField)] {
    guard let descriptor else { return [] }
    return descriptor.reports.flatMap { report in
      report.fields.map { (report: report, field: $0) }
    }.sorted { $0.field.offset < $1.field.offset }
  }
}

extension HIDReportDescriptor {
  /// Returns the innermost collection of one kind around a field; `nil` if there is none.
  func collection(_ kind: HIDCollection.Kind, around field: HIDReportField) -> HIDCollection? {
    var next = field.collection
    while let index = next {
      if collections[index].kind == kind { return collections[index] }
      next = collections[index].parent
    }
    return nil
  }
}
