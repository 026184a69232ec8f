// SPDX-License-Identifier: Apache-2.0

/// The titles of pages and usages in the HID Usage Tables.
package enum HIDUsageTitles {
  /// The titles, found by the result of ``plain(_:)`` for them.
  package static let shared = HIDUsageTable(table) { plain($0) }

  /// Returns the ASCII letters and digits of a title in lower case, which most spellings share.
  ///
  /// The generator ensures that the results for the titles of a page differ.
  package static func plain(_ title: some StringProtocol) -> String {
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
