// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("HIDUsage")
struct HIDUsageTests {
  @Test("the numbers of a page and a usage become a named case where there is one")
  func typed() {
    guard case .genericDesktop(.x) = HIDUsage(page: 0x01, usage: 0x30) else {
      Issue.record("0x01/0x30 is not .genericDesktop(.x)")
      return
    }
    guard case .button(7) = HIDUsage(page: 0x09, usage: 7) else {
      Issue.record("0x09/7 is not .button(7)")
      return
    }
    guard case .led(nil) = HIDUsage(page: 0x08, usage: nil) else {
      Issue.record("0x08 is not .led(nil)")
      return
    }
    guard case .generic(0x01, 0xffff) = HIDUsage(page: 0x01, usage: 0xffff) else {
      Issue.record("0x01/0xffff is not generic")
      return
    }
    guard case .generic(0xff00, nil) = HIDUsage(page: 0xff00, usage: nil) else {
      Issue.record("0xff00 is not generic")
      return
    }
  }

  @Test("usages with equal numbers are equal, and have equal hashes")
  func equality() {
    #expect(HIDUsage.generic(1, 6) == .genericDesktop(.keyboard))
    #expect(Set([HIDUsage.generic(1, 6), .genericDesktop(.keyboard)]).count == 1)
    #expect(HIDUsage.led(nil) != .generic(8, 0))
  }

  @Test("the 32-bit form of a usage has the page in its upper half and the ID in its lower half")
  func extended() {
    #expect(HIDUsage.keyboardOrKeypad(.keyboardA).extended == 0x0007_0004)
    #expect(HIDUsage(extended: 0x0008_0002) == .led(.capsLock))
    #expect(HIDUsage(extended: 0xff00_0001) == .generic(0xff00, 1))
    #expect(HIDUsage.led(nil).extended == 0x0008_0000)
  }

  @Test(
    "a usage's name is read as the same usage",
    arguments: [
      (HIDUsage.led(.capsLock), "led.capsLock"), (.genericDesktop(.x), "genericDesktop.x"),
      (.button(1), "button 1"), (.ordinal(3), "ordinal 3"),
      (.monitorEnumerated(2), "monitorEnumerated 2"), (.led(nil), "led"), (.button(nil), "button"),
      (.generic(0xff00, 1), "0xff00.0x0001"), (.generic(0xff00, nil), "0xff00"),
      (.generic(0x08, 0xff), "led.0x00ff"),
      (.vesaVirtualControls(.horizontalMoiré), "vesaVirtualControls.horizontalMoiré"),
    ])
  func names(usage: HIDUsage, name: String) {
    #expect(usage.name == name)
    #expect(usage.description == name)
    #expect(HIDUsage(name: name) == usage)
  }

  @Test(
    "other spellings of a name are read",
    arguments: [
      ("button.1", HIDUsage.button(1)), ("button1", .button(1)), ("Button 12", .button(12)),
      ("0xFF00:0x0001", .generic(0xff00, 1)), ("0xff00.0x1", .generic(0xff00, 1)),
      ("LED.CAPSLOCK", .led(.capsLock)), ("GenericDesktop.X", .genericDesktop(.x)),
      ("0x01.x", .genericDesktop(.x)), ("led.0x02", .led(.capsLock)), (" led ", .led(nil)),
      ("fidoAlliance.0x0001", .generic(0xf1d0, 1)),
    ])
  func spellings(name: String, usage: HIDUsage) {
    #expect(HIDUsage(name: name) == usage)
  }

  @Test(
    "a text that is no usage name is refused",
    arguments: [
      "", " ", ".", "led.", ".capsLock", "led.nothing", "nothing", "x", "button -1", "button +1",
      "button 65536",
      "0x10000", "0x", "0x+1", "led1", "button 1 2", "0xff00.0x0001.1", "led.capsLock.x", "é",
      "0xg",
    ])
  func refused(name: String) {
    #expect(HIDUsage(name: name) == nil)
  }

  @Test("every usage name of the tables is read as a usage that has this name")
  func everyName() {
    var count = 0
    for page in HIDUsage.pageNames.compactMap({ HIDUsage.page(named: $0) }) {
      for name in HIDUsage.shortNames(onPage: page) {
        let usage = HIDUsage.usageID(named: name, onPage: page).map {
          HIDUsage(page: page, usage: $0)
        }
        #expect(usage?.shortName == name)
        if case .generic? = usage { Issue.record("\(name) is generic") }
        count += 1
      }
    }
    #expect(HIDUsage.pageNames.count == 33)
    #expect(count == 2757)
  }

  @Test("a usage is read with the same numbers from its name and from its 32-bit form")
  func roundTrips() {
    for page in UInt16(0)...0x100 {
      for id in stride(from: UInt16(0), through: 0xfff0, by: 97) {
        let usage = HIDUsage(page: page, usage: id)
        #expect(usage.page == page)
        #expect(usage.usage == id)
        #expect(HIDUsage(name: usage.name) == usage)
        #expect(HIDUsage(extended: usage.extended) == usage)
      }
    }
  }
}
