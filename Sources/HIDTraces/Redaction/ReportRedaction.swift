// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// The redaction of one report of a device.
struct ReportRedaction: Sendable {
  /// Keys that lie next to each other in a variable field.
  private struct Run: Sendable {
    let field: HIDReportField
    let first: Int
    let count: Int
    /// The number of keys before these in the report.
    let start: Int
  }

  /// An array whose elements can be keys.
  private struct Keys: Sendable {
    let field: HIDReportField
    /// The values of the first keys of the array, which replace the held keys.
    let values: [Int64]
    var slots = KeySlots()
  }

  private let layout: HIDReportLayout
  private let runs: [Run]
  private var runSlots = KeySlots()
  private var arrays: [Keys]
  /// The ranges that become 0, in bits from the start of the payload.
  private let blanks: [Range<Int>]

  /// Creates the redaction of a report; `nil` if the report reveals nothing about typed text.
  init?(_ layout: HIDReportLayout) {
    self.layout = layout
    var runs: [Run] = []
    var arrays: [Keys] = []
    var blanks: [Range<Int>] = []
    var padding: [Range<Int>] = []
    var keyCount = 0
    for field in layout.fields {
      let bits = Self.bits(of: field)
      if field.isPadding || field.isConstant {
        padding.append(bits)
        continue
      }
      let kinds = Set(field.usages.ranges.map { HIDKeyUsages($0) })
      guard kinds != [.harmless] else { continue }
      // Elements of more than 64 bits have no value that could be moved to another key.
      if kinds.contains(.text) || !(1...64).contains(field.bitSize) {
        blanks.append(bits)
      } else if field.isArray {
        arrays.append(Keys(field: field, values: Self.values(of: field)))
      } else {
        var index = 0
        while index < field.count {
          guard Self.isKey(field, index) else {
            index += 1
            continue
          }
          let first = index
          while index < field.count, Self.isKey(field, index) { index += 1 }
          runs.append(Run(field: field, first: first, count: index - first, start: keyCount))
          keyCount += index - first
        }
      }
    }
    guard !runs.isEmpty || !arrays.isEmpty || !blanks.isEmpty else { return nil }
    self.runs = runs
    self.arrays = arrays
    self.blanks = blanks + padding
  }

  private static func bits(of field: HIDReportField) -> Range<Int> {
    field.bitOffset..<field.bitOffset + field.bitCount
  }

  private static func isKey(_ field: HIDReportField, _ index: Int) -> Bool {
    field.extendedUsage(at: index).map { HIDKeyUsages($0) } == .key
  }

  /// Returns the values of the first keys of an array: at most twice as many as it has elements.
  private static func values(of field: HIDReportField) -> [Int64] {
    var values: [Int64] = []
    for index in 0..<field.usages.count where isKey(field, index) {
      let value = field.logicalMinimum + Int64(index)
      guard value <= field.logicalMaximum, field.representableRange.contains(value),
        values.count < 2 * field.count
      else { break }
      values.append(value)
    }
    return values
  }

  /// Returns the report without typed text.
  ///
  /// - Parameters:
  ///   - report: The report with its ID, of any length.
  ///   - remembers: True if the report changes which keys are held.
  mutating func redacted(_ report: [UInt8], remembers: Bool) -> [UInt8] {
    var payload = Array(report.dropFirst(layout.payloadOffset))
    // A keyboard that sends ErrorRollOver does not report its keys: they are held as before.
    let remembers = remembers && !layout.isRollOver(report)
    for index in arrays.indices { Self.redact(&arrays[index], &payload, remembers) }
    redactRuns(&payload, remembers)
    for blank in blanks { Self.clear(blank, in: &payload) }
    let declared = min(layout.payloadByteCount, payload.count)
    Self.clear(8 * declared..<8 * payload.count, in: &payload)
    return report.prefix(layout.payloadOffset) + payload
  }

