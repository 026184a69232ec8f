// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor

/// A group of elements that a device's report descriptor makes.
public struct HIDElementCollection: Sendable {
  /// What the elements of a collection have in common.
  ///
  /// Source: HID 1.11, section 6.2.2.6.
  public enum CollectionType: Equatable, Hashable, Sendable {
    /// What is used together: a keyboard, a mouse. Code 1.
    case application
    /// Related data: a report with a header, say. Code 2.
    case logical
    /// An array of selectors that have names. Code 4.
    case namedArray
    /// Data of one point: the axes of a stick. Code 0.
    case physical
    /// All fields of one report. Code 3.
    case report
    /// Changes what the usages within mean. Code 6.
    case usageModifier
    /// Says how the usages within are used. Code 5.
    case usageSwitch
  }

  /// The client that the collection came from, which it does not keep alive.
  public unowned var client: HIDDeviceClient
  /// What the elements have in common.
  public var type: CollectionType
  /// What the collection is for.
  public var usage: HIDUsage

  /// The place in the descriptor, from 0; `nil` for what is around elements that stand in no collection.
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

  /// The collections right within this one, in the order of the descriptor.
  public var childCollections: [HIDElementCollection] {
    client.model.children(of: index).map { HIDElementCollection(client, $0) }
  }

  /// The elements right within this one, in the order of the descriptor.
  public var childElements: [HIDElement] { client.model.elements(of: client, in: index) }
}

extension HIDElementCollection: Equatable, Hashable {
  /// Whether two collections are the same one, of the same client.
  public static func == (first: HIDElementCollection, second: HIDElementCollection) -> Bool {
    first.index == second.index && first.client === second.client && first.type == second.type
      && first.usage == second.usage
  }

  /// Feeds what tells collections apart to `hasher`.
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
  /// The type of a descriptor's collection; ``logical`` for vendors' and reserved ones.
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
