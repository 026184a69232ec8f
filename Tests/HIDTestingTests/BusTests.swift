// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDBus
import HIDTesting
import Testing

/// Tests that run again in separate processes, with other environments.
@Suite("Devices of tests that name no bus", .timeLimit(.minutes(2)))
struct AutomaticBusTests {
  /// The bus that the environment requires.
  private static var expected: HIDBusKind {
    switch getenv("HIDSIM_BUS").map({ String(cString: $0) }) {
    case "kernel": .kernel
    case "loopback": .loopback
    default: HIDBus.kernelTakesDevices ? .kernel : .loopback
    }
  }

  @Test("the devices of a trait are on the required bus", .virtualDevice("keyboard.json"))
  func trait() throws {
    #expect(HIDBus.current?.kind == Self.expected)
    #expect(try HIDTestDevice.current.nodes.isEmpty == (Self.expected == .loopback))
  }

  @Test("a device that is plugged during a test is on the required bus")
  func inTheMiddle() async throws {
    try await withVirtualDevice("keyboard.json") { keyboard in
      #expect(HIDBus.current?.kind == Self.expected)
      #expect(keyboard.nodes.isEmpty == (Self.expected == .loopback))
    }
  }
}

@Suite("The choice of the bus for devices of tests", .timeLimit(.minutes(2)))
struct BusTests {
  private static let whereThereIsNone = ConditionTrait.enabled(
    if: !HIDTestBus.kernel.isAvailable, "/dev/uhid can be opened here")

  /// The output of another process of tests.
  private struct Outcome {
    let status: Int32
    let lines: [String]

    func has(_ parts: String...) -> Bool {
      lines.contains { line in parts.allSatisfy(line.contains) }
    }
    /// The lines that name the bus.
    var header: [String] { lines.filter { $0.hasPrefix("hidsim: ") } }
  }

  /// Runs tests of ``AutomaticBusTests`` in a separate process.
  private func run(
    _ test: String = "", _ variables: [String: String] = [:]
  ) async throws -> Outcome {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try FileHandle(forWritingTo: file)
    _ = try output.seekToEnd()
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "--testing-library", "swift-testing", "--filter",
      "^HIDTestingTests\\.AutomaticBusTests/\(test)",
    ]
    var environment = ProcessInfo.processInfo.environment
    for name in ["HIDSIM_BUS", "HIDSIM_REQUIRE"] { environment[name] = nil }
    process.environment = environment.merging(variables) { $1 }
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
    process.standardError = output
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
    return Outcome(status: status, lines: text.split(separator: "\n").map(String.init))
  }

  /// The reason why `/dev/uhid` cannot be opened; empty if it can.
  private static var problem: String {
    let file = open("/dev/uhid", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return "; /dev/uhid: \(String(cString: strerror(errno)))" }
    close(file)
    return ""
  }

  @Test(
    "the default bus is the kernel's where available, else loopback, and is printed once",
    arguments: [[:], ["HIDSIM_BUS": ""], ["HIDSIM_BUS": "auto"]])
  func auto(variables: [String: String]) async throws {
    let outcome = try await run("", variables)
    #expect(outcome.status == 0, "\(outcome.lines)")
    let bus = HIDTestBus.kernel.isAvailable ? "kernel" : "loopback"
    #expect(outcome.header == ["hidsim: \(bus) bus (auto\(Self.problem))"])
  }

  @Test("HIDSIM_BUS=loopback selects the loopback bus, also with HIDSIM_REQUIRE")
  func loopback() async throws {
    let outcome = try await run("", ["HIDSIM_BUS": "loopback", "HIDSIM_REQUIRE": "1"])
    #expect(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.header == ["hidsim: loopback bus (HIDSIM_BUS=loopback)"])
  }

  @Test(
    "HIDSIM_BUS=kernel selects the kernel's bus",
    .enabled(if: HIDTestBus.kernel.isAvailable, "there is no /dev/uhid"))
  func kernel() async throws {
    let outcome = try await run("", ["HIDSIM_BUS": "kernel", "HIDSIM_REQUIRE": "1"])
    #expect(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.header == ["hidsim: kernel bus (HIDSIM_BUS=kernel)"])
  }

  @Test(
    "a test whose bus is missing is skipped or cancelled with the reason", whereThereIsNone,
    arguments: ["trait", "inTheMiddle"], [[:], ["HIDSIM_REQUIRE": ""], ["HIDSIM_REQUIRE": "0"]])
  func skipped(test: String, variables: [String: String]) async throws {
    let outcome = try await run(test, variables.merging(["HIDSIM_BUS": "kernel"]) { $1 })
    #expect(outcome.status == 0, "\(outcome.lines)")
    #expect(outcome.header == ["hidsim: kernel bus (HIDSIM_BUS=kernel\(Self.problem))"])
    let word = test == "trait" ? "skipped" : "cancelled"
    let reason =
      "the kernel's bus (HIDSIM_BUS=kernel) cannot be used: \(Self.problem.dropFirst(2)); run"
    #expect(outcome.has(word, reason), "\(outcome.lines)")
    #expect(!outcome.has("--bus"))
  }

  @Test(
    "a test whose bus is missing fails with HIDSIM_REQUIRE, and its issue names the variable",
    whereThereIsNone, arguments: ["trait", "inTheMiddle"])
  func required(test: String) async throws {
    let outcome = try await run(test, ["HIDSIM_BUS": "kernel", "HIDSIM_REQUIRE": "1"])
    #expect(outcome.status != 0)
    #expect(
      outcome.has(
        "recorded an issue", "the kernel's bus (HIDSIM_BUS=kernel) cannot be used",
        "without HIDSIM_REQUIRE the test is skipped"), "\(outcome.lines)")
    #expect(!outcome.has("--"))
  }

  @Test("a HIDSIM_BUS that names no bus is a failure with the expected names")
  func wrongName() async throws {
    let outcome = try await run("", ["HIDSIM_BUS": "bluetooth"])
    #expect(outcome.status != 0)
    #expect(outcome.has("HIDSIM_BUS is \"bluetooth\": expected auto, kernel, loopback or usb"))
    #expect(outcome.header.isEmpty)
  }
}
