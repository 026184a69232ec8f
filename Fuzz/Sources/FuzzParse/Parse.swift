// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that any bytes are refused with an error, or give a consistent descriptor.
///
/// The offset of an error, if it has one, must be inside the bytes. The check runs for each
/// `HIDReading`.
@c(LLVMFuzzerTestOneInput)
public func parse(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  let items = try? HIDItem.decodeAll(bytes)
  if let items { checkItems(items, bytes) }
  for reading in HIDReading.allCases {
    do {
      let descriptor = try HIDReportDescriptor(parsing: bytes, reading: reading)
      expect(items != nil || reading == .specification, "Linux accepts what cannot be decoded")
      checkCollections(descriptor)
      checkReports(descriptor)
      checkWhole(descriptor)
    } catch {
      expect(error.offset.map(bytes.indices.contains) ?? true, "a fault outside: \(error)")
      expect(!error.description.isEmpty, "an error without words")
    }
  }
  return 0
}

private func checkItems(_ items: [HIDItem], _ bytes: [UInt8]) {
  var position = 0
  var encoded: [UInt8] = []
  for item in items {
    expect(item.offset == position, "a gap between items at \(position)")
    position += item.byteCount
    if item.isLong {
      encoded += bytes[item.offset..<position]
    } else {
      item.encode(into: &encoded)
    }
  }
  expect(encoded == bytes, "items encode to other bytes")
}

private func checkCollections(_ descriptor: HIDReportDescriptor) {
  var before = -1
  for (index, collection) in descriptor.collections.enumerated() {
    expect(collection.index == index, "a collection in another's place")
    expect(collection.offset > before, "collections out of order")
    before = collection.offset
    if let parent = collection.parent {
      expect(parent < index, "a collection in a later one")
      expect(
        collection.depth == descriptor.collections[parent].depth + 1, "a wrong depth at \(index)")
    } else {
      expect(collection.depth == 0, "a top-level collection at depth \(collection.depth)")
    }
    checkUsages(collection.usages)
  }
}

private func checkReports(_ descriptor: HIDReportDescriptor) {
  var before = -1
  var elementCount = 0
  for report in descriptor.reports {
    let order = HIDReportType.allCases.firstIndex(of: report.type).map { $0 << 8 } ?? 0
    let slot = order | Int(report.id?.rawValue ?? 0)
    expect(slot > before, "reports out of order")
    before = slot
    expect(descriptor.report(report.type, id: report.id) == report, "a report is not found")
    expect(!report.fields.isEmpty, "a report without fields")
    expect(
      report.byteCount <= HIDReportDescriptor.maximumReportByteCount, "a report over the limit")
    expect(report.zeroReport.count == report.byteCount, "a zero report of another length")
    var bit = 0
    var offset = -1
    for (index, field) in report.fields.enumerated() {
      expect(field.index == index && field.offset > offset, "fields out of order")
      expect(field.bitOffset == bit, "a gap before field \(index)")
      offset = field.offset
      bit += field.bitCount
      if let collection = field.collection {
        expect(descriptor.collections.indices.contains(collection), "no such collection")
      }
      elementCount += checkField(field, descriptor.reading)
    }
    expect(bit == report.bitCount, "fields of \(bit) bits in a report of \(report.bitCount)")
    expect(
      descriptor.report(report.type, of: report.zeroReport) == report
        || descriptor.numbersReports(report.type) && report.id == nil, "bytes of another report")
  }
  expect(descriptor.elementCount == elementCount, "\(elementCount) elements")
}

/// Checks a field, and returns the number of elements that it adds to `elementCount`.
///
/// It is 0 for padding. For an array, it is the number of usages that the array can select if they
/// are more than its elements.
private func checkField(_ field: HIDReportField, _ reading: HIDReading) -> Int {
  checkUsages(field.usages)
  // Alternatives can have more usages: no host reads all of them.
  expect(field.usages.count <= HIDReportDescriptor.maximumUsageCount, "too many usages")
  expect(field.count <= HIDReportDescriptor.maximumUsageCount, "too many elements")
  expect(field.bitSize <= HIDReportDescriptor.maximumFieldBitSize, "an element too large")
  expect(field.isPadding == field.usages.isEmpty, "padding with usages")
  let bits = field.representableRange
  let values = field.valueRange
  expect(
    bits.lowerBound <= values.lowerBound && values.upperBound <= bits.upperBound,
    "values that the bits do not hold")
  expect(bits.contains(field.neutralValue), "a neutral value that the bits do not hold")
  let last = max(field.usages.count, field.count) - 1
  expect((field.usage(at: last) != nil) == !field.isPadding, "no usage for the last element")
  expect(field.usage(at: last + 1) == nil && field.usage(at: -1) == nil, "a usage for no element")
  for alternatives in field.alternatives {
    checkUsages(alternatives.usages)
    expect(!alternatives.usages.isEmpty, "alternatives of nothing")
    if reading == .specification {
      expect(
        field.usages.extendedUsage(at: alternatives.index)
          == alternatives.usages.extendedUsage(at: 0), "alternatives in another's place")
    }
  }
  _ = (field.designators, field.strings, field.flags.words)
  if field.isPadding { return 0 }
  if field.isVariable { return field.count }
  // An array can report as many usages as have both a logical value and a place in the list.
  let values64 = max(0, field.logicalMaximum - field.logicalMinimum + 1)
  return max(field.count, Int(min(values64, Int64(field.usages.count))))
}

private func checkUsages(_ usages: HIDUsageList) {
  var next = 0
  for range in usages.ranges {
    expect(range.startIndex == next && range.count > 0, "a gap between usage ranges")
    expect(usages.extendedUsage(at: next) == range.first, "another first usage at \(next)")
    next += range.count
    expect(usages.extendedUsage(at: next - 1) == range.last, "another last usage at \(next - 1)")
  }
  expect(usages.count == next, "\(usages.count) usages in ranges of \(next)")
  expect(usages.extendedUsage(at: next) == nil, "a usage behind the last")
  if let first = usages.first {
    expect(usages.firstIndex(of: first) == 0, "the first is not found")
  }
}

private func checkWhole(_ descriptor: HIDReportDescriptor) {
  if let usage = descriptor.primaryUsage {
    expect(
      descriptor.collections.contains { $0.kind == .application && $0.usage == usage },
      "a primary usage of no application")
  }
  let topCount = descriptor.collections.count { $0.parent == nil }
  expect(descriptor.children(of: nil).count == topCount, "\(topCount) collections at the top")
  let again = try? HIDReportDescriptor(parsing: descriptor.bytes, reading: descriptor.reading)
  expect(again == descriptor, "another descriptor from the same bytes")
  guard descriptor.reading == .linux else { return }
  let overUHID = try? HIDReportDescriptor(
    parsing: descriptor.bytes,
    maximumReportByteCount: HIDReportDescriptor.uhidMaximumReportByteCount)
  // The limit includes the report ID, even if there is none.
  let longest = descriptor.reports.map(\.payloadByteCount).max() ?? 0
  expect(
    (overUHID != nil) == (longest < HIDReportDescriptor.uhidMaximumReportByteCount),
    "a report of \(longest) bytes over uhid")
}
