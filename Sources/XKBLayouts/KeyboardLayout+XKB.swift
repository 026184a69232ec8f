// SPDX-License-Identifier: Apache-2.0

public import KeyboardLayouts

extension KeyboardLayout {
  /// The prefix of the names of layouts from this machine's xkb-data.
  public static let xkbPrefix = "xkb:"

  /// Finds the layout with a code, or a layout of this machine's xkb-data.
  ///
  /// The shape of a layout of xkb-data is `iso`.
  ///
  /// - Parameters:
  ///   - name: A code such as `de-DE`, or `xkb:` and a layout of xkb-data with its variant in
  ///     parentheses: `xkb:de(neo)`. The second form needs libxkbcommon.
  ///   - host: The system of the host. It has no effect on a layout of xkb-data.
  /// - Throws: The reason why there is no such layout.
  public init(named name: String, host: Host = .linux) throws(XKBLayoutError) {
    guard name.hasPrefix(Self.xkbPrefix) else {
      guard let layout = KeyboardLayout(code: name, host: host) else { throw .unknownCode(name) }
      self = layout
      return
    }
    let keymap = try XKBKeymap(String(name.dropFirst(Self.xkbPrefix.count)))
    self.init(
      code: Self.xkbPrefix + keymap.name, name: keymap.name, xkbName: keymap.name, shape: .iso,
      symbols: keymap.symbols())
  }
}
