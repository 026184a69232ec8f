// SPDX-License-Identifier: Apache-2.0

import InputStick
import InputStickAPI
import KeyboardLayouts
import Testing

extension KeyStroke {
  /// Returns the strokes in keyboard reports: a key is struck when it goes down.
  static func struck(in reports: [[UInt8]]) -> [KeyStroke] {
    var strokes: [KeyStroke] = []
    var key: UInt8 = 0
    for report in reports {
      if report[2] != 0, report[2] != key {
        strokes.append(KeyStroke(KeyModifiers(rawValue: report[0]), report[2]))
      }
      key = report[2]
    }
    return strokes
  }
}

@Suite("text of the InputStick client") struct StickClientTypingTests {
  @Test(
    "a stick's host reads every character of every layout", arguments: KeyboardLayout.codes,
    [0, 1, 2] as [UInt])
  func characters(code: String, speed: UInt) throws {
    let layout = try #require(KeyboardLayout(code: code))
    let text = layout.characters.filter { $0 != "\r\n" }
    let bench = StickClientBench()
    defer { bench.end() }
    bench.connect(110)
    bench.forgetEvents()
    bench.manager.keyboardHandler.typeText(
      String(text),
      withKeyboardLayout: InputStickKeyboardLayoutUtils.keyboardLayout(withCode: code),
      typingSpeed: speed)
    let reports = bench.drainKeyboard().map(\.bytes)
    let read = layout.text(of: KeyStroke.struck(in: reports))
    #expect(read == String(text))
    #expect(reports.last == [UInt8](repeating: 0, count: 8), "no key stays down")
  }
}
