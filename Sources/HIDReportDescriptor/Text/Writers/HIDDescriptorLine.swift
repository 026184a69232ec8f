// SPDX-License-Identifier: Apache-2.0

import HIDText

/// One line of a descriptor as text: an item, or the bytes of a truncated item.
struct HIDDescriptorLine {
  /// The item; `nil` for the bytes of a truncated item.
  let item: HIDItem?
  /// The bytes, as a range of the descriptor.
  let range: Range<Int>
  /// The number of collections around the item, at most ``maximumLevel``.
  ///
  /// An End Collection has the level of its Collection.
  let level: Int
  /// The title of the item: `Usage Page (Generic Desktop)`; `Cut off` for a truncated item.
  let title: String
  /// The state before the item.
  let context: HIDItemContext

  /// The largest number of levels by which a line is indented.
  ///
  /// It limits the length of the text in relation to the descriptor.
  static let maximumLevel = 64

  /// Calls `body` for each item in any bytes, and for the bytes of a truncated item at the end.
  static func forEach(_ bytes: [UInt8], _ body: (HIDDescriptorLine) -> Void) {
    var context = HIDItemContext()
    var position = 0
    while position < bytes.count {
      let start = position
      guard let item = try? HIDItem(decoding: bytes.span, at: &position) else {
        let level = min(context.openCount, maximumLevel)
        body(
          HIDDescriptorLine(
            item: nil, range: start..<bytes.count, level: level, title: "Cut off", context: context)
        )
        return
      }
      body(
        HIDDescriptorLine(
          item: item, range: start..<position, level: min(context.level(of: item), maximumLevel),
          title: item.title(in: context), context: context))
      context.pass(item)
    }
  }
}

/// A text that is being written, as bytes.
struct TextOutput {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ text: String) { bytes += text.utf8 }

  mutating func write(spaces count: Int) {
    for _ in 0..<max(0, count) { bytes.append(0x20) }
  }

  /// Writes bytes as `0x05, 0x01,`.
  mutating func write(commaSeparated bytes: ArraySlice<UInt8>) {
    write(bytes.map { "0x\($0.hexDigits())," }.joined(separator: " "))
  }

  /// Writes bytes as `05 01`, sixteen per line.
  mutating func write(hexLines bytes: [UInt8], indent: Int = 0) {
    for start in stride(from: 0, to: bytes.count, by: 16) {
      write(spaces: indent)
      write(hexText(bytes[start..<min(start + 16, bytes.count)]) + "\n")
    }
  }
}
