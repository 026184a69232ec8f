// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import HIDReportDescriptor

/// Checks that values in any reports of any report descriptor match their bits, and that setting a
/// value changes no other bits.
///
/// The first byte is the number of bytes at the end from which reports are made. The bytes between
/// are the report descriptor.
@c(LLVMFuzzerTestOneInput)
public func useValues(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = fuzzInput(start, count)
  guard let first = input.first else { return 0 }
  let descriptorBytes = input.dropFirst().dropLast(Int(first))
  var material = FuzzMaterial(input.suffix(min(Int(first), input.count)))
  for reading in HIDReading.allCases {
    guard
      let descriptor = try? HIDReportDescriptor(parsing: Array(descriptorBytes), reading: reading)
    else { continue }
    for layout in descriptor.reports.prefix(6) where layout.byteCount <= 1024 {
      check(layout, &material)
      checkNames(layout, descriptor)
    }
  }
  return 0
}

private func check(_ layout: HIDReportLayout, _ material: inout FuzzMaterial) {
  let isWhole = material.byte() & 3 != 0
  let previous = material.bytes(layout.byteCount)
  var report = material.bytes(isWhole ? layout.byteCount : Int(material.byte()))
  if let id = layout.id, !report.isEmpty { report[0] = id.rawValue }
  checkDecoder(layout, report)
  checkChanges(layout, nil, report)
  checkChanges(layout, previous, report)
  expect(layout.changes(from: nil, to: layout.zeroReport).allSatisfy { $0.value != 0 }, "of zeros")
  checkElements(layout, report, &material)
  checkControls(layout, &material)
}

// MARK: Bits, one by one

/// Returns the value of an element, read bit by bit; `nil` if the report does not have all its
/// bits, or if it is not 1 to 64 bits long.
private func bits(_ field: HIDReportField, at index: Int, of payload: ArraySlice<UInt8>) -> Int64? {
  let first = field.bitOffset + index * field.bitSize
  guard (1...64).contains(field.bitSize), (0..<field.count).contains(index),
    first + field.bitSize <= 8 * payload.count
  else { return nil }
  var value: UInt64 = 0
  for bit in 0..<field.bitSize {
    let place = first + bit
    let isOn = payload[payload.startIndex + place / 8] >> UInt8(place % 8) & 1 == 1
    if isOn { value |= 1 << UInt64(bit) }
  }
  let isNegative = field.isSigned && value >> UInt64(field.bitSize - 1) & 1 == 1
  if isNegative, field.bitSize < 64 { value |= .max << UInt64(field.bitSize) }
  return Int64(bitPattern: value)
}

/// Returns the indices of all elements of a field, or of its first 20 and last two.
private func places(_ field: HIDReportField) -> [Int] {
  field.count <= 24 ? Array(0..<field.count) : Array(0..<20) + [field.count - 2, field.count - 1]
}

private func payload(_ layout: HIDReportLayout, _ report: [UInt8]) -> ArraySlice<UInt8> {
  report.dropFirst(layout.payloadOffset)
}

// MARK: Reading

private func checkDecoder(_ layout: HIDReportLayout, _ report: [UInt8]) {
  let decoder = HIDReportDecoder(layout)
  let untouched: Int64 = 0x5a5a_5a5a_5a5a_5a5a
  var values = [Int64](repeating: untouched, count: decoder.valueCount + 1)
  var span = values.mutableSpan
  let count = decoder.decode(report.span, into: &span)
  expect(count <= decoder.valueCount, "too many values")
  expect(report.count < layout.byteCount || count == decoder.valueCount, "too few values")
  expect(values[decoder.valueCount] == untouched, "a value too many was written")
  let payload = payload(layout, report)
  for field in layout.fields.prefix(64) {
    guard let first = decoder.valueIndex(of: field) else {
      expect(
        field.isPadding || field.count == 0 || !(1...64).contains(field.bitSize),
        "a field without values")
      continue
    }
    for index in places(field) {
      let value = bits(field, at: index, of: payload)
      expect(field.value(at: index, in: Array(payload)) == value, "another value in the payload")
      if let value, first + index < count {
        expect(values[first + index] == value, "\(values[first + index]) decoded, not \(value)")
      } else {
        expect(first + index >= count, "a value that is not in the report")
        expect(report.count < layout.byteCount, "a whole report lacks a value")
      }
    }
  }
}

