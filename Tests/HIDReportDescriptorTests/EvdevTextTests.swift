// SPDX-License-Identifier: Apache-2.0

import TestSupport
import HIDReportDescriptor
import Testing

@Suite("the event nodes of a descriptor as text", .timeLimit(.minutes(5)))
struct EvdevTextTests {
  private func text(_ bytes: [UInt8]) throws -> String {
    let descriptor = try HIDReportDescriptor(parsing: bytes)
    return EvdevMapping(of: descriptor, driver: descriptor.group.driver).text
  }

  @Test("buttons are a range, each axis has a line, and events without a control come last")
  func mouse() throws {
    #expect(
      try text(Example.mouse) == """
        driver: hid-generic
        event nodes: 1

        event node 1, name: the device's name
          application: genericDesktop.mouse
          input report
            button 1 … button 8   BTN_LEFT … BTN_TASK
            genericDesktop.x      REL_X
            genericDesktop.y      REL_Y
            genericDesktop.wheel  REL_WHEEL_HI_RES
          other events
            REL_WHEEL MSC_SCAN

        """)
  }

  @Test("absolute axes have their range, noise and centre; a feature is ignored")
  func gamepad() throws {
    #expect(
      try text(Example.gamepad) == """
        driver: hid-generic
        event nodes: 1

        event node 1, name: the device's name
          application: genericDesktop.gamepad
          input report
            button 1 … button 10      BTN_SOUTH … BTN_TR2
            genericDesktop.x          ABS_X -2048..2047, fuzz 15, flat 255
            genericDesktop.y          ABS_Y -2048..2047, fuzz 15, flat 255
            genericDesktop.hatSwitch  ABS_HAT0X -1..1
          other events
            ABS_HAT0Y -1..1
            MSC_SCAN

        without an event node
          feature report  ignored: Linux makes no events of features

        """)
  }

  @Test("several nodes have their suffixes, and ignored controls have a reason")
  func reasons() throws {
    let bytes: [UInt8] = [
      // A mouse with X, Slider twice, a constant button, and three vendor-defined bytes as input
      // and as output.
      0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x85, 0x01, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95,
      0x02, 0x09, 0x30, 0x09, 0x36, 0x09, 0x36, 0x95, 0x03, 0x81, 0x06, 0x05, 0x09, 0x09, 0x01,
      0x95, 0x01, 0x81, 0x03, 0x06, 0x00, 0xff, 0x09, 0x01, 0x95, 0x03, 0x81, 0x02, 0x09, 0x02,
      0x91, 0x02, 0xc0,
      // A keyboard with an array from Reserved to B.
      0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x85, 0x02, 0x15, 0x00, 0x25, 0x05, 0x05, 0x07, 0x19,
      0x00, 0x29, 0x05, 0x75, 0x08, 0x95, 0x01, 0x81, 0x00, 0xc0,
    ]
    #expect(
      try text(bytes) == """
        driver: hid-generic
        event nodes: 2

        event node 1, name: the device's name and "Mouse"
          application: genericDesktop.mouse
          input report 1
            genericDesktop.x         REL_X
            genericDesktop.slider    REL_HWHEEL
            genericDesktop.slider    ignored: an earlier control has REL_HWHEEL
            button 1                 ignored: constant
            0xff00.0x0001 (3 times)  ignored: a vendor's page
          output report 1
            0xff00.0x0002 (3 times)  ignored: an output, but not an LED

        event node 2, name: the device's name and "Keyboard"
          application: genericDesktop.keyboard
          input report 2
            keyboardOrKeypad.errorRollOver … keyboardOrKeypad.errorUndefined  ignored: stands for no key
            keyboardOrKeypad.keyboardA … keyboardOrKeypad.keyboardB  KEY_A KEY_B
          other events
            MSC_SCAN

        """)
  }

  @Test("a device without input has no nodes, and the text has the reason")
  func none() throws {
    #expect(
      try text([
        0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x09, 0x02, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02,
        0xc0,
      ]) == """
        driver: hid-generic
        event nodes: none
          no application or physical collection of the device has a usage that Linux takes for input

        """)
  }

  @Test("descriptors with the most usages a field have a text of bounded length")
  func bounds() async throws {
    // Many fields with 12,288 usages each, in one report of few bits.
    let field: [UInt8] = [0x19, 0x01, 0x2a, 0x00, 0x30, 0x81, 0x00]
    for page in [0x07, 0x0c, 0x09, 0x01] as [UInt8] {
      let head: [UInt8] = [0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, page, 0x26, 0xff, 0x7f]
      let bytes =
        head + [0x75, 0x01, 0x95, 0x01] + Array(repeating: field, count: 60).joined() + [0xc0]
      await Task.yield()
      #expect(try text(bytes).utf8.count < 60 * 8000, "\(page)")
    }
  }

  @Test(
    "the text of each corpus descriptor has every code of its nodes, alone or in a range",
    .enabled(if: DescriptorCorpus.isPresent, "the corpus is not there"))
  func corpus() async throws {
    var count = 0
    for row in try DescriptorCorpus.rows("index.tsv") where row[0].hasSuffix(".hex") {
      await Task.yield()
      guard
        let descriptor = try? HIDReportDescriptor(
          parsing: try DescriptorCorpus.bytes(String(row[0])))
      else { continue }
      let mapping = EvdevMapping(of: descriptor, driver: descriptor.group.driver)
      let words = mapping.text.split { $0.isWhitespace || $0 == "," }
      // The number of a code without a name follows its type.
      var codes: Set<EvdevCode> = []
      var last: EvdevCode?
      var isRange = false
      for (index, word) in words.enumerated() {
        let next = index + 1 < words.count ? " \(words[index + 1])" : ""
        let code = EvdevCode(named: String(word)) ?? EvdevCode(named: word + next)
        if let code {
          let first = isRange ? last?.number ?? code.number : code.number
          guard first <= code.number else {
            Issue.record("\(row[0]): a range that ends in \(code)")
            break
          }
          for number in first...code.number { codes.insert(EvdevCode(code.type, number)) }
          last = code
        }
        isRange = word == "…"
      }
      for code in Set(mapping.nodes.flatMap(\.codes))
      where code.type != .synchronization && code.type != .autorepeat {
        if !codes.contains(code) { Issue.record("\(row[0]): no \(code)") }
      }
      count += 1
    }
    #expect(count >= 690)
  }
}
