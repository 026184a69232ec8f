// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("HIDUsage titles")
struct HIDUsageTitleTests {
  @Test(
    "the title of a usage is its name in HID Usage Tables 1.4",
    arguments: [
      (0x0001_0006, "Keyboard"), (0x0001_0085, "System Main Menu"), (0x0001_0039, "Hat Switch"),
      (0x0007_00e0, "Keyboard LeftControl"), (0x0008_0002, "Caps Lock"), (0x0009_0003, "Button 3"),
      (0x000c_00e9, "Volume Increment"), (0x000d_0042, "Tip Switch"), (0x000a_0001, "Instance 1"),
      (0x000c_01cb, "AL Context-aware Desktop Assistant"), (0x0082_0056, "Horizontal Moire"),
      (0x0020_0011, "Biometric: Human Presence"), (0xf1d0_0001, "U2F Authenticator Device"),
    ] as [(UInt32, String)])
  func titles(extended: UInt32, title: String) {
    let usage = HIDUsage(extended: extended)
    #expect(usage.title == title)
    #expect(HIDUsage.usageID(titled: title, onPage: usage.page) == usage.usage)
  }

  @Test("a usage or page is found by its title, whatever its capitals, spaces and punctuation")
  func spellings() {
    #expect(HIDUsage.usageID(titled: "GAME PAD", onPage: 1) == 5)
    #expect(HIDUsage.usageID(titled: "Keyboard Left Control", onPage: 7) == 0xe0)
    #expect(HIDUsage.usageID(titled: "button_12", onPage: 9) == 12)
    #expect(HIDUsage.usageID(titled: "keypad plus", onPage: 7) == 0x57)
    #expect(HIDUsage.usageID(titled: "keypad", onPage: 7) == nil)
    #expect(HIDUsage.usageID(titled: "no button pressed", onPage: 9) == 0)
    #expect(HIDUsage.usageID(titled: "No Button Left", onPage: 9) == nil)
    #expect(HIDUsage.page(titled: "GENERIC_DESKTOP") == 1)
    #expect(HIDUsage.page(titled: "Keyboard/Keypad") == 7)
    #expect(HIDUsage.page(titled: "") == nil)
  }

  @Test("a usage or page without a name has no title")
  func nameless() {
    #expect(HIDUsage(page: 1, usage: nil).title == nil)
    #expect(HIDUsage(page: 0xff00, usage: 1).title == nil)
    #expect(HIDUsage.title(ofPage: 0xff00) == nil)
    #expect(HIDUsage.title(ofPage: 0x0c) == "Consumer")
  }

  @Test("every named usage has a title, and every title is read as its usage")
  func bothWays() {
    for page in 0...UInt16.max where HIDUsage.title(ofPage: page) != nil {
      #expect(HIDUsage.page(titled: HIDUsage.title(ofPage: page) ?? "") == page)
      let named = HIDUsage.shortNames(onPage: page).count
      let titles = HIDUsage.titles(onPage: page)
      #expect(titles.count == named)
      for title in titles {
        let id = HIDUsage.usageID(titled: title, onPage: page)
        #expect(HIDUsage(page: page, usage: id).title == title)
        #expect(title.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
      }
    }
  }
}
