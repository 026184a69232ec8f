// SPDX-License-Identifier: Apache-2.0

public import KeyboardLayouts

extension KeyboardLayout {
  /// What begins the name of a layout of this machine's xkb-data.
  public static let xkbPrefix = "xkb:"

  /// The layout with a code, or a layout of this machine's xkb-data.
  ///
  /// - Parameters:
  ///   - name: A code such as `de-DE`, or `xkb:` and a layout of xkb-data with its variant in
  ///     parentheses: `xkb:de(neo)`. The second form needs libxkbcommon.
  ///   - host: The system of the host.
  /// - Throws: The reason why there is no such layout.
  public init(named name: String, host: Host = .linux) throws(XKBLayoutError) {
    guard name.hasPrefix(Self.xkbPrefix) else {
      guard let layout = KeyboardLayout(code: name, host: host) else { throw .unknownCode(name) }
      self = layout
      return
    }
    let (layout, variant) = try Self.parts(String(name.dropFirst(Self.xkbPrefix.count)))
    let keymap = try XKBKeymap(layout: layout, variant: variant)
    let xkbName = variant.isEmpty ? layout : "\(layout)(\(variant))"
    self.init(
      code: Self.xkbPrefix + xkbName, name: xkbName, xkbName: xkbName, shape: .iso,
      symbols: keymap.symbols())
  }

  /// Takes `de(neo)` apart.
  ///
  /// libxkbcommon reads files by these names, so that only letters, digits, `_` and `-` are allowed.
  private static func parts(_ name: String) throws(XKBLayoutError) -> (String, String) {
    guard let match = name.wholeMatch(of: /([A-Za-z0-9_-]{1,64})(?:\(([A-Za-z0-9_-]{0,64})\))?/)
    else { throw .malformedName(name) }
    return (String(match.1), match.2.map(String.init) ?? "")
  }
}
