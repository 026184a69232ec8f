// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@Suite("differences of two descriptors")
struct HIDDescriptorDifferenceTests {
  private func lines(_ first: [UInt8], _ second: [UInt8]) throws -> [String] {
    try HIDReportDescriptor(parsing: first).differences(
      to: HIDReportDescriptor(parsing: second)
    ).map(\.description)
  }

  /// Returns a mouse's application collection with these items in it, after the report ID if there
  /// is one.
  private func mouse(_ items: [UInt8], id: UInt8? = nil) -> [UInt8] {
    [0x05, 0x01, 0x09, 0x02, 0xa1, 0x01] + (id.map { [0x85, $0] } ?? []) + items + [0xc0]
  }

  private let buttons: [UInt8] = [
    0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x03, 0x81, 0x02,
    0x75, 0x05, 0x95, 0x01, 0x81, 0x03,
  ]
  private let axes: [UInt8] = [
    0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06,
  ]

  @Test(
    "a descriptor does not differ from itself",
    arguments: [Example.keyboard, Example.mouse, Example.gamepad, Example.consumer])
  func same(bytes: [UInt8]) throws {
    #expect(try lines(bytes, bytes) == [])
  }

  @Test(
    "the same layout in other items is no difference: split fields, single usages, 32-bit usages")
  func otherWords() throws {
    let split: [UInt8] = [
      0x05, 0x01, 0x09, 0x30, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x01, 0x81, 0x06,
      0x0b, 0x31, 0x00, 0x01, 0x00, 0x81, 0x06,
    ]
    let oneByOne: [UInt8] = [
      0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x03, 0x05, 0x09, 0x09, 0x01, 0x09, 0x02, 0x09,
      0x03,
      0x81, 0x02, 0x95, 0x05, 0x81, 0x01,
    ]
    #expect(try lines(mouse(buttons + axes), mouse(oneByOne + split)) == [])
  }

  @Test("wider controls are one difference, and the longer report is another")
  func wider() throws {
    let wide: [UInt8] = [
      0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x16, 0x01, 0x80, 0x26, 0xff, 0x7f, 0x75, 0x10, 0x95,
      0x02,
      0x81, 0x06,
    ]
    #expect(
      try lines(mouse(buttons + axes), mouse(buttons + wide)) == [
        "~ input report: length 3 bytes -> 5 bytes",
        "~ input report, genericDesktop.x ... genericDesktop.y: size 8 bits -> 16 bits, "
          + "logical range -127...127 -> -32767...32767",
      ])
  }

  @Test("a longer range of usages differs only by its new usages")
  func moreButtons() throws {
    var more = buttons
    (more[5], more[13], more[17]) = (0x05, 0x05, 0x03)
    #expect(
      try lines(mouse(buttons), mouse(more)) == [
        "+ input report, button 4 ... button 5: bit 3, size 1 bit, logical range 0...1, "
          + "flags data variable absolute"
      ])
    #expect(
      try lines(mouse(more), mouse(buttons)) == [
        "- input report, button 4 ... button 5: bit 3, size 1 bit, logical range 0...1, "
          + "flags data variable absolute"
      ])
  }

  @Test("a report with another ID is one difference")
  func renumbered() throws {
    #expect(
      try lines(mouse(axes, id: 1), mouse(axes, id: 2)) == ["~ input report 1: ID 1 -> 2"])
    #expect(
      try lines(mouse(axes), mouse(axes, id: 2)) == ["~ input report: ID none -> 2"])
  }

  @Test("changed flags, added collections, and added or removed reports are differences")
  func others() throws {
    let absolute = axes.dropLast() + [0x02]
    #expect(
      try lines(mouse(axes), mouse(Array(absolute))) == [
        "~ input report, genericDesktop.x ... genericDesktop.y: flags data variable relative -> data "
          + "variable absolute"
      ])
    let led: [UInt8] = [
      0x05, 0x08, 0x09, 0x02, 0x25, 0x01, 0x15, 0x00, 0x75, 0x01, 0x95, 0x01, 0x91, 0x02,
    ]
    #expect(
      try lines(mouse(axes), mouse(axes + led)) == [
        "+ output report: length 1 byte",
        "+ output report, led.capsLock: bit 0, size 1 bit, logical range 0...1, "
          + "flags data variable absolute",
      ])
    #expect(
      try lines(mouse(axes + led), mouse(axes)) == ["- output report: length 1 byte"])
    let pointer: [UInt8] = [0x09, 0x01, 0xa1, 0x00] + axes + [0xc0]
    #expect(
      try lines(mouse(axes), mouse(pointer)).first
        == "+ collection application genericDesktop.mouse / physical genericDesktop.pointer")
  }

  @Test("only the last of two equal usages applies to the elements after them")
  func repeatedUsage() throws {
    let twice: [UInt8] = [
      0x05, 0x01, 0x09, 0x30, 0x09, 0x30, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x03, 0x91,
      0x02,
    ]
    let properties = "size 1 bit, logical range 0...1, flags data variable absolute"
    #expect(
      try lines(mouse(axes), mouse(axes + twice)) == [
        "+ output report: length 1 byte",
        "+ output report, genericDesktop.x: bit 0, \(properties)",
        "+ output report, genericDesktop.x: bit 1, \(properties), more elements 1",
      ])
  }

  @Test("an array with more slots is a difference")
  func arrays() throws {
    func keys(_ slots: UInt8, _ last: UInt8) -> [UInt8] {
      [
        0x05, 0x07, 0x19, 0x00, 0x29, last, 0x15, 0x00, 0x25, last, 0x75, 0x08, 0x95, slots, 0x81,
        0x00,
      ]
    }
    #expect(
      try lines(mouse(keys(6, 0x65)), mouse(keys(8, 0x65))) == [
        "~ input report: length 6 bytes -> 8 bytes",
        "~ input report, keyboardOrKeypad.0x0000 ... keyboardOrKeypad.keyboardApplication: "
          + "slots 6 -> 8",
      ])
  }

  @Test("large descriptors differ from each other, and not from themselves")
  func hostile() throws {
    let reports = (1...255 as ClosedRange<UInt8>).flatMap { id in
      [0x85, id, 0x08, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02] as [UInt8]
    }
    let usages = [UInt8]((0..<1300).flatMap { [0x09, UInt8($0 % 2), 0x80] as [UInt8] })
    let nested = [UInt8](repeating: 0xa0, count: 2000) + [UInt8](repeating: 0xc0, count: 2000)
    let all: [[UInt8]] = [
      Array(reports), [0x75, 0x01, 0x95, 0x01] + usages, nested, Example.gamepad,
    ]
    for first in all {
      for second in all { #expect(try lines(first, second).isEmpty == (first == second)) }
    }
  }
}
