// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A collection of a device's report descriptor: a group of elements.
public struct HIDElementCollection: Sendable {
  /// The relation between the elements of a collection.
  ///
  /// Source: HID 1.11, section 6.2.2.6.
  public enum CollectionType: Equatable, Hashable, Sendable {
    /// Controls that are used together: a keyboard, a mouse. Code 1.
    case application
    /// Related data: for example a report with a header. Code 2, or a vendor's or reserved code.
    case logical
    /// An array of selectors with names. Code 4.
    case namedArray
    /// Data of one point: the axes of a stick. Code 0.
    case physical
    /// All fields of one report. Code 3.
    case report
    /// A change in the meaning of the usages within. Code 6.
    case usageModifier
    /// A selection of how the usages within are used. Code 5.
    case usageSwitch
  }

  /// The client that made the collection; the collection does not keep it alive.
  public unowned var client: HIDDeviceClient
  /// The relation between the elements.
  public var type: CollectionType
  /// The usage of the collection.
  public var usage: HIDUsage

  /// The index in the descriptor, from 0; `nil` for the parent of elements outside any collection.
  let index: Int?

  init(_ client: HIDDeviceClient, _ collection: HIDCollection?) {
    self.client = client
    type = collection.map { CollectionType($0.kind) } ?? .application
    usage = collection?.usage ?? HIDUsage(page: 0, usage: nil)
    index = collection?.index
  }

  /// The collection around this one; `nil` at the top.
  public var parentCollection: HIDElementCollection? {
    client.model.parent(of: index).map { HIDElementCollection(client, $0) }
  }

  /// The collections directly within this one, in the order of the descriptor.
  public var childCollections: [HIDElementCollection] {
    client.model.children(of: index).map { HIDElementCollection(client, $0) }
  }

  /// The elements directly within this one, in the order of the descriptor.
  public var childElements: [HIDElement] { client.model.elements(of: client, in: index) }
}

extension HIDElementCollection: Equatable, Hashable {
  /// Returns whether two collections are the same collection of the same client, with equal
  /// properties.
  public static func == (first: HIDElementCollection, second: HIDElementCollection) -> Bool {
    first.index == second.index && first.client === second.client && first.type == second.type
      && first.usage == second.usage
  }

  /// Feeds the client and the index of the collection to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(client))
    hasher.combine(index)
  }
}

extension HIDElementCollection: CustomStringConvertible {
  /// The type and the usage.
  public var description: String { "HIDElementCollection(\(type), \(usage))" }
}

extension HIDElementCollection.CollectionType {
  /// Makes the type of a descriptor's collection; ``logical`` for vendors' and reserved types.
  init(_ kind: HIDCollection.Kind) {
    self =
      switch kind {
      case .physical: .physical
      case .application: .application
      case .report: .report
      case .namedArray: .namedArray
      case .usageSwitch: .usageSwitch
      case .usageModifier: .usageModifier
      default: .logical
      }
  }
}
