// SPDX-License-Identifier: Apache-2.0

import TestSupport

import HIDReportDescriptor

/// A random descriptor, and the plan from which it was made.
struct RandomDescriptor {
  /// The planned meaning of one main item.
  struct Field: Equatable {
    var type: HIDReportType
    var id: UInt8?
    var offset: Int
    var bitSize: Int
    var count: Int
    var logical: ClosedRange<Int64>
    var physical: ClosedRange<Int64>
    var unit: UInt32
    var unitExponent: Int
    var flags: UInt32
    var usages: [UInt32]
    var collection: Int
  }

  /// The planned meaning of one Collection item.
  struct Collection: Equatable {
    var parent: Int?
    var kind: UInt8
    var usage: UInt32
    var offset: Int
  }

  private(set) var items: [HIDItem] = []
  private(set) var bytes: [UInt8] = []
  private(set) var fields: [Field] = []
  private(set) var collections: [Collection] = []

  private var random: SplitMix64
  /// The global items in force, with the planned values.
  private var globals: [HIDItemTag: Int64] = [:]
  private var saved: [[HIDItemTag: Int64]] = []
  private let isNumbered: Bool

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    isNumbered = Bool.random(using: &random)
    for _ in 0..<Int.random(in: 1...3, using: &random) { addCollection(in: nil, depth: 0) }
  }

  private mutating func addCollection(in parent: Int?, depth: Int) {
    let index = collections.count
    let kind = parent == nil ? 1 : UInt8.random(in: 0...6, using: &random)
    let usage = addUsage(page: set(.usagePage, in: 0...0xffff))
    collections.append(
      Collection(parent: parent, kind: kind, usage: usage, offset: bytes.count))
    add(.collection, Int64(kind))
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if depth < 4, Int.random(in: 0..<4, using: &random) == 0 {
        addCollection(in: index, depth: depth + 1)
      } else {
        addField(in: index)
      }
    }
    add(.endCollection, 0)
  }

  private mutating func addField(in collection: Int) {
    let isSaved = saved.count < HIDReportDescriptor.maximumPushDepth && Bool.random(using: &random)
    if isSaved {
      add(.push, 0)
      saved.append(globals)
    }
    // All usages without a page of their own have one page: the last page before the main item
    // would apply to all of them.
    let page = set(.usagePage, in: 0...0xffff)
    var usages: [UInt32] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      usages += Bool.random(using: &random) ? [addUsage(page: page)] : addUsageRange(page: page)
    }
    let logical = set(.logicalMinimum, .logicalMaximum)
    let physical = set(.physicalMinimum, .physicalMaximum)
    let id = isNumbered ? UInt8(set(.reportID, in: 1...6)) : nil
    let unit = UInt32(set(.unit, in: 0...0xffff_ffff))
    let exponent = Int(set(.unitExponent, in: -8...7))
    let bitSize = Int(set(.reportSize, in: 1...32))
    let count = Int(set(.reportCount, in: 1...20))
    let types: [(HIDReportType, HIDItemTag)] = [
      (.input, .input), (.output, .output), (.feature, .feature),
    ]
    let (type, tag) = types[Int.random(in: 0..<3, using: &random)]
    let flags = UInt32.random(in: 0...0x1ff, using: &random)
    fields.append(
      Field(
        type: type, id: id, offset: bytes.count, bitSize: bitSize, count: count, logical: logical,
        physical: physical, unit: unit, unitExponent: exponent, flags: flags, usages: usages,
        collection: collection))
    add(tag, Int64(flags))
    if isSaved, let last = saved.popLast() {
      add(.pop, 0)
      globals = last
    }
  }

  /// Adds one usage, with a page of its own or with the page in force.
  private mutating func addUsage(page: Int64) -> UInt32 {
    if Bool.random(using: &random) {
      let usage = UInt32.random(in: 0x1_0000...0xffff_ffff, using: &random)
      add(.usage, Int64(usage))
      return usage
    }
    let id = Int64.random(in: 0...0xffff, using: &random)
    add(.usage, id)
    return UInt32(page << 16 | id)
  }

  private mutating func addUsageRange(page: Int64) -> [UInt32] {
    let first = Int64.random(in: 0...0xff00, using: &random)
    let last = first + Int64.random(in: 0...40, using: &random)
    add(.usageMinimum, first)
    add(.usageMaximum, last)
    return (first...last).map { UInt32(page << 16 | $0) }
  }

  private mutating func set(_ minimum: HIDItemTag, _ maximum: HIDItemTag) -> ClosedRange<Int64> {
    let lower = set(minimum, in: -0x8000_0000...0x7fff_ffff)
    // The sign of the minimum determines how the maximum's bytes are read, so the maximum is given
    // anew.
    globals[maximum] = nil
    let top: Int64 = lower < 0 ? 0x7fff_ffff : 0xffff_ffff
    return lower...set(maximum, in: lower...top)
  }

  /// Keeps the value of a global item that is in force, or writes the item with a random value.
  private mutating func set(_ tag: HIDItemTag, in range: ClosedRange<Int64>) -> Int64 {
    if let value = globals[tag], range.contains(value), Bool.random(using: &random) {
      return value
    }
    let isSmall = Bool.random(using: &random)
    let top = isSmall ? min(range.upperBound, range.lowerBound + 200) : range.upperBound
    let value = Int64.random(in: range.lowerBound...top, using: &random)
    add(tag, value)
    globals[tag] = value
    return value
  }

  private mutating func add(_ tag: HIDItemTag, _ value: Int64) {
    guard var item = HIDItem(shortest: tag, value: value) else { return }
    // Extra bytes do not change the value, except for the 32 bits of a usage with its page.
    let isLocal = item.kind == .local
    if item.dataByteCount > 0, !isLocal, Int.random(in: 0..<4, using: &random) == 0 {
      item = HIDItem(tag, data: UInt32(truncatingIfNeeded: value), dataByteCount: 4)
    }
    items.append(item)
    item.encode(into: &bytes)
  }
}
