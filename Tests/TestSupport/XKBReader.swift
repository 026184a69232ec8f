// SPDX-License-Identifier: Apache-2.0

import CXKB
import XKBLayouts

/// A reader of the text that a Linux desktop makes from key events, by libxkbcommon's state and its
/// composition of dead keys.
package final class XKBReader {
  private let keymap: XKBKeymap
  private var xkb: hidsim_xkb { keymap.functions }
  private let state: OpaquePointer
  private let table: OpaquePointer
  private let compose: OpaquePointer
  /// The text since the last call of ``takeText()``.
  package private(set) var text = ""

  /// Returns the text since the last call.
  package func takeText() -> String {
    defer { text = "" }
    return text
  }

  /// The reason why tests with a reader cannot run: libxkbcommon or its data is missing, or has
  /// another version.
  ///
  /// It is nil if the tests can run.
  package static let problem: String? = {
    do throws(XKBLayoutError) { _ = try XKBKeymap("us") } catch { return "\(error)" }
    if XKBReader("us") == nil { return "libx11-data is missing" }
    return LayoutGenerator.isComparable ? nil : "xkb-data or libx11-data is another version"
  }()

  /// Creates a reader for a layout of the machine's xkb-data; nil if that, libxkbcommon or the
  /// table of dead keys is missing.
  ///
  /// - Parameter name: The layout, with its variant in parentheses: `us(intl)`.
  package init?(_ name: String) {
    guard let keymap = try? XKBKeymap(name) else { return nil }
    let xkb = keymap.functions
    guard let state = xkb.state_new(keymap.keymap),
      let table = xkb.compose_table_new_from_locale(keymap.context, "en_US.UTF-8", 0),
      let compose = xkb.compose_state_new(table, 0)
    else { return nil }
    (self.keymap, self.state, self.table, self.compose) = (keymap, state, table, compose)
  }

  deinit {
    xkb.compose_state_unref(compose)
    xkb.compose_table_unref(table)
    xkb.state_unref(state)
  }

  /// Takes a key event.
  ///
  /// - Parameters:
  ///   - code: The key's code in linux/input-event-codes.h.
  ///   - isDown: True if the key went down, false if it went up.
  package func key(_ code: UInt16, isDown: Bool) {
    let key = UInt32(code) + 8
    if isDown { type(xkb.state_key_get_one_sym(state, key)) }
    _ = xkb.state_update_key(state, key, isDown ? 1 : 0)
  }

  private func type(_ symbol: UInt32) {
    // GTK handles Compose sequences in the same way. XKB_COMPOSE_FEED_IGNORED is 0. The status is
    // NOTHING 0, COMPOSING 1, COMPOSED 2 or CANCELLED 3.
    guard symbol != 0, xkb.compose_state_feed(compose, symbol) != 0 else { return }
    switch xkb.compose_state_get_status(compose) {
    case 1: break
    case 2:
      var buffer = [CChar](repeating: 0, count: 128)
      let count = xkb.compose_state_get_utf8(compose, &buffer, buffer.count)
      text += String(
        decoding: buffer.prefix(Int(max(0, count))).map(UInt8.init(bitPattern:)), as: UTF8.self)
      xkb.compose_state_reset(compose)
    case 3: xkb.compose_state_reset(compose)
    default:
      let value = xkb.keysym_to_utf32(symbol)
      if value != 0, let scalar = Unicode.Scalar(value == 0x0D ? 0x0A : value) {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}
