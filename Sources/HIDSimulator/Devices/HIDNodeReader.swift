// SPDX-License-Identifier: Apache-2.0

/// A reader of a device's nodes, by the kind of node.
public enum HIDNodeReader: Hashable, Sendable, CaseIterable {
  /// Any reader.
  case any
  /// A reader of the hidraw node.
  case hidraw
  /// A reader of one of the evdev nodes.
  case evdev

  /// The noun in messages for the node; `device` for any node.
  package var noun: String {
    switch self {
    case .any: "device"
    case .hidraw: "hidraw node"
    case .evdev: "evdev node"
    }
  }
}
