// SPDX-License-Identifier: Apache-2.0
import HIDBus
import HIDReportDescriptor
import HIDText
import HIDUsages
import IOLoop
import Testing

@testable import HIDSessions
@testable import HIDSimulator

@Suite("Expected and unexpected events in scripts", .timeLimit(.minutes(1)))
struct HIDScriptEventTests {
  private func commands(_ text: String) throws -> [HIDScript.Command] {
    try HIDScript.parse(Array(text.utf8), name: "s").statements.map(\.command)
  }

  private func usb(
    _ name: USBHostEvent.Name, _ value: USBEventPattern.Value? = nil
  ) -> HIDScript.HostEventPattern {
    var pattern = HIDScript.HostEventPattern(name: .usb, type: nil, id: nil, bytes: nil)
    pattern.usb = USBEventPattern(name, value)
    return pattern
  }

  @Test("expectations of events, of no events and of masked bytes are read")
  func reading() throws {
    let three = HIDReportID(rawValue: 3)
    #expect(
      try commands(
        """
        expect nothing for 200ms
        expect no event output for 1s
        expect no event set feature 3 bytes 01 ?? ... for 1s
        expect nothing else; expect nothing else for 1s; expect anything; expect anything for 20ms
        expect only event output bytes 02 within 2s
        expect event open within 1s; expect event close within 1s
        expect event usb protocol boot within 1s; expect no event usb halt for 1s
        expect event usb request c0 ?? ... within 1s
        expect event usb idle 20ms within 1s; expect event usb configuration 1 within 1s
        expect event output bytes 01??0a ... within 1s
        host get feature 3 bytes ?? 00 ...
        host get feature 3 bytes ...
        """) == [
          .expectNothing(nil, for: .milliseconds(200)),
          .expectNothing(
            .init(name: .output, type: .output, id: nil, bytes: nil), for: .seconds(1)),
          .expectNothing(
            .init(
              name: .set, type: .feature, id: three,
              bytes: HIDBytePattern([3, 1, nil], isPrefix: true)), for: .seconds(1)),
          .expectNothingElse(for: nil), .expectNothingElse(for: .seconds(1)),
          .expectAnything(for: nil), .expectAnything(for: .milliseconds(20)),
          .expectOnlyEvent(
            .init(name: .output, type: .output, id: nil, bytes: HIDBytePattern([2])),
            within: .seconds(2)),
          .expectEvent(.init(name: .opened, type: nil, id: nil, bytes: nil), within: .seconds(1)),
          .expectEvent(.init(name: .closed, type: nil, id: nil, bytes: nil), within: .seconds(1)),
          .expectEvent(usb(.protocol, .isBoot(true)), within: .seconds(1)),
          .expectNothing(usb(.halt), for: .seconds(1)),
          .expectEvent(
            usb(.request, .bytes(HIDBytePattern([0xC0, nil], isPrefix: true))),
            within: .seconds(1)),
          .expectEvent(usb(.idle, .time(.milliseconds(20))), within: .seconds(1)),
          .expectEvent(usb(.configuration, .number(1)), within: .seconds(1)),
          .expectEvent(
            .init(
              name: .output, type: .output, id: nil,
              bytes: HIDBytePattern([1, nil, 10], isPrefix: true)), within: .seconds(1)),
          .hostGet(
            .init(type: .feature, id: three),
            expecting: .bytes(HIDBytePattern([3, nil, 0], isPrefix: true))),
          .hostGet(
            .init(type: .feature, id: three),
            expecting: .bytes(HIDBytePattern([3], isPrefix: true))),
        ])
  }

  @Test(
    "a mistake in an event or a mask is an error with its place",
    arguments: [
      ("expect nothing", "1:15: expected \"for\" and a duration, found the end of the command"),
      ("expect nothing within 1s", "1:16: expected \"for\" and a duration, found \"within\""),
      ("expect nothing else within 1s", "1:21: expected \"for\" and a duration, found \"within\""),
      ("expect anything within 1s", "1:17: expected \"for\" and a duration, found \"within\""),
      (
        "expect only led.capsLock on",
        "1:13: expected \"event\", found \"led.capsLock\"; such as expect only"
      ),
      (
        "expect only event output bytes 02",
        "1:34: expected \"within\" and a duration, found the end of the command"
      ),
      ("expect no output for 1s", "1:11: expected \"event\", found \"output\"; such as expect no"),
      ("expect no event output within 1s", "1:24: expected \"for\" and a duration, found"),
      (
        "expect event usb suspend within 1s",
        "1:18: expected an event of a USB host, found \"suspend\"; it is one of configuration, wakeup,"
      ),
      (
        "expect event usb protocol bot within 1s",
        "1:27: expected \"boot\" or \"report\", found \"bot\""
      ),
      (
        "expect event usb withdrawal 1 within 1s",
        "1:29: expected \"within\" and a duration, found \"1\""
      ),
      ("expect event output bytes ? within 1s", "1:27: expected bytes in hexadecimal, found \"?\""),
      (
        "expect event output bytes ... 01 within 1s",
        "1:31: expected nothing after \"...\", found \"01\""
      ),
      ("expect event output bytes within 1s", "1:27: expected bytes in hexadecimal, found"),
      ("expect event open 3 within 1s", "1:19: expected \"within\" and a duration, found \"3\""),
      ("answer once get feature with ??", "1:30: expected bytes in hexadecimal, found \"??\""),
    ])
  func errors(_ text: String, _ expected: String) {
    #expect {
      try commands(text)
    } throws: {
      "\($0)".hasPrefix("s:" + expected)
    }
  }

  @Test("expect nothing passes after its time if no event comes")
  func silence() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      let begun = MonotonicTime.now
      try await stage.run(
        """
        host get feature 3
        expect event get feature 3 within 20s
        expect nothing for 30ms
        report 01
        expect no event output for 30ms
        """)
      #expect(MonotonicTime.now.duration(since: begun) >= .milliseconds(60))
    }
  }

  @Test("expect nothing fails at once when an event comes, and lists the event")
  func broken() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      let client = try await stage.client()
      #expect(await stage.wait { if case .opened = $0 { true } else { false } })
      for (text, message) in [
        ("expect nothing for 10m", "expected nothing for 600s, and this came"),
        (
          "expect no event output 2 bytes 07 ?? for 10m",
          "expected no event output 2 02 07 ?? for 600s, and this came"
        ),
      ] {
        let seen = stage.log.endIndex
        let script = Task { try await stage.run(text) }
        // The report is written repeatedly, because the script may not have begun to wait.
        let writer = Task {
          while !Task.isCancelled {
            try await client.write([2, 7, 1])
            try await Timeline.real.sleep(for: .milliseconds(1))
          }
        }
        let failure = await #expect(throws: HIDScriptFailure.self) { try await script.value }
        writer.cancel()
        _ = await writer.result
        // The rest of the message depends on whether the first report came before the line began.
        #expect(failure?.problem.message.hasPrefix(message) == true)
        #expect(failure?.instead.first?.contains(": output 2 02 07 01") == true)
        #expect(stage.log.endIndex > seen)
      }
      client.close()
    }
  }

  @Test("expect no event ignores events that do not match its pattern")
  func others() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      let client = try await stage.client()
      let writer = Task {
        while !Task.isCancelled {
          try await client.write([2, 7, 1])
          try await Timeline.real.sleep(for: .milliseconds(1))
        }
      }
      try await stage.run(
        "expect no event output 2 bytes 08 ... for 30ms; expect no event get for 10ms")
      writer.cancel()
      _ = await writer.result
      client.close()
    }
  }

  @Test("a client that opens the device is an event, and so is a client that closes it")
  func opening() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      let script = Task {
        try await stage.run("expect event open within 20s\nexpect event close within 20s")
      }
      let client = try await stage.client()
      client.close()
      try await script.value
    }
  }

  @Test("a mask matches its bytes, any byte for ??, and any rest for ...")
  func masks() async throws {
    let stage = try Stage(
      interface(
        RuntimeDescriptor.numbered,
        initial: [
          HIDInitialReport(type: .feature, id: HIDReportID(rawValue: 3), bytes: [3, 1, 2, 3])
        ]))
    try await stage.plugged {
      try await stage.run(
        """
        host get feature 3 bytes 01 ?? 03
        host get feature 3 bytes 01 ...
        host get feature 3 bytes 01 02 03 ...
        """)
      for text in [
        "host get feature 3 bytes 01 ??", "host get feature 3 bytes 02 ...",
        "host get feature 3 bytes ?? ?? 04",
      ] {
        let failure = await #expect(throws: HIDScriptFailure.self) { try await stage.run(text) }
        #expect(failure?.problem.message.hasSuffix(", and got 03 01 02 03") == true)
      }
    }
  }

  @Test("an expected output report may come by both ways, unless the pattern names one")
  func ways() throws {
    let report = HIDReceivedReport(
      type: .output, id: nil, bytes: [2], raw: [2], changes: [], isDeclared: true)
    let answer = HIDAnswer(value: .acknowledged, latency: .zero, isDeclared: true)
    let output = HIDDeviceEvent.Kind.output(report)
    let set = HIDDeviceEvent.Kind.setReport(report, answer)
    for (words, matches) in [
      ("output", [true, true]), ("output by output", [true, false]),
      ("output by set bytes 02", [false, true]), ("output by set bytes 03", [false, false]),
      ("set output", [false, true]), ("set feature", [false, false]),
    ] {
      guard
        case .expectEvent(let pattern, _)? = try commands("expect event \(words) within 1s").first
      else {
        Issue.record("\(words)")
        continue
      }
      #expect([pattern.matches(output), pattern.matches(set)] == matches, "\(words)")
    }
  }

}