// MARK: Changes

private struct Change: Hashable {
  let field: Int
  let index: Int
  let previous: Int64
  let value: Int64
}

private func checkChanges(_ layout: HIDReportLayout, _ previous: [UInt8]?, _ report: [UInt8]) {
  let elementCount = layout.fields.reduce(0) { $0 + ($1.isPadding ? 0 : $1.count) }
  guard elementCount <= 512 else { return }
  let found = layout.changes(from: previous, to: report).map {
    Change(
      field: $0.control.fieldIndex, index: $0.control.index, previous: $0.previous,
      value: $0.value)
  }
  var expected: Set<Change> = []
  for field in layout.fields where !field.isPadding && (1...64).contains(field.bitSize) {
    let new = payload(layout, report)
    let old = previous.map { payload(layout, $0) }
    if field.isVariable {
      for index in 0..<field.count {
        guard let value = bits(field, at: index, of: new) else { continue }
        let before =
          field.isRelative ? 0 : old.flatMap { bits(field, at: index, of: $0) } ?? 0
        if value != before {
          expected.insert(
            Change(field: field.index, index: index, previous: before, value: value))
        }
      }
    } else {
      let newMembers = members(field, new)
      let oldMembers = old.map { members(field, $0) } ?? []
      let errorRollOver = HIDUsage(extended: 0x0007_0001)
      if newMembers.contains(where: { field.usage(at: $0) == errorRollOver }) { continue }
      for member in oldMembers.subtracting(newMembers) where isSelectable(field, member) {
        expected.insert(Change(field: field.index, index: member, previous: 1, value: 0))
      }
      for member in newMembers.subtracting(oldMembers) where isSelectable(field, member) {
        expected.insert(Change(field: field.index, index: member, previous: 0, value: 1))
      }
    }
  }
  expect(Set(found).count == found.count, "a change is told twice")
  expect(Set(found) == expected, "changes \(found), expected \(expected)")
  let fields = found.map(\.field)
  expect(zip(fields, fields.dropFirst()).allSatisfy { $0 <= $1 }, "changes out of order")
}

/// Returns the indices of the usages that an array selects.
private func members(_ field: HIDReportField, _ payload: ArraySlice<UInt8>) -> Set<Int> {
  var members: Set<Int> = []
  for index in 0..<field.count {
    guard let value = bits(field, at: index, of: payload), value >= field.logicalMinimum,
      value <= field.logicalMaximum,
      value - field.logicalMinimum < max(field.usages.count, field.count)
    else { continue }
    members.insert(Int(value - field.logicalMinimum))
  }
  return members
}

private func isSelectable(_ field: HIDReportField, _ member: Int) -> Bool {
  field.extendedUsage(at: member).map { $0 & 0xffff != 0 } ?? false
}

// MARK: Writing

private func checkElements(
  _ layout: HIDReportLayout, _ report: [UInt8], _ material: inout FuzzMaterial
) {
  for field in layout.fields.prefix(16) {
    checkPhysical(field, &material)
    guard field.count > 0 else { continue }
    let index = Int(material.number(in: 0...Int64(field.count - 1)))
    let value = material.number(in: .min ... .max)
    let before = Array(payload(layout, report))
    var after = before
    let isWritten = field.setValue(value, at: index, in: &after)
    expect(isWritten == (bits(field, at: index, of: before[...]) != nil), "written \(isWritten)")
    guard isWritten else {
      expect(after == before, "nothing was to be written")
      continue
    }
    let unused = UInt64(64 - field.bitSize)
    let low = (UInt64(bitPattern: value) << unused) >> unused
    let read = (UInt64(bitPattern: field.value(at: index, in: after) ?? 0) << unused) >> unused
    expect(read == low, "\(value) was written, \(read) read")
    let first = field.bitOffset + index * field.bitSize
    checkOthers(before, after, first..<first + field.bitSize)
  }
}

