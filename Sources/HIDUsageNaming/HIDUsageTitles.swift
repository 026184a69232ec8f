// SPDX-License-Identifier: Apache-2.0

import HIDUsages

/// The titles of pages and usages in HID Usage Tables.
enum HIDUsageTitles {
  /// The titles, found by what is ``plain(_:)`` of them.
  static let shared = HIDUsageTable(table) { plain($0) }

  /// The letters and digits of a title in lower case: what is left of it in most spellings.
  ///
  /// The generator makes sure that no two titles of a page have the same.
  static func plain(_ title: some StringProtocol) -> String {
    let letters = title.utf8.compactMap { byte -> UInt8? in
      switch byte {
      case 0x30...0x39, 0x61...0x7a: byte
      case 0x41...0x5a: byte + 0x20
      default: nil
      }
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
