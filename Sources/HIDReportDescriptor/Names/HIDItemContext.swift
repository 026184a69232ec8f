// SPDX-License-Identifier: Apache-2.0

/// What the items before an item say about how it is read: the page in force, and the collections around it.
struct HIDItemContext {
  /// The usage page in force.
  private(set) var page: UInt16 = 0
  private var minimum: (logical: Int32, physical: Int32) = (0, 0)
  private var saved: [(page: UInt16, minimum: (logical: Int32, physical: Int32))] = []
  /// The number of open collections.
  private(set) var openCount = 0

  /// The number of collections around an item; an End Collection stands as deep as its Collection.
  func level(of item: HIDItem) -> Int {
    item.tag == .endCollection ? max(0, openCount - 1) : openCount
  }

  /// The data of an item with a number as its minimum says it is read.
  ///
  /// A maximum is unsigned unless the minimum is negative.
  func number(_ item: HIDItem) -> Int64 {
    let isUnsigned =
      switch item.tag {
      case .logicalMaximum: minimum.logical >= 0
      case .physicalMaximum: minimum.physical >= 0
      default: item.tag?.isSigned != true
      }
    return isUnsigned ? Int64(item.data) : Int64(item.signedData)
  }

  /// The usage that a usage item names: with 4 bytes its own page, else the page in force.
  func extendedUsage(_ item: HIDItem) -> UInt32 {
    item.dataByteCount > 2 ? item.data : UInt32(page) << 16 | item.data
  }

  /// Takes note of an item that has been read.
  mutating func pass(_ item: HIDItem) {
    switch item.tag {
    case .usagePage: page = UInt16(truncatingIfNeeded: item.data)
    case .logicalMinimum: minimum.logical = item.signedData
    case .physicalMinimum: minimum.physical = item.signedData
    case .push: saved.append((page, minimum))
    case .pop:
      if let last = saved.popLast() { (page, minimum) = last }
    case .collection: openCount += 1
    case .endCollection: openCount = max(0, openCount - 1)
    default: break
    }
  }
}
