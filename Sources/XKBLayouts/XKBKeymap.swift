// SPDX-License-Identifier: Apache-2.0

import CXKB
import KeyboardLayouts

/// A keymap that libxkbcommon has compiled from the xkb-data of this machine.
final class XKBKeymap {
  private let functions: hidsim_xkb
  private let context: OpaquePointer
  private let keymap: OpaquePointer

  /// Compiles a layout for a keyboard of 105 keys.
  ///
  /// - Throws: `missingLibrary` without libxkbcommon; `unknownLayout` if xkb-data has no such layout.
  init(layout: String, variant: String) throws(XKBLayoutError) {
    let functions = try Self.load()
    self.functions = functions
    guard let context = functions.context_new(0) else { throw .missingLibrary("out of memory") }
    self.context = context
    // Only what is fatal: the error that is thrown says the rest. XKB_LOG_LEVEL_CRITICAL is 10.
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
      throw .unknownLayout(variant.isEmpty ? layout : "\(layout)(\(variant))")
    }
    self.keymap = keymap
  }

  deinit {
    functions.keymap_unref(keymap)
    functions.context_unref(context)
  }

  /// libxkbcommon's functions.
  static func load() throws(XKBLayoutError) -> hidsim_xkb {
    var functions: UnsafePointer<hidsim_xkb>?
    if let problem = hidsim_xkb_load(&functions) {
      throw .missingLibrary(String(cString: problem))
    }
    guard let functions else { throw .missingLibrary("unknown error") }
    return functions.pointee
  }

  /// What each key gives in each state, as a desktop would see it; keys that type nothing are left
  /// out.
  func symbols() -> [UInt8: [KeySymbol]] {
    var columns: [[KeySymbol]] = []
    for keyState in KeyState.all {
      guard let state = functions.state_new(keymap) else { return [:] }
      defer { functions.state_unref(state) }
      if keyState.contains(.capsLock) {
        press(LinuxKey.capsLock, on: state)
        _ = functions.state_update_key(state, LinuxKey.capsLock + LinuxKey.xkbOffset, 0)
      }
      if keyState.contains(.shift) { press(LinuxKey.leftShift, on: state) }
      if keyState.contains(.altGr) { press(LinuxKey.rightAlt, on: state) }
      columns.append(
        LinuxKey.typing.map { key in
          symbol(functions.state_key_get_one_sym(state, key.code + LinuxKey.xkbOffset))
        })
    }
    var symbols: [UInt8: [KeySymbol]] = [:]
    for (index, key) in LinuxKey.typing.enumerated() {
      let row = columns.map { $0[index] }
      if row.contains(where: { $0 != .none }) { symbols[key.usageID] = row }
    }
    return symbols
  }

  private func press(_ key: UInt32, on state: OpaquePointer) {
    _ = functions.state_update_key(state, key + LinuxKey.xkbOffset, 1)
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
    case 0x0D: return .character("\n")
    case 0..<0x20 as Range<UInt32> where functions.keysym_to_utf32(number) != 0x09: return .none
    case 0x7F: return .none
    case let value: return Unicode.Scalar(value).map(KeySymbol.character) ?? .none
    }
  }
}
