// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

/// Tests with random descriptors whose meaning is known.
@Suite("random descriptors")
struct HIDReadingPropertyTests {
  private static let seeds: Range<UInt64> = 0..<500

  @Test("items decode to those that were encoded")
  func items() throws {
    for seed in Self.seeds {
      let random = RandomDescriptor(seed: seed)
      let decoded = try HIDItem.decodeAll(random.bytes)
      #expect(decoded.count == random.items.count, "seed \(seed)")
      for (decoded, item) in zip(decoded, random.items) {
        #expect(decoded.tag == item.tag, "seed \(seed)")
        #expect(decoded.data == item.data, "seed \(seed)")
        #expect(decoded.dataByteCount == item.dataByteCount, "seed \(seed)")
      }
    }
  }

  @Test("the collections are those that were generated")
  func collections() throws {
    for seed in Self.seeds {
      let random = RandomDescriptor(seed: seed)
      let descriptor = try HIDReportDescriptor(parsing: random.bytes)
      let collections = descriptor.collections.map {
        RandomDescriptor.Collection(
          parent: $0.parent, kind: $0.kind.rawValue, usage: $0.usages.extendedUsage(at: 0) ?? 0,
          offset: $0.offset)
      }
      #expect(collections == random.collections, "seed \(seed)")
    }
  }

  @Test("the fields are those that were generated, one after the other in their reports")
  func fields() throws {
    for seed in Self.seeds {
      let random = RandomDescriptor(seed: seed)
      let descriptor = try HIDReportDescriptor(parsing: random.bytes)
      #expect(
        descriptor.reports.reduce(0) { $0 + $1.fields.count } == random.fields.count,
        "seed \(seed)")
      for report in descriptor.reports {
        let planned = random.fields.filter {
          $0.type == report.type && $0.id == report.id?.rawValue
        }
        #expect(report.fields.map { Self.plan($0, of: report) } == planned, "seed \(seed)")
        var bitOffset = 0
        for field in report.fields {
          #expect(field.bitOffset == bitOffset, "seed \(seed)")
          bitOffset += field.bitSize * field.count
        }
        #expect(report.bitCount == bitOffset, "seed \(seed)")
        #expect(report.payloadByteCount == (bitOffset + 7) / 8, "seed \(seed)")
        #expect(report.byteCount == report.payloadByteCount + (report.id == nil ? 0 : 1))
      }
    }
  }

  private static func plan(
    _ field: HIDReportField, of report: HIDReportLayout
  ) -> RandomDescriptor.Field {
    RandomDescriptor.Field(
      type: report.type, id: report.id?.rawValue, offset: field.offset, bitSize: field.bitSize,
      count: field.count, logical: field.logicalMinimum...field.logicalMaximum,
      physical: field.physicalMinimum...field.physicalMaximum, unit: field.unit,
      unitExponent: field.unitExponent, flags: field.flags.rawValue,
      usages: field.usages.indices.compactMap { field.usages.extendedUsage(at: $0) },
      collection: field.collection ?? -1)
  }
}
