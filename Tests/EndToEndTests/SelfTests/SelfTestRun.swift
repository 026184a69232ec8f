// SPDX-License-Identifier: Apache-2.0

import HIDBus
import HIDSessions
import HIDSimulator
import HIDTraces
import IOLoop
import Testing

/// A replay of a self-test on a device that is plugged for it.
struct SelfTestRun {
  /// A check that found other events than those of the kernel's self-test.
  private struct Difference {
    let text: String
    /// The time from the first report to the last one before the check.
    let duration: Duration
  }

  /// The longest replay that counts.
  ///
  /// hid-multitouch lifts a finger 100 ms after its last report, so a difference in a slower replay
  /// proves nothing.
  private static let patience = Duration.milliseconds(80)
  private static let attempts = 5

  private let test: SelfTest
  private let definitions: [HIDDeviceDefinition]

  init(_ test: SelfTest) throws {
    self.test = test
    definitions = SelfTestModel.complete(
      try HIDDeviceDefinition.devices(of: test.recording.devices, name: test.name), for: test.name)
  }

  /// Replays the reports of each look on a device of the kernel's bus, and compares the events.
  ///
  /// A replay that differs but was too slow is repeated, up to five attempts in all.
  ///
  /// - Returns: A description of the first look with other events than those of the self-test; nil
  ///   if there is none.
  func difference() async throws -> String? {
    var last: Difference?
    for _ in 1...Self.attempts {
      last = try await plugged(replay)
      guard let last, last.duration > Self.patience else { break }
    }
    return last?.text
  }

  /// Plugs the device, and unplugs it even if `body` throws.
  private func plugged<Value>(
    _ body: (SimulatedDevice) async throws -> Value
  ) async throws -> Value {
    let log = HIDEventLog(keepsInput: false)
    let device = SimulatedDevice.make(definitions, log: log)[0]
    try await device.plug(into: HIDBus(.kernel))
    let result: Result<Value, any Error>
    do {
      result = .success(try await body(device))
    } catch {
      result = .failure(error)
    }
    await device.unplug()
    #expect(log.totals.unheard == 0, "\(test.name): the node was open all the time")
    return try result.get()
  }

  private func replay(on device: SimulatedDevice) async throws -> Difference? {
    let record = try #require(device.records.first)
    #expect(record.driver == SelfTestModel.driver(of: SelfTest.device(of: test.name)))
    let application = try #require(test.looks.first?.application)
    let node = try EventNode(EventNodeKind.find(application, among: record.eventNodes))
    let start = MonotonicTime.now
    var sent = 0
    for look in test.looks {
      try await replay(sent..<look.afterReports, on: device)
      sent = look.afterReports
      let duration = MonotonicTime.now.duration(since: start)
      // The write of a report returns when the kernel has processed it: all its events are there.
      let events = try await node.take(look.events.count)
      if events != look.events {
        return Difference(
          text: "after \(sent) reports: \(events), expected \(look.events)", duration: duration)
      }
    }
    return nil
  }

  /// Replays some of the reports exactly; throws if that is not possible.
  private func replay(_ range: Range<Int>, on device: SimulatedDevice) async throws {
    var part = test.recording
    part.events = Array(part.events[range])
    let plan = try ReplayPlan(HIDTraceReader(part), definitions, file: test.name, isStrict: true)
    let result = await plan.play(on: [device])
    if !result.isComplete { throw EndToEndError(result.failure ?? result.words) }
  }
}
