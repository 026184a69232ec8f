// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("controls")
struct HIDReportElementTests {
  @Test("each element of a variable field, and each usage of an array, is a control")
  func list() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.keyboard)
    let input = try #require(descriptor.report(.input, id: nil))
    // 8 modifiers and 255 keys: usage 0 is not a key.
    #expect(Array(input.controls).count == 8 + 255)
    #expect(input.control(.keyboardOrKeypad(.keyboardLeftShift))?.isArrayMember == false)
    let a = try #require(input.control(.keyboardOrKeypad(.keyboardA)))
    #expect(a.isArrayMember)
    #expect((a.fieldIndex, a.index) == (2, 4))
    #expect(input.control(.keyboardOrKeypad(nil)) == nil)
    #expect(input.control(.led(.capsLock)) == nil)
    #expect(descriptor.controls(named: "led.capsLock").map(\.type) == [.output])
  }

  @Test("the second control of a usage has the suffix #2, within the reports of one type")
  func names() throws {
    // An input report with one X, an input report with three, and a feature X.
    let descriptor = try HIDReportDescriptor(parsing: [
      0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x75, 0x08, 0x95, 0x01,
      0x85, 0x01, 0x09, 0x30, 0x81, 0x02, 0x85, 0x02, 0x95, 0x03, 0x09, 0x30, 0x81, 0x02,
      0x95, 0x01, 0x09, 0x30, 0xb1, 0x02, 0xc0,
    ])
    let controls = descriptor.controls(.genericDesktop(.x))
    #expect(
      controls.map(descriptor.name(of:)) == [
        "genericDesktop.x", "genericDesktop.x#2", "genericDesktop.x#3", "genericDesktop.x#4",
        "genericDesktop.x",
      ])
    for control in controls {
      let name = descriptor.name(of: control)
      #expect(descriptor.controls(named: name, type: control.type) == [control])
    }
    #expect(descriptor.controls(named: "genericDesktop.x").map(\.type) == [.input, .feature])
    #expect(descriptor.controls(named: "genericDesktop.x#5").isEmpty)
    #expect(descriptor.controls(named: "genericDesktop.x#0").isEmpty)
    #expect(descriptor.controls(named: "genericDesktop.x#").isEmpty)
    #expect(descriptor.controls(named: "").isEmpty)
  }

  @Test(
    "the longest field's elements are numbered to the last, also after a field of the same usage")
  func longNames() throws {
    // An element of 0xff00.0x0002, then 12,288 elements: the first is 0x0001, the others are
    // 0x0002.
    let descriptor = try HIDReportDescriptor(parsing: [
      0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x7f, 0x75, 0x08,
      0x95, 0x01, 0x09, 0x02, 0x81, 0x02,
      0x96, 0x00, 0x30, 0x09, 0x01, 0x09, 0x02, 0x81, 0x02, 0xc0,
    ])
    let report = try #require(descriptor.report(.input, id: nil))
    let names = report.controls.map(descriptor.name(of:))
    #expect(
      names == ["0xff00.0x0002", "0xff00.0x0001"] + (2...12_288).map { "0xff00.0x0002#\($0)" })
    #expect(report.fields.map { report.controls(of: $0).count } == [1, 12_288])
  }

  @Test("the usages that an array selects come in the order of the field, each once")
  func selected() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.keyboard)
    let input = try #require(descriptor.report(.input, id: nil))
    let bytes: [UInt8] = [0x02, 0, 0x06, 0x04, 0, 0x06, 0, 0]
    let keys = input.selectedControls(of: input.fields[2], in: bytes.span)
    #expect(keys.map(\.usage) == [.keyboardOrKeypad(.keyboardA), .keyboardOrKeypad(.keyboardC)])
    #expect(
      keys == input.controls.filter { $0.isArrayMember && input.value(of: $0, in: bytes) == 1 })
    // Modifiers are not an array, and a report that is cut short selects the elements it has.
    #expect(input.selectedControls(of: input.fields[0], in: bytes.span) == [])
    #expect(input.selectedControls(of: input.fields[2], in: Array(bytes[..<3]).span).count == 1)
  }

  @Test(
    "every control is found by its name",
    arguments: [Example.keyboard, Example.mouse, Example.gamepad, Example.consumer])
  func namesLeadBack(bytes: [UInt8]) throws {
    let descriptor = try HIDReportDescriptor(parsing: bytes)
    for report in descriptor.reports {
      for control in report.controls.prefix(300) {
        let name = descriptor.name(of: control)
        #expect(descriptor.controls(named: name, type: report.type) == [control])
      }
    }
  }
}