  private mutating func redactRuns(_ payload: inout [UInt8], _ remembers: Bool) {
    var held: [(key: Int64, value: Int64)] = []
    for run in runs {
      for index in 0..<run.count {
        guard let value = run.field.value(at: run.first + index, in: payload) else { break }
        if value != 0 { held.append((Int64(run.start + index), value)) }
      }
      let bits = Self.bits(of: run.field).lowerBound
      Self.clear(
        bits + run.first * run.field.bitSize..<bits + (run.first + run.count) * run.field.bitSize,
        in: &payload)
    }
    let slots = runSlots.slots(of: held.map(\.key), remembers: remembers)
    for (slot, (_, value)) in zip(slots, held) { set(slot, to: value, in: &payload) }
  }

  /// Sets the replacement key of a slot to a value, if the report has so many keys.
  private func set(_ slot: Int, to value: Int64, in payload: inout [UInt8]) {
    var low = 0
    var high = runs.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if runs[middle].start <= slot { low = middle } else { high = middle - 1 }
    }
    guard runs.indices.contains(low), slot < runs[low].start + runs[low].count else { return }
    runs[low].field.setValue(
      value, at: runs[low].first + slot - runs[low].start, in: &payload)
  }

  private static func redact(
    _ keys: inout Keys, _ payload: inout [UInt8], _ remembers: Bool
  ) {
    let field = keys.field
    var held: [(index: Int, value: Int64)] = []
    var whole = 0
    while let value = field.value(at: whole, in: payload) {
      if isHeld(value, in: field) { held.append((whole, value)) }
      whole += 1
    }
    let slots = keys.slots.slots(of: held.map(\.value), remembers: remembers)
    for (slot, (index, _)) in zip(slots, held) {
      // If there are fewer replacement keys than held keys, the last replacement key is used again.
      let value = keys.values.isEmpty ? 0 : keys.values[min(slot, keys.values.count - 1)]
      field.setValue(value, at: index, in: &payload)
    }
    // Clear the element in the middle of which the report ends.
    let bits = bits(of: field)
    clear(bits.lowerBound + whole * field.bitSize..<bits.upperBound, in: &payload)
  }

  /// Returns whether a value of an array stands for a key that can carry text.
  ///
  /// A value other than 0 without a usage in the descriptor counts as such a key, because keyboards
  /// send such values. A null value, outside the logical range of an array with a null state, does
  /// not.
  private static func isHeld(_ value: Int64, in field: HIDReportField) -> Bool {
    guard value >= field.logicalMinimum, value <= field.logicalMaximum else {
      return value != 0 && !field.hasNullState
    }
    guard let usage = field.usages.extendedUsage(at: Int(value - field.logicalMinimum)) else {
      return value != 0
    }
    return HIDKeyUsages(usage) != .harmless
  }

  private static func clear(_ bits: Range<Int>, in payload: inout [UInt8]) {
    var bit = bits.lowerBound
    let end = min(bits.upperBound, 8 * payload.count)
    while bit < end {
      let width = min(8 - bit % 8, end - bit)
      let mask = UInt8(truncatingIfNeeded: (1 << width - 1) << (bit % 8))
      payload[bit / 8] &= ~mask
      bit += width
    }
  }
}

/// The assignment of held keys to slots; each slot is the index of a replacement key.
struct KeySlots: Sendable {
  private var held: [Int64: Int] = [:]

  /// Returns the slots of held keys.
  ///
  /// A key keeps its slot while it is held. A new key gets the lowest slot that is free now and was
  /// free in the previous report. So if one key goes up and another goes down in the same report,
  /// both changes stay visible.
  ///
  /// - Parameters:
  ///   - keys: The numbers of the keys; equal numbers are the same key.
  ///   - remembers: True if these keys are held from now on.
  mutating func slots(of keys: [Int64], remembers: Bool) -> [Int] {
    let taken = Set(held.values)
    var next = 0
    var now: [Int64: Int] = [:]
    let slots = keys.map { key in
      if let slot = now[key] ?? held[key] {
        now[key] = slot
        return slot
      }
      while taken.contains(next) { next += 1 }
      defer { next += 1 }
      now[key] = next
      return next
    }
    if remembers { held = now }
    return slots
  }
}
