// SPDX-License-Identifier: Apache-2.0

package import CXKB
import KeyboardLayouts

/// A keymap that libxkbcommon has compiled from the xkb-data of this machine.
package final class XKBKeymap {
  /// The layout, with its variant in parentheses if it has one.
  let name: String
  /// The loaded functions of libxkbcommon.
  package let functions: hidsim_xkb
  /// The context of the keymap.
  package let context: OpaquePointer
  /// The keymap.
  package let keymap: OpaquePointer

  /// Compiles a layout for a keyboard of 105 keys.
  ///
  /// The names can contain only ASCII letters, ASCII digits, `_` and `-`, because libxkbcommon
  /// reads files with these names. Each name has at most 64 characters.
  ///
  /// - Parameter name: The layout, with its variant in parentheses: `de(neo)`.
  /// - Throws: `malformedName`; `missingLibrary` if libxkbcommon cannot be loaded or makes no
  ///   context, as without memory or without xkb-data; `unknownLayout` if it cannot compile the
  ///   layout, such as one that xkb-data does not have.
  package init(_ name: String) throws(XKBLayoutError) {
    guard let match = name.wholeMatch(of: /([A-Za-z0-9_-]{1,64})(?:\(([A-Za-z0-9_-]{0,64})\))?/)
    else { throw .malformedName(name) }
    let layout = String(match.1)
    let variant = match.2.map(String.init) ?? ""
    self.name = variant.isEmpty ? layout : "\(layout)(\(variant))"
    let functions = try Self.load()
    self.functions = functions
    guard let context = functions.context_new(0) else {
      throw .missingLibrary("xkb-data is missing, or there is not enough memory")
    }
    self.context = context
    // Log only fatal problems, because the thrown error reports the others. XKB_LOG_LEVEL_CRITICAL
    // is 10.
    functions.context_set_log_level(context, 10)
    let keymap = "evdev".withCString { rules in
      "pc105".withCString { model in
        layout.withCString { layout in
          variant.withCString { variant in
            "".withCString { options in
              var names = hidsim_xkb_names(
                rules: rules, model: model, layout: layout, variant: variant, options: options)
              return functions.keymap_new_from_names(context, &names, 0)
            }
          }
        }
      }
    }
    guard let keymap else {
      functions.context_unref(context)
      throw .unknownLayout(self.name)
    }
    self.keymap = keymap
  }

  deinit {
    functions.keymap_unref(keymap)
    functions.context_unref(context)
  }

  /// Loads the functions of libxkbcommon.
  private static func load() throws(XKBLayoutError) -> hidsim_xkb {
    var functions: UnsafePointer<hidsim_xkb>?
    if let problem = hidsim_xkb_load(&functions) {
      throw .missingLibrary(String(cString: problem))
    }
    guard let functions else { throw .missingLibrary("unknown error") }
    return functions.pointee
  }

  /// Returns the symbols of each key of ``XKBKey/typing`` in each state of Shift, AltGr and Caps
  /// Lock.
  ///
  /// - Returns: The symbols of the states ``KeyState/all``, by usage ID. Keys that type nothing are
  ///   left out. Empty if libxkbcommon cannot allocate a state.
  func symbols() -> [UInt8: [KeySymbol]] {
    var columns: [[KeySymbol]] = []
    for keyState in KeyState.all {
      guard let state = functions.state_new(keymap) else { return [:] }
      defer { functions.state_unref(state) }
      if keyState.contains(.capsLock) {
        press(XKBKey.capsLock, on: state)
        _ = functions.state_update_key(state, XKBKey.capsLock, 0)
      }
      if keyState.contains(.shift) { press(XKBKey.leftShift, on: state) }
      if keyState.contains(.altGr) { press(XKBKey.rightAlt, on: state) }
      columns.append(
        XKBKey.typing.map { symbol(functions.state_key_get_one_sym(state, XKBKey.number($0))) })
    }
    var symbols: [UInt8: [KeySymbol]] = [:]
    for (index, usageID) in XKBKey.typing.enumerated() {
      let row = columns.map { $0[index] }
      if row.contains(where: { $0 != .none }) { symbols[usageID] = row }
    }
    return symbols
  }

  private func press(_ key: UInt32, on state: OpaquePointer) {
    _ = functions.state_update_key(state, key, 1)
  }

  private func symbol(_ number: UInt32) -> KeySymbol {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress, functions.keysym_get_name(number, start, 64) > 0 else {
        return ""
      }
      return String(cString: start)
    }
    if name.hasPrefix("dead_") { return .dead(String(name.dropFirst(5))) }
    switch functions.keysym_to_utf32(number) {
    case 0x09: return .character("\t")
    case 0x0D: return .character("\n")
    case ..<0x20, 0x7F: return .none
    case let value: return Unicode.Scalar(value).map(KeySymbol.character) ?? .none
    }
  }
}
