// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import Testing

@Suite("HIDUsage aliases")
struct HIDUsageAliasTests {
  @Test(
    "a key is found by its alias and by its name, whatever the capitals",
    arguments: [
      ("a", 0x04), ("Z", 0x1d), ("1", 0x1e), ("0", 0x27), ("enter", 0x28), ("escape", 0x29),
      ("backspace", 0x2a), ("space", 0x2c), ("grave", 0x35), ("slash", 0x38), ("capsLock", 0x39),
      ("f1", 0x3a), ("F12", 0x45), ("f24", 0x73), ("delete", 0x4c), ("right", 0x4f), ("up", 0x52),
      ("numLock", 0x53), ("keypadEnter", 0x58), ("keypad0", 0x62), ("application", 0x65),
      ("menu", 0x76), ("ctrl", 0xe0), ("leftCtrl", 0xe0), ("SHIFT", 0xe1), ("alt", 0xe2),
      ("cmd", 0xe3), ("meta", 0xe3), ("rightGUI", 0xe7), ("keyboardA", 0x04),
      ("keyboardOrKeypad.keyboardA", 0x04), ("0xE8", 0xe8),
    ] as [(String, UInt16)])
  func keys(name: String, id: UInt16) {
    #expect(HIDUsage.key(named: name) == HIDUsage(page: 0x07, usage: id))
  }

  @Test(
    "a name that is no key is refused",
    arguments: ["", "aa", "led.capsLock", "keyboardOrKeypad", "f25"])
  func noKeys(name: String) {
    #expect(HIDUsage.key(named: name) == nil)
  }

  @Test("the printed alias of a usage is read as the same usage")
  func reverse() {
    for (name, usage) in HIDUsage.keyAliases {
      #expect(HIDUsage.key(named: name) == usage)
      #expect(usage.keyAlias.flatMap { HIDUsage.key(named: $0) } == usage)
    }
    for (name, usage) in HIDUsage.axisAliases {
      #expect(HIDUsage.axis(named: name) == usage)
      #expect(usage.alias == name)
    }
    for (name, usage) in HIDUsage.mouseButtonAliases {
      #expect(HIDUsage.mouseButton(named: name.uppercased()) == usage)
    }
    #expect(HIDUsage.keyboardOrKeypad(.keyboardLeftControl).keyAlias == "leftCtrl")
    #expect(HIDUsage.keyboardOrKeypad(.keyboardReturnEnter).alias == "enter")
    #expect(HIDUsage.led(.capsLock).alias == nil)
  }

  @Test("a usage that is given by its numbers has the alias of the named usage")
  func generic() {
    #expect(HIDUsage.generic(0x07, 0x04).keyAlias == "a")
    #expect(HIDUsage.generic(0x07, 0x04).alias == "a")
    #expect(HIDUsage.generic(0x01, 0x30).alias == "x")
    #expect(HIDUsage.generic(0x07, nil).alias == nil)
    #expect(HIDUsage.generic(0x01, 0x06).alias == nil)
  }

  @Test("no alias appears twice in the table of keys")
  func unique() {
    let keys = HIDUsage.keyAliases.map { $0.name.lowercased() }
    #expect(Set(keys).count == keys.count)
  }

  @Test(
    "a misspelt name gets the nearest name as a suggestion",
    arguments: [
      ("capslok", "capsLock"), ("CapsLock", "capsLock"), ("numlcok", "numLock"),
      ("keybord", "keyboard"), ("xyzzy", nil), ("", nil),
    ])
  func suggestion(name: String, expected: String?) {
    #expect(
      NameSuggestion.nearest(to: name, in: ["numLock", "capsLock", "keyboard"]) == expected)
  }
}
