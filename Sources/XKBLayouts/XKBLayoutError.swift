// SPDX-License-Identifier: Apache-2.0
import HIDText
import KeyboardLayouts

/// The reason why there is no layout with a name.
public enum XKBLayoutError: Error, Hashable, Sendable {
  /// No layout has this code.
  case unknownCode(String)
  /// The text after `xkb:` is not the name of a layout.
  case malformedName(String)
  /// The xkb-data of this machine has no such layout, or libxkbcommon cannot compile it.
  case unknownLayout(String)
  /// libxkbcommon cannot be used; the text is the reason, such as the loader's message.
  case missingLibrary(String)
}

extension XKBLayoutError: CustomStringConvertible {
  /// The problem, as a message for the user.
  public var description: String {
    switch self {
    case .unknownCode(let code): "there is no layout \"\(code)\""
    case .malformedName(let name):
      "expected a layout of xkb-data after \"xkb:\", found \"\(name)\""
    case .unknownLayout(let name): "this machine's xkb-data has no layout \"\(name)\""
    case .missingLibrary(let problem): "libxkbcommon cannot be used (\(problem))"
    }
  }

  /// The advice for the user.
  public var help: String {
    switch self {
    case .unknownCode(let code):
      NameSuggestion.nearest(to: code, in: KeyboardLayout.codes).map { "did you mean \"\($0)\"?" }
        ?? "hidsim layouts lists the layouts"
    case .malformedName: "write it like xkb:de or xkb:de(neo)"
    case .unknownLayout: "the files of /usr/share/X11/xkb/symbols are layouts"
    case .missingLibrary: "install libxkbcommon0 and xkb-data, or name a layout of hidsim layouts"
    }
  }
}
