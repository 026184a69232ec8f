// SPDX-License-Identifier: Apache-2.0

import KeyboardLayouts
import Synchronization
import XKBLayouts

/// The layouts that `type` commands of scripts have used, kept for later commands.
enum TypingLayouts {
  /// The code of the layout for a `type` command that names no layout.
  static let defaultCode = "en-US"

  private static let known = Mutex<[String: KeyboardLayout]>([:])

  /// Returns the layout with this name: a code, or `xkb:` and a name of xkb-data.
  static func layout(named name: String) throws(XKBLayoutError) -> KeyboardLayout {
    if let layout = known.withLock({ $0[name] }) { return layout }
    let layout = try KeyboardLayout(named: name)
    known.withLock { $0[name] = layout }
    return layout
  }
}