private func checkPhysical(_ field: HIDReportField, _ material: inout FuzzMaterial) {
  let value = material.number(in: field.representableRange)
  let physical = field.physicalValue(of: value)
  expect(physical?.isNaN != true, "\(value) is no number in the unit")
  expect(field.resolution?.isNaN != true, "a resolution that is no number")
  expect(physical == nil || !field.isNull(value), "a null value has a physical one")
  guard let logical = field.logicalValue(ofPhysical: physical ?? Double(value)) else { return }
  expect(
    logical >= field.logicalMinimum && logical <= field.logicalMaximum, "\(logical) out of range")
}

/// Checks that only bits of `changed` differ.
private func checkOthers(_ before: [UInt8], _ after: [UInt8], _ changed: Range<Int>) {
  expect(before.count == after.count, "the report has another length")
  for index in before.indices where before[index] != after[index] {
    for bit in 0..<8 where (before[index] ^ after[index]) >> UInt8(bit) & 1 == 1 {
      expect(changed.contains(8 * index + bit), "bit \(8 * index + bit) changed as well")
    }
  }
}

private func checkControls(_ layout: HIDReportLayout, _ material: inout FuzzMaterial) {
  var report = layout.neutralReport
  expect(report.count == layout.byteCount, "a neutral report of another length")
  for control in layout.controls.prefix(24) {
    let field = layout.fields[control.fieldIndex]
    let before = report
    let range = layout.settableRange(of: control) ?? 0...0
    let value = material.number(in: range)
    do { try layout.set(control, to: value, in: &report) } catch {
      expect(report == before, "changed by what was refused: \(error)")
      switch error {
      case .unsupportedSize: expect(!(1...64).contains(field.bitSize), "\(error)")
      case .arrayFull: expect(field.isArray && value == 1, "\(error)")
      default: expect(false, "\(error)")
      }
      continue
    }
    expect(layout.value(of: control, in: report) == value, "\(control.usage) is not \(value)")
    let start = 8 * layout.payloadOffset + field.bitOffset
    let isAlone = !field.isArray
    let first = isAlone ? start + control.index * field.bitSize : start
    checkOthers(
      before, report, first..<first + (isAlone ? field.bitSize : field.bitCount))
    if field.isArray { checkArray(layout, field, control, value, before, report) }
    if material.byte() & 3 == 0 {
      layout.reset(control, in: &report)
      let isFiller = field.neutralValue == field.logicalMinimum + Int64(control.index)
      expect(
        layout.value(of: control, in: report)
          == (field.isArray ? (isFiller ? 1 : 0) : field.neutralValue), "not reset")
    }
  }
}

/// Checks that the other usages that an array selects are the same as before.
private func checkArray(
  _ layout: HIDReportLayout, _ field: HIDReportField, _ control: HIDReportElement, _ value: Int64,
  _ before: [UInt8], _ after: [UInt8]
) {
  let filler = field.neutralValue - field.logicalMinimum
  var expected = Set(
    layout.selectedControls(of: field, in: before.span).map(\.index).filter { $0 != filler })
  if value == 1 { expected.insert(control.index) } else { expected.remove(control.index) }
  let found = layout.selectedControls(of: field, in: after.span).map(\.index)
  expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "selected out of order")
  expect(
    Set(found.filter { $0 != filler }) == expected.filter { $0 != filler }, "others are selected")
}

private func checkNames(_ layout: HIDReportLayout, _ descriptor: HIDReportDescriptor) {
  for control in layout.controls.prefix(5) {
    expect(layout.control(control.usage) != nil, "\(control.usage) is not found")
    expect(layout.controls(control.usage).contains(control), "a control is not found")
    let name = descriptor.name(of: control)
    expect(
      descriptor.controls(named: name, type: control.type) == [control], "\(name) is another")
  }
}
