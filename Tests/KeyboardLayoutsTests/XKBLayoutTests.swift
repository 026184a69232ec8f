// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import KeyboardLayouts
import TestSupport
import Testing

import XKBLayouts

/// Comparison of the layout tables with libxkbcommon, the library that desktops use.
@Suite(
  "keyboard layouts and libxkbcommon",
  .enabled(
    if: XKBReader.problem == nil,
    "libxkbcommon, xkb-data or libx11-data is missing, or another version"))
struct XKBLayoutTests {
  /// Returns the text that libxkbcommon makes of key strokes.
  private static func text(_ strokes: [KeyStroke], _ reader: XKBReader) -> String {
    for stroke in strokes {
      var held: [UInt16] = []
      if stroke.modifiers.contains(.leftShift) { held.append(42) }
      if stroke.modifiers.contains(.rightAlt) { held.append(100) }
      let key = stroke.usage.linuxKeyCode ?? 0
      for code in held + [key] { reader.key(code, isDown: true) }
      for code in [key] + held.reversed() { reader.key(code, isDown: false) }
    }
    return reader.takeText()
  }

  @Test(
    "libxkbcommon types every character of every layout from its strokes",
    arguments: KeyboardLayout.codes)
  func characters(code: String) throws {
    let layout = try #require(KeyboardLayout(code: code))
    let reader = try #require(XKBReader(layout.xkbName))
    for character in layout.characters where character != "\r\n" {
      let strokes = try #require(layout.strokes(for: character))
      #expect(Self.text(strokes, reader) == String(character), "\(code): \(character)")
    }
  }

  @Test(
    "a layout of this machine is the same as the table of that layout",
    arguments: KeyboardLayout.codes)
  func machine(code: String) throws {
    let table = try #require(KeyboardLayout(code: code))
    let layout = try KeyboardLayout(named: "xkb:\(table.xkbName)")
    for usageID in table.usageIDs {
      for state in KeyState.all {
        #expect(
          layout.symbol(of: usageID, in: state) == table.symbol(of: usageID, in: state),
          "\(code): key \(usageID), state \(state.rawValue)")
      }
    }
    #expect(layout.usageIDs == table.usageIDs)
  }

  @Test("a layout without a table, such as de(neo), is found by its name")
  func neo() throws {
    let layout = try KeyboardLayout(named: "xkb:de(neo)")
    #expect(layout.code == "xkb:de(neo)")
    #expect(
      layout.strokes(for: "u")?.map(\.usageID) == [0x04], "the key that is A on a US keyboard")
  }

  @Test("an unknown layout name is refused with a remedy")
  func refusals() {
    func refusal(_ name: String) -> String {
      do throws(XKBLayoutError) {
        _ = try KeyboardLayout(named: name)
        return "accepted"
      } catch {
        return "\(error); \(error.help)"
      }
    }
    #expect(refusal("de-XX") == "there is no layout \"de-XX\"; hidsim layouts lists the layouts")
    #expect(
      refusal("xkb:../../etc/passwd")
        == "expected a layout of xkb-data after \"xkb:\", found \"../../etc/passwd\"; "
        + "write it like xkb:de or xkb:de(neo)")
    #expect(
      refusal("xkb:de(nothing)")
        == "this machine's xkb-data has no layout \"de(nothing)\"; "
        + "the files of /usr/share/X11/xkb/symbols are layouts")
  }
}
