// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("State in scripts", .timeLimit(.minutes(1)))
struct HIDScriptStateTests {
  private static let text = """
    {"hidsim": 1, "name": "d", "vendorID": 1, "productID": 2,
     "reportDescriptor": {"hex": "06 00 ff 09 01 a1 01 15 00 26 ff 00 75 08 95 02 09 01 81 02 09 02 91 02 09 03 b1 02 c0"},
     "state": {"mode": {"type": "u8", "initial": 1}, "key": {"type": "bytes", "count": 2}, "beat": {"type": "u16"}},
     "behaviours": [
       {"on": {"get": "feature"}, "reply": "${mode:u8}"},
       {"on": {"set": "feature"}, "set": {"mode": "${request[0]:u8}"}},
       {"on": {"timer": "1ms"}, "when": {"mode": 9, "beat": [0, 1, 2]}, "set": {"beat": "+1"}}]}
    """

  private func definition() throws -> HIDDeviceDefinition {
    try HIDDeviceFile.parse(Array(Self.text.utf8), name: "d") { _ in [] }
  }

  @Test("a script expects and sets a state by its name, and sees changes by the host and by timers")
  func state() async throws {
    let stage = try Stage(try definition().interfaces[0])
    try await stage.plugged {
      try await stage.run(
        """
        expect mode 1
        set mode 7
        host get feature bytes 07 00
        host set feature bytes 03 00
        expect mode 3 within 20s
        expect beat 0
        set mode 9
        expect beat 3 within 20s
        """)
      await #expect {
        try await stage.run("expect mode 8 within 1ms")
      } throws: {
        "\($0)".hasPrefix("s:1:1: expected mode 8 within 1ms, and it is 9")
      }
    }
  }

  @Test(
    "a wrong name or value of a state is an error before any device is plugged",
    arguments: [
      ("set mode 256", "1:5: mode cannot be 256; expected 0 to 255"),
      ("expect mode 50%", "1:8: the state \"mode\" is a number; found 50"),
      ("expect key 1", "1:8: the state \"key\" is bytes; found 1; scripts read"),
      (
        "set mode 1 beat 2",
        "1:1: \"mode\" is a state of the device file; it cannot be set together with other controls"
      ),
      ("set mod 1", "1:5: unknown control \"mod\""),
    ])
  func errors(_ text: String, _ expected: String) throws {
    let device = try definition()
    #expect {
      try HIDScript.parse(Array(text.utf8), name: "s").resolved(for: [device])
    } throws: {
      "\($0)".hasPrefix("s:" + expected)
    }
  }
}
