// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HIDBus
import HIDSessions
import HIDSimulator
import HIDTesting
import Testing

private let whereThereIsOne = ConditionTrait.enabled(
  if: HIDTestBus.kernel.isAvailable, "/dev/uhid cannot be opened here")

@Suite("Virtual devices of tests on the kernel's bus", .timeLimit(.minutes(2)))
struct KernelTests {
  @Test(
    "a device has nodes while it is plugged", whereThereIsOne,
    .virtualDevice("keyboard.json", bus: .kernel))
  func nodes() async throws {
    let keyboard = try HIDTestDevice.current
    let nodes = keyboard.nodes
    #expect(nodes.count == 2)
    #expect(nodes.first?.hasPrefix("/dev/hidraw") == true)
    #expect(nodes.last?.hasPrefix("/dev/input/event") == true)
    for node in nodes { #expect(access(node, F_OK) == 0, "\(node)") }
    await keyboard.unplug()
    #expect(keyboard.nodes == [])
  }

  @Test(
    "a client in the test's process counts as a reader, and hidsim's grab of a node does not",
    whereThereIsOne, .virtualDevice("keyboard.json", bus: .kernel))
  func reader() async throws {
    let keyboard = try HIDTestDevice.current
    await withKnownIssue {
      let isThere = try await keyboard.waitForReader(within: .milliseconds(20))
      #expect(!isThere)
    }
    let file = open(keyboard.nodes[0], O_RDWR | O_CLOEXEC)
    defer { close(file) }
    #expect(try await keyboard.waitForReader())
    try await keyboard.press("b")
    var report = [UInt8](repeating: 0, count: 64)
    #expect(read(file, &report, 64) == 8)
    #expect(report[2] == 5)
  }

  private static func twoButtons() throws -> HIDDeviceDefinition {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "Fixtures/two-buttons.json")
    return try HIDDeviceFile.parse(Array(Data(contentsOf: path)), name: "two-buttons.json") { _ in
      []
    }
  }

  /// Creates an empty file for locks, in place of `/dev/uhid`.
  private static func fileWithLocks() throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: file)
    return file.path
  }

  @Test("more devices than tests may have at a time are refused without a wait")
  func tooMany() async throws {
    let file = try Self.twoButtons()
    await #expect(throws: HIDBusError.self) {
      try await KernelTurn.take(for: [HIDDeviceDefinition](repeating: file, count: 49))
    }
  }

  @Test("a test does not wait for a device identity that it already has")
  func nested() async throws {
    let file = try Self.twoButtons()
    let path = try Self.fileWithLocks()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try await KernelTurn.take(for: [file], at: path)
    let second = try await KernelTurn.take(for: [file], besides: [first], at: path)
    let third = try await KernelTurn.take(for: [file], besides: [first, second], at: path)
    for turn in [third, second, first] { turn.end() }
  }

  @Test("a test that is cancelled while it waits for its turn stops waiting")
  func cancellation() async throws {
    let file = try Self.twoButtons()
    let path = try Self.fileWithLocks()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let turn = try await KernelTurn.take(for: [file], at: path)
    let waiting = Task { try await KernelTurn.take(for: [file], at: path) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    turn.end()
    // The cancelled turn has released its lock by now, or does so later.
    try await KernelTurn.take(for: [file], at: path).end()
  }
}

/// Suites whose tests have the same devices, in different order.
@Suite(
  "Devices of a suite and of its tests share one turn", .timeLimit(.minutes(2)),
  .enabled(if: HIDTestBus.kernel.isAvailable, "/dev/uhid cannot be opened here"))
struct TurnTests {
  @Suite(.virtualDevice("keyboard.json", bus: .kernel))
  struct KeyboardFirst {
    @Test(.virtualDevice("mouse.json", bus: .kernel), arguments: 0..<20)
    func mouse(number: Int) { #expect(HIDTestDevice.all.count == 2) }
  }

  @Suite(.virtualDevice("mouse.json", bus: .kernel))
  struct MouseFirst {
    @Test(.virtualDevice("keyboard.json", bus: .kernel), arguments: 0..<20)
    func keyboard(number: Int) { #expect(HIDTestDevice.all.count == 2) }
  }
}
