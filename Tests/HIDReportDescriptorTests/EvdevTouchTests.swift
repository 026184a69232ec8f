// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("the event nodes of a touch surface")
struct EvdevTouchTests {
  /// Returns the descriptor of a touch device with two contacts in its report, and a feature that
  /// allows five.
  ///
  /// Each contact has a tip switch, an identifier, X and Y.
  private static func touch(application: UInt8, button: Bool = false, certified: Bool = false)
    -> [UInt8]
  {
    let contact: [UInt8] = [
      0x05, 0x0d, 0x09, 0x22, 0xa1, 0x02, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x01, 0x09,
      0x42, 0x81, 0x02, 0x75, 0x07, 0x25, 0x7f, 0x09, 0x51, 0x81, 0x02,
      0x05, 0x01, 0x75, 0x08, 0x95, 0x02, 0x26, 0xff, 0x00, 0x09, 0x30, 0x09, 0x31, 0x81, 0x02,
      0xc0,
    ]
    var bytes: [UInt8] = [0x05, 0x0d, 0x09, application, 0xa1, 0x01] + contact + contact
    if button { bytes += [0x05, 0x09, 0x09, 0x01, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02] }
    bytes += [0x05, 0x0d, 0x09, 0x55, 0x25, 0x05, 0x75, 0x08, 0x95, 0x01, 0xb1, 0x02]
    if certified { bytes += [0x06, 0x00, 0xff, 0x09, 0xc6, 0xb1, 0x02] }
    return bytes + [0xc0]
  }

  @Test("a contact identifier makes a touch surface, and a feature makes it one for Windows 8")
  func groups() throws {
    #expect(try HIDReportDescriptor(parsing: Self.touch(application: 4)).group == .multitouch)
    let certified = try HIDReportDescriptor(parsing: Self.touch(application: 4, certified: true))
    #expect(certified.group == .windowsMultitouch)
    #expect(certified.group.driver == .multitouch)
    let mouse = try HIDReportDescriptor(parsing: Example.mouse)
    #expect(mouse.group == .generic)
    #expect(mouse.group.driver == .generic)
  }

  @Test("the page in force makes a sensor hub, whatever page the collection's usage has")
  func sensors() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x05, 0x20, 0x0b, 0x02, 0x00, 0x01, 0x00, 0xa1, 0x01, 0xc0,
    ])
    #expect(descriptor.group == .sensorHub)
  }

  @Test("a touchscreen is one node with slots, contacts, and a pointer for older programs")
  func screen() throws {
    let descriptor = try HIDReportDescriptor(parsing: Self.touch(application: 4))
    let mapping = EvdevMapping(of: descriptor, driver: .multitouch)
    let node = try #require(mapping.nodes.first)
    #expect(mapping.nodes.count == 1)
    #expect(
      node.codes.map(\.description) == [
        "BTN_TOUCH", "ABS_X", "ABS_Y", "ABS_MT_SLOT", "ABS_MT_POSITION_X", "ABS_MT_POSITION_Y",
        "ABS_MT_TRACKING_ID",
      ])
    #expect(node.axes.map(\.maximum) == [255, 255, 4, 255, 255, 65_535])
    #expect(node.properties == [.direct])
    let x = mapping.outcome(of: 0, inField: 2, ofReport: .input, id: nil)
    #expect(x == .contact(EvdevCode(named: "ABS_MT_POSITION_X")))
    #expect(x.code?.name == "ABS_MT_POSITION_X")
  }

  @Test("a touchpad with one button is a button itself, and has a tool for each number of fingers")
  func pad() throws {
    let descriptor = try HIDReportDescriptor(parsing: Self.touch(application: 5, button: true))
    let node = try #require(EvdevMapping(of: descriptor, driver: .multitouch).nodes.first)
    #expect(
      node.codes.filter { $0.type == .key }.map(\.description) == [
        "BTN_LEFT", "BTN_TOOL_FINGER", "BTN_TOOL_QUINTTAP", "BTN_TOUCH", "BTN_TOOL_DOUBLETAP",
        "BTN_TOOL_TRIPLETAP", "BTN_TOOL_QUADTAP",
      ])
    #expect(node.properties == [.pointer, .buttonPad])
  }

  @Test("the driver for touch surfaces maps a mouse like the general driver")
  func others() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.mouse)
    #expect(
      EvdevMapping(of: descriptor, driver: .multitouch).nodes
        == EvdevMapping(of: descriptor, driver: .generic).nodes)
  }
}
