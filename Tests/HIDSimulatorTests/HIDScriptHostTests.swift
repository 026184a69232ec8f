// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Reports that a script's host sends and sets", .timeLimit(.minutes(1)))
struct HIDScriptHostTests {
  @Test("a host's report is read with its bytes and ID, and a control may have the name of a type")
  func reading() throws {
    let commands = try HIDScript.parse(
      Array(
        """
        host set feature 3 bytes 00 01
        host set feature bytes 02 error
        host send output 2 bytes 00ff
        host set output 5
        """.utf8), name: "s"
    ).statements.map(\.command)
    let control = HIDScript.Control(
      name: .init(text: "output", location: HIDTextLocation(line: 4, column: 10)), element: nil)
    #expect(
      commands == [
        .hostSetReport(
          .init(type: .feature, id: HIDReportID(rawValue: 3)), [3, 0, 1], expectsError: false),
        .hostSetReport(.init(type: .feature, id: nil), [2], expectsError: true),
        .hostSend(.init(type: .output, id: HIDReportID(rawValue: 2)), [2, 0, 0xFF]),
        .hostSet(control, .logical(5)),
      ])
  }

  @Test("a report that the host sends or sets arrives as it is, and is kept unless it is refused")
  func sending() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      try await stage.run(
        """
        host send output 2 bytes 07 08
        expect event output 2 bytes 07 08 within 20s
        host set output 2 bytes 09 0a
        expect event output 2 bytes 09 0a within 20s
        host get output 2 bytes 09 0a
        host set feature 3 bytes 01 02 03
        expect event set feature 3 bytes 01 02 03 within 20s
        host get feature 3 bytes 01 02 03
        answer once set feature 3 with error
        host set feature 3 bytes 04 05 06 error
        host get feature 3 bytes 01 02 03
        """)
    }
  }

  @Test("an unnumbered report that the host sends arrives with its bytes, and sets the lamps")
  func unnumbered() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.keyboard))
    try await stage.plugged {
      try await stage.run(
        """
        host send output bytes 02
        expect event output bytes 02 within 20s
        expect led.capsLock on
        host set led.numLock on
        expect event output bytes 03 within 20s
        """)
    }
  }

  @Test("an unexpected refusal fails the script, and so does an unexpected acceptance")
  func results() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      var failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run("host set feature 3 bytes 01 02 03 error")
      }
      #expect(failure?.problem.message == "expected an error, and the report was accepted")
      #expect(
        failure?.instead.contains {
          $0.contains("set feature 3 03 01 02 03") && $0.contains(": accepted")
        } == true)
      failure = await #expect(throws: HIDScriptFailure.self) {
        try await stage.run("answer once set feature 3 with error; host set feature 3 bytes 01")
      }
      #expect(failure?.problem.message.contains("the device refused") == true)
    }
  }
}
