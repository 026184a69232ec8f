// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("The names of events")
struct HIDEventNameTests {
  @Test("scripts and files have the infinitive of four events, and the raw value of the others")
  func words() {
    let other = HIDEventName.allCases.filter { $0.word != $0.rawValue }
    #expect(other == [.opened, .closed, .plugged, .unplugged])
    #expect(other.map(\.word) == ["open", "close", "plug", "unplug"])
  }

  @Test("each word is read as its event, and a raw value that is no word is not read")
  func reading() {
    for name in HIDEventName.allCases { #expect(HIDEventName(word: name.word) == name) }
    #expect(HIDEventName(word: "opened") == nil)
    #expect(HIDEventName(word: "") == nil)
  }
}
