// SPDX-License-Identifier: Apache-2.0

import HIDTesting
import HIDUsages
import Synchronization
import Testing

/// The error that a test throws.
private struct Reason: Error, CustomStringConvertible {
  let description = "the reason"
}

@Suite("Failures of tests with virtual devices", .timeLimit(.minutes(2)))
struct FailureTests {
  /// Runs a test's body, and returns its issues instead of recording them.
  private func issues(_ body: @Sendable () async throws -> Void) async throws -> [Issue] {
    let issues = Mutex<[Issue]>([])
    let test = try #require(Test.current)
    let handler = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append(issue) }
      return nil
    }
    try await handler.provideScope(for: test, testCase: Test.Case.current, performing: body)
    return issues.withLock { $0 }
  }

  @Test("a failed expectation prints the decoded reports of both directions")
  func expectation() async throws {
    let issues = try await issues {
      try await withVirtualDevice("keyboard.json") { keyboard in
        try await keyboard.play("host set led.numLock on ; sync")
        try await keyboard.tap("a")
        let isLit = try await keyboard.expect(.led(.capsLock), is: 1)
        #expect(!isLit)
      }
    }
    try #require(issues.count == 1)
    let text = issues[0].comments.map(\.rawValue).joined(separator: "\n")
    #expect(text.contains("expected led.capsLock 1, and it is off"))
    #expect(text.contains(/hidsim keyboard: output 01( \(as 00 01\))?  led.numLock on/))
    #expect(
      text.contains("hidsim keyboard: input 00 00 04 00 00 00 00 00  keyboardOrKeypad.keyboardA on")
    )
    #expect(issues[0].sourceLocation?.fileName == "FailureTests.swift")
  }

  @Test("expectNothing and expectNothingElse fail at a report that follows the expected one")
  func burst() async throws {
    let issues = try await issues {
      try await withVirtualDevice("keyboard.json") { keyboard async throws in
        try await keyboard.play(
          "host send output bytes 01\nhost send output bytes 02\nhost send output bytes 03 ; sync")
        #expect(try await keyboard.expect(.led(.capsLock), is: 1))
        #expect(try await !keyboard.expectNothing(for: .seconds(600)))
        #expect(try await !keyboard.expectNothingElse())
        try await keyboard.expectAnything()
        // Events that were skipped are still unexpected.
        #expect(try await keyboard.expectNothing(for: .milliseconds(10)))
        #expect(try await !keyboard.expectNothingElse(for: .seconds(600)))
      }
    }
    let texts = issues.map { $0.comments.map(\.rawValue).joined(separator: "\n") }
    try #require(texts.count == 3, "\(texts)")
    #expect(texts[0].hasPrefix("expected nothing for 600s, and this came after the last event"))
    #expect(texts[1].hasPrefix("expected nothing else, and this came"))
    #expect(texts[2].hasPrefix("expected nothing else for 600s, and this came"))
  }

  @Test("a failed #expect and a thrown error contain the reports of the device")
  func others() async throws {
    let issues = try await issues {
      try await withVirtualDevice("keyboard.json") { keyboard in
        try await keyboard.tap("b")
        #expect(keyboard.name == "another")
      }
    }
    try #require(issues.count == 1)
    #expect(issues[0].comments.contains { $0.rawValue.contains("keyboardB on") })
    let failure = await #expect(throws: HIDTestFailure.self) {
      try await withVirtualDevice("keyboard.json") { keyboard in
        try await keyboard.tap("c")
        throw Reason()
      }
    }
    #expect(failure?.underlying is Reason)
    #expect(failure?.description.hasPrefix("the reason\nWhat happened") == true)
    #expect(failure?.traffic.contains("keyboardC on") == true)
  }

  @Test("a thrown error contains the reports of all devices of the test")
  func outer() async throws {
    let failure = await #expect(throws: HIDTestFailure.self) {
      try await withVirtualDevice("keyboard.json") { keyboard async throws in
        try await keyboard.tap("e")
        try await withVirtualDevice("mouse.json") { mouse async throws in
          try await mouse.click()
          throw Reason()
        }
      }
    }
    #expect(failure?.underlying is Reason)
    #expect(failure?.traffic.contains("keyboardE on") == true)
    #expect(failure?.traffic.contains("hidsim mouse: input") == true)
  }

  @Test("a failed line of a played script is named by its position")
  func line() async throws {
    let issues = try await issues {
      try await withVirtualDevice("keyboard.json") { keyboard async throws in
        _ = try await keyboard.play(
          "expect led.capsLock off\ntap a\nexpect led.capsLock on\nexpect led.capsLock off")
      }
    }
    try #require(issues.count == 1)
    let text = issues[0].comments.map(\.rawValue).joined(separator: "\n")
    #expect(
      text.contains(/FailureTests\.swift:[0-9]+:3:1: expected led.capsLock on, and it is off/))
  }

  /// True unless Swift Testing was started with a version of its event stream, in which it may
  /// record no warnings.
  private static let hasWarnings = !CommandLine.arguments.contains("--event-stream-version")

  @Test(
    "a cancelled test records the reports until then as a warning",
    .enabled(if: hasWarnings, "with version 0 of the event stream there are no warnings"))
  func stopped() async throws {
    let issues = try await issues {
      let (waiting, continuation) = AsyncStream<Void>.makeStream()
      let test = Task {
        try await withVirtualDevice("keyboard.json") { keyboard in
          try await keyboard.tap("d")
          continuation.finish()
          try await Task.sleep(for: .seconds(600))
        }
      }
      for await _ in waiting {}
      test.cancel()
      await #expect(throws: CancellationError.self) { try await test.value }
    }
    #if compiler(>=6.3)
      try #require(issues.count == 1)
      #expect(!issues[0].isFailure)
      #expect(issues[0].comments.contains { $0.rawValue.contains("keyboardD on") })
    #endif
  }

  @Test("an unknown key is an error with the nearest name")
  func names() async throws {
    let failure = await #expect(throws: HIDTestFailure.self) {
      try await withVirtualDevice("keyboard.json") { try await $0.tap("enterr") }
    }
    #expect(failure?.description.contains("did you mean \"enter\"?") == true)
  }
}
