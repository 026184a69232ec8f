// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDBus
import HIDUsages
import IOLoop
import Testing

@testable import HIDSimulator

@Suite("Answers by scripts, on the loopback bus", .timeLimit(.minutes(1)))
struct ScriptedAnswerTests {
  @Test("answer always is for all requests, answer once comes before it, answer usually drops both")
  func precedence() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      try await stage.run(
        """
        answer always get feature 3 with 01 02
        answer once get feature 3 with error
        host get feature 3 error
        host get feature 3 bytes 01 02
        host get feature 3 bytes 01 02
        answer always get feature 3 with 07
        host get feature 3 bytes 07
        answer once get feature 3 with error
        answer usually get feature 3
        host get feature 3 bytes 00 00 00
        """)
    }
  }

  @Test("a delayed answer comes after its delay")
  func delay() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      let begun = MonotonicTime.now
      try await stage.run(
        """
        answer once get feature 3 with 01 02 03 after 50ms
        host get feature 3 bytes 01 02 03
        answer once get feature 3 with error after 50ms
        host get feature 3 error
        """)
      #expect(MonotonicTime.now.duration(since: begun) >= .milliseconds(100))
      let latencies = stage.kinds.compactMap {
        if case .getReport(_, _, let answer) = $0 { answer.latency } else { nil }
      }
      #expect(latencies.count == 2 && latencies.allSatisfy { $0 >= .milliseconds(50) })
    }
  }

  @Test("a request that is left without an answer is an event")
  func nothing() async throws {
    let stage = try Stage(interface(RuntimeDescriptor.numbered))
    try await stage.plugged {
      let client = try await stage.client()
      // The request is repeated, because the device answers it before the script has begun.
      let asking = Task {
        while !Task.isCancelled {
          _ = try? await client.getReport(
            .feature, HIDReportID(rawValue: 3), timeout: .milliseconds(50))
        }
      }
      try await stage.run(
        "answer once get feature 3 with none; expect event get feature 3 within 20s")
      let isTold = await stage.wait {
        if case .getReport(_, _, let answer) = $0 { answer.value == .none } else { false }
      }
      #expect(isTold)
      asking.cancel()
      _ = await asking.value
      client.close()
    }
  }
}
