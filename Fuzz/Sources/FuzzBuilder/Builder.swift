// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that a report descriptor that is built again from its words has the same meaning.
@c(LLVMFuzzerTestOneInput)
public func build(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  guard let items = try? HIDItem.decodeAll(bytes) else { return 0 }
  let named = HIDReportDescriptor.namedItems(items)
  expect(named.map(\.item) == items, "other items")
  for item in named { expect(!item.description.isEmpty, "an item without words") }

  guard let rebuilt = build(named) else { return 0 }
  if let items = try? HIDItem.decodeAll(rebuilt) {
    // The items are in their shortest form by now, which another build keeps.
    expect(build(HIDReportDescriptor.namedItems(items)) == rebuilt, "built a third time it differs")
  } else {
    expect(false, "what was built cannot be decoded")
  }
  guard saysItsWidths(items), let original = try? HIDReportDescriptor(parsing: bytes) else {
    return 0
  }
  expect(buildText(original.text) == rebuilt, "the text says something else")
  guard let descriptor = try? HIDReportDescriptor(parsing: rebuilt) else {
    // A number without bytes is 0, which is built with one byte: the result may be too long.
    expect(rebuilt.count > HIDReportDescriptor.maximumByteCount, "refused when built again")
    return 0
  }
  expect(descriptor.collections.elementsEqual(original.collections, by: isSame), "collections")
  expect(descriptor.reports.elementsEqual(original.reports, by: isSame), "reports")
  return 0
}

/// Builds items; `nil` if one of them has no words, or a value that the kernel refuses.
private func build(_ items: [HIDNamedItem]) -> [UInt8]? {
  var builder = HIDReportDescriptorBuilder()
  for item in items {
    guard let tag = item.tag else { return nil }
    do { try builder.append(tag, values: item.values) } catch {
      guard case .valueOutOfRange = error else {
        expect(false, "\(item) is not understood: \(error)")
        return nil
      }
      return nil
    }
  }
  return builder.bytes
}

private func buildText(_ text: String) -> [UInt8]? {
  var builder = HIDReportDescriptorBuilder()
  for line in text.split(separator: "\n") {
    let words = line.split(separator: " ").map(String.init)
    guard let name = words.first else { continue }
    let values = words.dropFirst().map { HIDReportDescriptorBuilder.Value.word($0) }
    do { try builder.append(name: name, values: values) } catch {
      expect(false, "\(line) is not understood: \(error)")
    }
  }
  return builder.bytes
}

/// Returns whether the words keep all facts of the items: they omit the width of a usage or page.
private func saysItsWidths(_ items: [HIDItem]) -> Bool {
  var widths: Set<Bool> = []
  var rangePages: Set<UInt32> = []
  var hasLatePage = false
  var hasWideUsage = false
  var wideEnds = 0  // minimums less maximums
  for item in items {
    switch item.tag {
    case .usage, .usageMinimum, .usageMaximum:
      let isWide = item.dataByteCount > 2
      if isWide, item.data <= 0xffff { return false }
      if item.tag != .usage {
        widths.insert(isWide)
        // If the ends have two pages, only the end on the current page becomes narrow.
        if isWide {
          rangePages.insert(item.data >> 16)
          wideEnds += item.tag == .usageMinimum ? 1 : -1
        }
        if rangePages.count > 1 { return false }
      }
      if isWide { hasWideUsage = true }
    case .usagePage:
      if item.data > 0xffff { return false }
      if hasWideUsage { hasLatePage = true }
    case .input, .output, .feature, .collection, .endCollection:
      // A wide usage on the current page becomes a narrow one, whose page a later item would
      // change. A minimum without a maximum, or a maximum without a minimum, makes a range with 0
      // of no page.
      if hasLatePage || wideEnds != 0 { return false }
      hasWideUsage = false
      rangePages = []
    default: break
    }
  }
  return widths.count <= 1
}

private func isSame(_ left: HIDCollection, _ right: HIDCollection) -> Bool {
  left.kind == right.kind && left.parent == right.parent && isSame(left.usages, right.usages)
}

private func isSame(_ left: HIDReportLayout, _ right: HIDReportLayout) -> Bool {
  left.type == right.type && left.id == right.id && left.bitCount == right.bitCount
    && left.fields.elementsEqual(right.fields, by: isSame)
}

private func isSame(_ left: HIDReportField, _ right: HIDReportField) -> Bool {
  left.bitOffset == right.bitOffset && left.bitSize == right.bitSize && left.count == right.count
    && left.logicalMinimum == right.logicalMinimum && left.logicalMaximum == right.logicalMaximum
    && left.physicalMinimum == right.physicalMinimum
    && left.physicalMaximum == right.physicalMaximum && left.unit == right.unit
    && left.unitExponent == right.unitExponent && left.flags == right.flags
    && left.collection == right.collection && isSame(left.usages, right.usages)
    && left.designators == right.designators && left.strings == right.strings
}

private func isSame(_ left: HIDUsageList, _ right: HIDUsageList) -> Bool {
  left.ranges.elementsEqual(right.ranges) { $0.first == $1.first && $0.count == $1.count }
}
