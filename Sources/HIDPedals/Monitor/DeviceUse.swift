// SPDX-License-Identifier: Apache-2.0

import CoreHID

/// The use that a ``PedalMonitor`` makes of a device.
public enum DeviceUse: Hashable, Sendable {
  /// Pedals: the monitor reports their strokes.
  case pedals(Pedals.Recognition)
  /// A keyboard to type on: the monitor lists it in ``KeyboardState``.
  case keyboard
  /// Any other device: the monitor ignores it.
  case other

  /// The beginnings of the product names of pedals.
  private static let names = ["AirTurn", "hidsim pedals"]

  /// The keys that a device must have so that udev treats it as a keyboard, as usages of page 7.
  ///
  /// They are the first 31 keys of linux/input-event-codes.h, Esc to S. Source: systemd,
  /// src/udev/udev-builtin-input_id.c.
  private static let keyboardKeys: [UInt16] =
    [0x29] + Array(0x1e...0x27) + [0x2d, 0x2e, 0x2a, 0x2b]
    + [
      0x14, 0x1a, 0x08, 0x15, 0x17, 0x1c, 0x18, 0x0c, 0x12, 0x13, 0x2f, 0x30, 0x28, 0xe0, 0x04,
      0x16,
    ]

  /// Makes the use from the product name and the usages of a device.
  ///
  /// - Parameters:
  ///   - product: The product name.
  ///   - usages: The usages of the input elements.
  ///   - isKeyboard: True if an application collection of the device is a keyboard or keypad.
  init(product: String?, usages: Set<HIDUsage>, isKeyboard: Bool) {
    let isWhole = Self.keyboardKeys.allSatisfy {
      usages.contains(HIDUsage(page: 0x07, usage: $0))
    }
    if let product, Self.names.contains(where: product.hasPrefix) {
      self = .pedals(.identity)
    } else if isKeyboard, isWhole {
      self = .keyboard
    } else if isKeyboard, Self.hasPedals(usages) {
      self = .pedals(.keys)
    } else {
      self = .other
    }
  }

  /// Returns whether a device has the usages of ports 1 and 3 of a mode, and no keys that are in no
  /// mode.
  ///
  /// The device may also have modifier keys, and usages on pages other than 7.
  ///
  /// A number pad also has arrow keys, but its digits distinguish it from pedals.
  private static func hasPedals(_ usages: Set<HIDUsage>) -> Bool {
    let keys = usages.filter { $0.page == 0x07 && ($0.usage ?? 0) < 0xe0 }
    let others = keys.subtracting(PedalMode.usages)
    return others.isEmpty
      && PedalMode.all.contains { mode in
        [1, 3].allSatisfy { mode.outputs[$0].map { usages.contains($0.usage) } ?? false }
      }
  }
}