@Suite("changes")
struct HIDChangeTests {
  @Test("an array gives releases before presses, and a variable field the values that differ")
  func keyboard() throws {
    let layout = try layout(Example.keyboard)
    let first: [UInt8] = [0x02, 0, 0x04, 0x05, 0, 0, 0, 0]
    let second: [UInt8] = [0x00, 0, 0x05, 0x06, 0, 0, 0, 0]
    #expect(
      changes(layout, nil, first) == [
        "keyboardOrKeypad.keyboardLeftShift 0 1", "keyboardOrKeypad.keyboardA 0 1",
        "keyboardOrKeypad.keyboardB 0 1",
      ])
    #expect(
      changes(layout, first, second) == [
        "keyboardOrKeypad.keyboardLeftShift 1 0", "keyboardOrKeypad.keyboardA 1 0",
        "keyboardOrKeypad.keyboardC 0 1",
      ])
    #expect(changes(layout, second, second) == [])
    #expect(changes(layout, nil, [0, 0, 4, 4, 4, 0, 0, 0]) == ["keyboardOrKeypad.keyboardA 0 1"])
  }

  @Test("ErrorRollOver changes no keys, and modifiers still change")
  func rollOver() throws {
    let layout = try layout(Example.keyboard)
    let report: [UInt8] = [0x01, 0, 1, 1, 1, 1, 1, 1]
    #expect(layout.isRollOver(report))
    #expect(
      changes(layout, [0, 0, 4, 0, 0, 0, 0, 0], report) == [
        "keyboardOrKeypad.keyboardLeftControl 0 1"
      ])
  }

  @Test("ErrorRollOver in the first report of a device selects no keys")
  func firstRollOver() throws {
    let layout = try layout(Example.keyboard)
    let decoder = HIDReportDecoder(layout)
    let rollOver: [UInt8] = [0x01, 0, 1, 1, 1, 1, 1, 1]
    // An empty memory, and one that ends within the array.
    let memories: [(bytes: [UInt8], kept: [String])] = [
      ([], []), ([0, 0, 5], ["keyboardOrKeypad.keyboardB 1 0"]),
    ]
    for (bytes, kept) in memories {
      var memory = bytes
      decoder.remember(rollOver.span, in: &memory)
      #expect(changes(layout, memory, [1, 0, 0, 0, 0, 0, 0, 0]) == kept)
      #expect(
        changes(layout, memory, [1, 0, 4, 0, 0, 0, 0, 0])
          == kept + ["keyboardOrKeypad.keyboardA 0 1"])
    }
  }

  @Test("every value with the usage ErrorRollOver is a rollover, even if the usage is there twice")
  func secondRollOver() throws {
    // Linux 6.12, hid_input_array_field, uses the usage of the value. 0 is ErrorRollOver, 1 is A,
    // and 2 is ErrorRollOver again. 3 has no usage of its own and gets the last usage.
    let layout = try layout([
      0x05, 0x07, 0x09, 0x01, 0x09, 0x04, 0x09, 0x01, 0x15, 0x00, 0x25, 0x03, 0x75, 0x08, 0x95,
      0x04, 0x81, 0x00,
    ])
    for value in [0, 2, 3] as [UInt8] {
      #expect(layout.isRollOver([9, value, 9, 9]))
      #expect(changes(layout, [9, 9, 9, 9], [1, value, 9, 9]) == [])
    }
    #expect(!layout.isRollOver([9, 1, 9, 9]))
    #expect(changes(layout, nil, [9, 1, 9, 9]) == ["keyboardOrKeypad.keyboardA 0 1"])
  }

  @Test("a relative value is a change whenever it is not 0")
  func mouse() throws {
    let layout = try layout(Example.mouse)
    let report: [UInt8] = [0x01, 0xfe, 0x00, 0x01]
    #expect(
      changes(layout, report, report) == ["genericDesktop.x 0 -2", "genericDesktop.wheel 0 1"])
    #expect(
      changes(layout, report, [0, 0, 0, 0]) == ["button 1 1 0"])
  }

  @Test("a numbered report is compared after its ID, and a value without a usage is no change")
  func numbered() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.consumer)
    let layout = try #require(descriptor.report(.input, id: HIDReportID(rawValue: 2)))
    #expect(
      changes(layout, nil, [2, 2, 0]) == ["genericDesktop.systemSleep 0 1"])
    #expect(changes(layout, [2, 2, 0], [2, 0, 0]) == ["genericDesktop.systemSleep 1 0"])
    #expect(changes(layout, nil, [2, 4, 0]) == [])
    #expect(changes(layout, nil, [2]) == [])
    #expect(changes(layout, nil, []) == [])
  }

  @Test("a report with ID 0 beside numbered reports has no named changes")
  func unnumberedBesideNumbered() throws {
    // X and Y without a report ID, then the same in report 1.
    let fields: [UInt8] = [0x09, 0x30, 0x09, 0x31, 0x81, 0x02]
    let descriptor = try HIDReportDescriptor(
      parsing: [0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02]
        + fields + [0x85, 0x01] + fields + [0xc0])
    let values = { (report: [UInt8]) in
      descriptor.namedChanges(.input, from: nil, to: report).map(\.value)
    }
    #expect(values([1, 0, 5]) == [5])
    #expect(values([0, 5]) == [])
    #expect(values([]) == [])
  }

  @Test("a long array is compared like a short one")
  func longArray() throws {
    let bytes: [UInt8] = [
      0x05, 0x09, 0x19, 0x01, 0x29, 0x40, 0x15, 0x01, 0x25, 0x40, 0x75, 0x08, 0x95, 0x40, 0x81,
      0x00,
    ]
    let layout = try layout(bytes)
    var first = layout.zeroReport
    first.replaceSubrange(0..<3, with: [5, 6, 6])
    var second = layout.zeroReport
    second.replaceSubrange(60..<63, with: [7, 6, 7])
    #expect(changes(layout, first, second) == ["button 5 1 0", "button 7 0 1"])
  }

  private func layout(_ bytes: [UInt8]) throws -> HIDReportLayout {
    try #require(HIDReportDescriptor(parsing: bytes).report(.input, id: nil))
  }

  private func changes(
    _ layout: HIDReportLayout, _ previous: [UInt8]?, _ report: [UInt8]
  ) -> [String] {
    layout.changes(from: previous, to: report).map { "\($0.usage) \($0.previous) \($0.value)" }
  }
}
