// SPDX-License-Identifier: Apache-2.0

/// The state that earlier items set for an item: the page and the minimums in force, and the number
/// of collections around it.
struct HIDItemContext {
  /// The usage page in force.
  private(set) var page: UInt16 = 0
  private var minimum: (logical: Int32, physical: Int32) = (0, 0)
  private var saved: [(page: UInt16, minimum: (logical: Int32, physical: Int32))] = []
  /// The number of open collections.
  private(set) var openCount = 0

  /// Returns the number of collections around an item; an End Collection has the level of its
  /// Collection.
  func level(of item: HIDItem) -> Int {
    item.tag == .endCollection ? max(0, openCount - 1) : openCount
  }

  /// Returns the data of an item as a number.
  ///
  /// A maximum is unsigned unless the minimum in force is negative.
  func number(_ item: HIDItem) -> Int64 {
    let isUnsigned =
      switch item.tag {
      case .logicalMaximum: minimum.logical >= 0
      case .physicalMaximum: minimum.physical >= 0
      default: item.tag?.isSigned != true
      }
    return isUnsigned ? Int64(item.data) : Int64(item.signedData)
  }

  /// Returns the usage of a usage item: with its own page if it has 4 bytes, else with the page in
  /// force.
  func extendedUsage(_ item: HIDItem) -> UInt32 {
    item.dataByteCount > 2 ? item.data : UInt32(page) << 16 | item.data
  }

  /// Updates the state after an item.
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
