// SPDX-License-Identifier: Apache-2.0

public import HIDUsages

/// A nesting level of a report descriptor.
public struct HIDCollection: Hashable, Sendable {
  /// The kind of a collection.
  ///
  /// Source: HID 1.11, section 6.2.2.6.
  public enum Kind: Hashable, Sendable {
    /// Data that belongs to one physical point (0).
    case physical
    /// A function of the device that a host can tell from others (1).
    case application
    /// Data that belongs together (2).
    case logical
    /// All fields of a report (3).
    case report
    /// An array of selectors (4).
    case namedArray
    /// A change of the meaning of the usages inside (5).
    case usageSwitch
    /// A change of the meaning of the usage of the collection around it (6).
    case usageModifier
    /// Any other kind: reserved up to 0x7f, defined by the vendor from 0x80.
    case other(UInt8)
  }

  /// The index among the descriptor's collections, in order of opening.
  public let index: Int
  private let storage: HIDDescriptorStorage

  init(_ storage: HIDDescriptorStorage, at index: Int) {
    self.storage = storage
    self.index = index
  }

  private var record: HIDCollectionRecord { storage.collections[index] }

  /// The index of the collection around this one; `nil` for a top-level collection.
  public var parent: Int? { record.parent < 0 ? nil : Int(record.parent) }
  /// The number of collections around this one.
  public var depth: Int { Int(record.depth) }
  /// The kind of the collection.
  public var kind: Kind { Kind(rawValue: record.kind) }
  /// The usages of the Collection item; there should be exactly one.
  public var usages: HIDUsageList { storage.usages(record.usages) }
  /// The position of its Collection item, in bytes from the start of the descriptor.
  public var offset: Int { Int(record.offset) }
  /// The purpose of the collection: its first usage, or `nil` if it has none.
  public var usage: HIDUsage? { usages.first }
  /// The indices of the collection's designators, as the descriptor lists them.
  public var designators: [HIDIndexRange] {
    storage.rarities(ofItemAt: offset)?.designators ?? []
  }
  /// The indices of the collection's strings, as the descriptor lists them.
  public var strings: [HIDIndexRange] { storage.rarities(ofItemAt: offset)?.strings ?? [] }
}

/// The collections of a descriptor in order of opening.
public struct HIDCollections: RandomAccessCollection, Sendable {
  let storage: HIDDescriptorStorage

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of collections.
  public var endIndex: Int { storage.collections.count }

  /// Returns the collection at an index.
  public subscript(position: Int) -> HIDCollection {
    precondition(indices.contains(position), "no such collection")
    return HIDCollection(storage, at: position)
  }
}

extension HIDCollection.Kind: RawRepresentable, CustomStringConvertible {
  /// Creates the kind with this number; every number has one.
  public init(rawValue: UInt8) {
    self =
      switch rawValue {
      case 0: .physical
      case 1: .application
      case 2: .logical
      case 3: .report
      case 4: .namedArray
      case 5: .usageSwitch
      case 6: .usageModifier
      default: .other(rawValue)
      }
  }

  /// The number in the descriptor.
  public var rawValue: UInt8 {
    switch self {
    case .physical: 0
    case .application: 1
    case .logical: 2
    case .report: 3
    case .namedArray: 4
    case .usageSwitch: 5
    case .usageModifier: 6
    case .other(let number): number
    }
  }

  /// The name, or the number as `0x80`.
  public var description: String {
    switch self {
    case .physical: "physical"
    case .application: "application"
    case .logical: "logical"
    case .report: "report"
    case .namedArray: "namedArray"
    case .usageSwitch: "usageSwitch"
    case .usageModifier: "usageModifier"
    case .other(let number): hexadecimal(UInt32(number), digitCount: 2)
    }
  }

  static let named: [Self] = [
    .physical, .application, .logical, .report, .namedArray, .usageSwitch, .usageModifier,
  ]
}
