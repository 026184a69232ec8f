// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDReportDescriptor
import HIDText
import HIDTraces
import IOLoop
import Testing
import TestSupport

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Touch commands of scripts", .timeLimit(.minutes(1)))
struct HIDScriptTouchTests {
  /// A finger: Tip Switch, Confidence, six bits of padding, Contact Identifier, X and Y of 8 bits
  /// each.
  private static let finger: [UInt8] = [
    0x05, 0x0d, 0x09, 0x22, 0xa1, 0x02, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x02, 0x09, 0x42,
    0x09, 0x47, 0x81, 0x02, 0x95, 0x06, 0x81, 0x03, 0x26, 0xff, 0x00, 0x75, 0x08, 0x95, 0x01, 0x09,
    0x51, 0x81, 0x02, 0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x95, 0x02, 0x81, 0x02, 0xc0,
  ]
  /// A touch pad: report 1 has two fingers, Scan Time (16 bits), Contact Count (8 bits, up to 3).
  private static let pad: [UInt8] =
    [0x05, 0x0d, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x01] + finger + finger + [
      0x05, 0x0d, 0x27, 0xff, 0xff, 0x00, 0x00, 0x75, 0x10, 0x95, 0x01, 0x09, 0x56, 0x81, 0x02,
      0x25, 0x03, 0x75, 0x08, 0x09, 0x54, 0x81, 0x02, 0xc0,
    ]

  private func inputs(_ text: String, _ descriptor: [UInt8] = pad) async throws -> [[UInt8]] {
    let stage = try Stage(interface(descriptor), timeline: .virtual())
    try await stage.plugged { try await stage.run(text) }
    return stage.inputs
  }

  @Test("a frame has all fingers that are down or just lifted, in the order they came down")
  func frames() async throws {
    #expect(
      try await inputs(
        """
        wait 1ms; touch 1 at 10 20
        wait 1ms; touch 2 at 50% 100%
        touch 1 up
        touch 2 move 5 6
        """) == [
          [1, 3, 1, 10, 20, 0, 0, 0, 0, 10, 0, 1],
          [1, 3, 1, 10, 20, 3, 2, 128, 255, 20, 0, 2],
          [1, 2, 1, 10, 20, 3, 2, 128, 255, 20, 0, 2],
          [1, 3, 2, 5, 6, 0, 0, 0, 0, 20, 0, 1],
          [1, 2, 2, 5, 6, 0, 0, 0, 0, 20, 0, 1],  // lifted at the end
        ])
  }

  @Test("fingers that do not fit into a report follow in the next one, which has a count of 0")
  func hybrid() async throws {
    #expect(
      try await inputs("touch 1 at 1 1 2 at 2 2 3 at 3 3; touch 1 up 3 move 4 4; release") == [
        [1, 3, 1, 1, 1, 3, 2, 2, 2, 0, 0, 3], [1, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0],
        [1, 2, 1, 1, 1, 3, 2, 2, 2, 0, 0, 3], [1, 3, 3, 4, 4, 0, 0, 0, 0, 0, 0, 0],
        [1, 2, 2, 2, 2, 2, 3, 4, 4, 0, 0, 2],
      ])
  }

  @Test("hold keeps fingers down, and a device that is unplugged loses them")
  func staying() async throws {
    #expect(try await inputs("touch 1 at 1 1; hold").count == 1)
    let replugged = try await inputs("touch 1 at 1 1; unplug; plug; touch 2 at 2 2")
    #expect(replugged[1] == [1, 3, 2, 2, 2, 0, 0, 0, 0, 0, 0, 1])
  }

  @Test(
    "a mistake in a touch command is an error with its place before any device is plugged",
    arguments: [
      ("touch", "1:6: expected the number of a contact, found the end of the command; such as"),
      ("touch 1", "1:8: expected \"at\", \"move\" or \"up\", found the end of the command"),
      ("touch 1 at 5", "1:13: expected a value, found the end of the command"),
      ("touch 1 up 1 up", "1:12: contact 1 is named twice in one command; write a second"),
      ("touch -1 up", "1:7: the number of the contact is -1; expected 0 or more"),
      ("touch 256 up", "1:1: the number of the contact is 256; expected 0 to 255"),
      ("touch 1 at 300 5", "1:1: x cannot be 300; expected 0 to 255"),
      ("touch 1 at 5 -5", "1:1: y cannot be -5; expected 0 to 255"),
    ])
  func errors(_ text: String, _ expected: String) throws {
    let device = HIDDeviceDefinition(
      name: "pad", vendorID: 1, productID: 2, interfaces: [try interface(Self.pad)])
    #expect {
      try HIDScript.parse(Array(text.utf8), name: "s").resolved(for: [device])
    } throws: {
      "\($0)".hasPrefix("s:" + expected)
    }
  }

  @Test("touch fails without a touch surface, for a finger that is not down, and for too many")
  func failures() async throws {
    #expect {
      try HIDScript.parse(Array("touch 1 up".utf8), name: "s")
        .resolved(for: [try Library.device("mouse.json")])
    } throws: {
      "\($0)".hasPrefix(
        "s:1:1: no interface has a touch surface; a touch surface is an input report with Finger")
    }
    for (text, message) in [
      ("touch 4 move 1 1", "contact 4 is not down; put it down: touch 4 at X Y"),
      (
        "touch 4 at 1 1; touch 4 up; touch 4 up",
        "contact 4 is not down; put it down: touch 4 at X Y"
      ),
      (
        "touch 1 at 1 1 2 at 1 1 3 at 1 1 4 at 1 1",
        "d reports at most 3 contacts, and this would be 4"
      ),
    ] {
      let failure = await #expect(throws: HIDScriptFailure.self) { _ = try await inputs(text) }
      #expect(failure?.problem.message == message)
    }
  }

  @Test(
    "a script sends the same frames as the kernel's tests",
    .enabled(if: DescriptorCorpus.isPresent),
    arguments: [
      (
        "test_mt_single_touch",
        "wait 100us; touch 1 at 50 100; wait 100us; touch 1 up"
      ),
      (
        "test_mt_dual_touch",
        """
        wait 100us; touch 1 at 50 100; wait 100us; touch 2 at 150 200
        wait 100us; touch 1 up; wait 100us; touch 2 up
        """
      ),
    ])
  func kernel(_ test: String, _ script: String) async throws {
    let file = "kernel-selftests/traces/test_multitouch_TestMinWin8TSParallelTriple_\(test).hid"
    let recording = try HIDTrace(Array(DescriptorCorpus.text(file).utf8), name: file)
    let device = try #require(recording.devices.first)
    let expected = recording.events.compactMap { event in
      if case .input(let report) = event.kind { [UInt8](report) } else { nil }
    }
    #expect(expected.count > 1)
    #expect(try await inputs(script, device.descriptor) == expected)
  }
}
