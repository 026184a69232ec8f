// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("the event nodes of a descriptor")
struct EvdevMappingTests {
  @Test("a keyboard is one node with its keys, lights, repetition and scan codes")
  func keyboard() throws {
    let descriptor = try HIDReportDescriptor(parsing: Example.keyboard)
    let mapping = EvdevMapping(of: descriptor)
    let node = try #require(mapping.nodes.first)
    #expect(mapping.nodes.count == 1)
    #expect(node.name(ofDevice: "Desk") == "Desk")
    #expect(node.application == .genericDesktop(.keyboard))
    #expect(node.eventTypes == [.synchronization, .key, .miscellaneous, .led, .autorepeat])
    #expect(
      node.codes.filter { $0.type == .led }.map(\.description) == [
        "LED_NUML", "LED_CAPSL", "LED_SCROLLL", "LED_COMPOSE", "LED_KANA",
      ])
    #expect(node.codes.filter { $0.type == .miscellaneous }.map(\.description) == ["MSC_SCAN"])
    #expect(node.axes == [])
    #expect(node.properties == [])
    for name in ["KEY_A", "KEY_ENTER", "KEY_LEFTSHIFT", "KEY_RIGHTMETA", "KEY_F24", "KEY_CALC"] {
      #expect(node.contains(try #require(EvdevCode(named: name))), "\(name)")
    }
    #expect(!node.contains(try #require(EvdevCode(named: "BTN_LEFT"))))
    let a = try #require(descriptor.reports[0].control(.keyboardOrKeypad(.keyboardA)))
    #expect(mapping.outcome(of: a) == .event(try #require(EvdevCode(named: "KEY_A"))))
    #expect(mapping.node(of: .output, id: nil) == node)
    #expect(mapping.node(of: .feature, id: nil) == nil)
  }

  @Test("a mouse's buttons begin at BTN_LEFT, and its wheel has a fine and a coarse movement")
  func mouse() throws {
    let mapping = EvdevMapping(of: try HIDReportDescriptor(parsing: Example.mouse))
    #expect(
      mapping.nodes.map { $0.codes.map(\.description) } == [
        [
          "BTN_LEFT", "BTN_RIGHT", "BTN_MIDDLE", "BTN_SIDE", "BTN_EXTRA", "BTN_FORWARD", "BTN_BACK",
          "BTN_TASK", "REL_X", "REL_Y", "REL_WHEEL", "REL_WHEEL_HI_RES", "MSC_SCAN",
        ]
      ])
  }

  @Test("a gamepad's axes have noise and a centre, and its hat is two axes of -1 to 1")
  func gamepad() throws {
    let mapping = EvdevMapping(of: try HIDReportDescriptor(parsing: Example.gamepad))
    let node = try #require(mapping.nodes.first)
    #expect(node.axes.map { "\($0.code)" } == ["ABS_X", "ABS_Y", "ABS_HAT0X", "ABS_HAT0Y"])
    let x = node.axes[0]
    #expect((x.minimum, x.maximum, x.fuzz, x.flat, x.resolution) == (-2048, 2047, 15, 255, 0))
    let hat = node.axes[3]
    #expect((hat.minimum, hat.maximum, hat.fuzz, hat.flat) == (-1, 1, 0, 0))
    #expect(node.codes.first?.description == "BTN_SOUTH")
    #expect(node.codes.filter { $0.type == .key }.last?.description == "BTN_TR2")
  }

  @Test("a device with several applications is several nodes, named after them")
  func applications() throws {
    let mapping = EvdevMapping(of: try HIDReportDescriptor(parsing: Example.consumer))
    #expect(
      mapping.nodes.map { $0.name(ofDevice: "Desk") } == [
        "Desk Consumer Control", "Desk System Control",
      ])
    #expect(mapping.nodes[0].name(ofDevice: "My Consumer Control") == "My Consumer Control")
  }

  @Test("a keyboard's consumer and system controls share its node")
  func together() throws {
    // The keyboard comes first, and its reports have ID 3.
    let keyboard = [0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x85, 0x03] + Example.keyboard.dropFirst(6)
    let mapping = EvdevMapping(of: try HIDReportDescriptor(parsing: keyboard + Example.consumer))
    #expect(mapping.nodes.map(\.suffix) == ["Keyboard"])
    #expect(mapping.node(of: .input, id: HIDReportID(rawValue: 1)) == mapping.nodes[0])
  }

  @Test("the first of two buttons with one number has the code, and two equal keys both have it")
  func duplicates() throws {
    let mapping = EvdevMapping(
      of: try HIDReportDescriptor(parsing: [
        0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x04,
        0x05, 0x09, 0x09, 0x01, 0x09, 0x01, 0x0b, 0x30, 0x00, 0x07, 0x00, 0x0b, 0x30, 0x00, 0x07,
        0x00, 0x81, 0x02, 0xc0,
      ]))
    let left = try #require(EvdevCode(named: "BTN_LEFT"))
    let bracket = try #require(EvdevCode(named: "KEY_RIGHTBRACE"))
    let outcomes = (0..<4).map { mapping.outcome(of: $0, inField: 0, ofReport: .input, id: nil) }
    #expect(outcomes == [.event(left), .duplicate(left), .event(bracket), .event(bracket)])
    #expect(outcomes.map(\.code) == [left, nil, bracket, bracket])
  }

  @Test("a usage without a code of its own is a button, a movement or an axis named MISC")
  func unknown() throws {
    func codes(size: UInt8, flags: UInt8) throws -> [String] {
      let mapping = EvdevMapping(
        of: try HIDReportDescriptor(parsing: [
          0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x06, 0x12, 0xff, 0x09, 0x01, 0x15, 0x00, 0x25, 0x01,
          0x75, size, 0x95, 0x01, 0x81, flags, 0xc0,
        ]))
      return mapping.nodes.flatMap { $0.codes.map(\.description) }
    }
    #expect(try codes(size: 1, flags: 0x02) == ["BTN_0", "MSC_SCAN"])
    #expect(try codes(size: 8, flags: 0x02) == ["ABS_MISC"])
    #expect(try codes(size: 8, flags: 0x06) == ["REL_MISC"])
    #expect(try codes(size: 8, flags: 0x03) == [])
  }

  @Test("a device whose collections are not for input has no node")
  func noInput() throws {
    let descriptor = try HIDReportDescriptor(parsing: [
      0x06, 0x00, 0xff, 0x09, 0x01, 0xa1, 0x01, 0x05, 0x07, 0x09, 0x04, 0x15, 0x00, 0x25, 0x01,
      0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0xc0,
    ])
    let mapping = EvdevMapping(of: descriptor)
    #expect(mapping.nodes == [])
    #expect(mapping.outcome(of: 0, inField: 0, ofReport: .input, id: nil) == .ignored)
  }

  @Test("an axis has a resolution in units per millimetre, and a rotation in units per radian")
  func resolution() throws {
    func resolution(usage: UInt8, unit: UInt8, exponent: UInt8) throws -> Int32? {
      let mapping = EvdevMapping(
        of: try HIDReportDescriptor(parsing: [
          0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x09, usage, 0x15, 0x00, 0x26, 0xe8, 0x03, 0x35, 0x00,
          0x45, 0x64, 0x65, unit, 0x55, exponent, 0x75, 0x10, 0x95, 0x01, 0x81, 0x02, 0xc0,
        ]))
      return mapping.nodes.first?.axes.first?.resolution
    }
    #expect(try resolution(usage: 0x30, unit: 0x11, exponent: 0x00) == 1)  // 1000 in 1000 mm
    #expect(try resolution(usage: 0x30, unit: 0x11, exponent: 0x0f) == 10)  // 1000 in 100 mm
    #expect(try resolution(usage: 0x31, unit: 0x13, exponent: 0x0e) == 39)  // 1000 in 25.4 mm
    #expect(try resolution(usage: 0x33, unit: 0x14, exponent: 0x00) == 573)  // 1000 in 100 degrees
    #expect(try resolution(usage: 0x33, unit: 0x12, exponent: 0x00) == 10)
    #expect(try resolution(usage: 0x30, unit: 0x14, exponent: 0x00) == 0)
    #expect(try resolution(usage: 0x30, unit: 0x11, exponent: 0x80) == 0)  // 10 to the -128th
  }

  @Test("a hat switch is two axes of -1 to 1 if the kernel's 16 bits hold its range")
  func hat() throws {
    func axes(maximum: [UInt8]) throws -> [[Int32]] {
      let mapping = EvdevMapping(
        of: try HIDReportDescriptor(
          parsing: [
            0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x09, 0x39, 0x15, 0x00, 0x75, 0x10, 0x95, 0x01,
          ] + maximum + [0x81, 0x42, 0xc0]))
      return mapping.nodes.flatMap { $0.axes.map { [$0.minimum, $0.maximum] } }
    }
    #expect(try axes(maximum: [0x25, 0x07]) == [[-1, 1], [-1, 1]])
    #expect(try axes(maximum: [0x26, 0xff, 0x7f]) == [[-1, 1], [-1, 1]])
    #expect(try axes(maximum: [0x26, 0xff, 0xff]) == [[0, 65_535]])
  }

  @Test("the first of a D-pad's four directions has the hat, and the others are duplicates")
  func directions() throws {
    let mapping = EvdevMapping(
      of: try HIDReportDescriptor(parsing: [
        0x05, 0x01, 0x09, 0x05, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x04,
        0x19, 0x90, 0x29, 0x93, 0x81, 0x02, 0xc0,
      ]))
    let hat = try #require(EvdevCode(named: "ABS_HAT0X"))
    #expect(
      (0..<4).map { mapping.outcome(of: $0, inField: 0, ofReport: .input, id: nil) } == [
        .event(hat), .duplicate(hat), .duplicate(hat), .duplicate(hat),
      ])
    #expect(mapping.nodes[0].axes.map { [$0.minimum, $0.maximum] } == [[-1, 1], [-1, 1]])
  }

  @Test("a usage after a wireless radio button in its field is relative")
  func radio() throws {
    let mapping = EvdevMapping(
      of: try HIDReportDescriptor(parsing: [
        0x05, 0x01, 0x09, 0x0c, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x03,
        0x09, 0x30, 0x09, 0xc6, 0x09, 0x31, 0x81, 0x02, 0xc0,
      ]))
    #expect(
      (0..<3).map {
        mapping.outcome(of: $0, inField: 0, ofReport: .input, id: nil).code?.name
      } == ["ABS_X", "KEY_RFKILL", "REL_Y"])
  }

  @Test("the drivers of sensor hubs and Vivaldi keyboards put all applications into one node")
  func oneNode() throws {
    let sensors: [UInt8] = [0x05, 0x20, 0x09, 0x01, 0xa1, 0x01, 0xc0]
    let vivaldi: [UInt8] = [0x06, 0xd1, 0xff, 0x09, 0x01, 0xa1, 0x01, 0xc0]
    for (more, driver) in [(sensors, EvdevMapping.Driver.sensorHub), (vivaldi, .vivaldi)] {
      let descriptor = try HIDReportDescriptor(parsing: Example.consumer + more)
      #expect(descriptor.group.driver == driver)
      let node = try #require(EvdevMapping(of: descriptor, driver: driver).nodes.first)
      #expect(EvdevMapping(of: descriptor, driver: driver).nodes.count == 1)
      #expect(node.suffix == nil)
      let generic = EvdevMapping(of: descriptor)
      #expect(generic.driver == .generic)
      #expect(generic.nodes.map(\.suffix) == ["Consumer Control", "System Control"])
    }
  }

  @Test("a battery's charge, in an input or a feature report, is not an event")
  func battery() throws {
    let mapping = EvdevMapping(
      of: try HIDReportDescriptor(parsing: [
        0x05, 0x01, 0x09, 0x02, 0xa1, 0x01, 0x15, 0x00, 0x25, 0x64, 0x75, 0x08, 0x95, 0x01,
        0x05, 0x06, 0x09, 0x20, 0x81, 0x02, 0x09, 0x20, 0xb1, 0x02, 0xc0,
      ]))
    #expect(mapping.nodes == [])
    #expect(mapping.outcome(of: 0, inField: 0, ofReport: .input, id: nil) == .battery)
    #expect(mapping.outcome(of: 0, inField: 0, ofReport: .feature, id: nil) == .battery)
  }

  @Test("positions that a descriptor does not have are ignored")
  func outside() throws {
    let mapping = EvdevMapping(of: try HIDReportDescriptor(parsing: Example.mouse))
    for (index, field, id) in [(-1, 0, nil), (8, 0, nil), (0, -1, nil), (0, 9, nil), (0, 0, 4)]
      as [(Int, Int, UInt8?)]
    {
      let outcome = mapping.outcome(
        of: index, inField: field, ofReport: .input, id: id.flatMap(HIDReportID.init(rawValue:)))
      #expect(outcome == .ignored)
    }
  }
}
