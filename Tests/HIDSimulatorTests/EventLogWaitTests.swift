// SPDX-License-Identifier: Apache-2.0
import IOLoop
import Synchronization
import Testing

@testable import HIDSimulator

@Suite("Waiting for events of the log", .timeLimit(.minutes(1)))
struct EventLogWaitTests {
  private func append(_ kinds: [HIDDeviceEvent.Kind], to log: HIDEventLog) {
    log.append(
      kinds.map {
        HIDDeviceEvent(time: log.timeline.now, device: "stick", kind: $0, client: nil)
      })
  }

  @Test("an event that does not meet the condition does not wake the reader")
  func condition() async {
    let log = HIDEventLog()
    let examined = Mutex<[Int]>([])
    append([.lost(0)], to: log)
    let reader = Task {
      var index = 0
      var found: [Int] = []
      let isMeant: @Sendable (HIDDeviceEvent.Kind) -> Bool = { kind in
        guard case .lost(let count) = kind else { return false }
        examined.withLock { $0.append(count) }
        return count > 1
      }
      while await log.workWaits(for: index, where: isMeant) {
        found.append(log.read(from: &index).events.count)
      }
      return found
    }
    // The reader checks the condition under the lock under which it begins to wait.
    while examined.withLock({ $0.isEmpty }) { await Task.yield() }
    append([.fidelity("a")], to: log)
    append([.lost(1)], to: log)
    append([.fidelity("b"), .lost(2)], to: log)
    append([.fidelity("c")], to: log)
    log.finish()
    let found = await reader.value
    #expect(found.reduce(0, +) == 6)
    #expect(found.count <= 2, "\(found): events that do not meet the condition woke the reader")
    #expect(examined.withLock { $0.prefix(3) } == [0, 1, 2])
  }

  @Test("a wait whose condition no event meets lasts until its deadline or the end of the log")
  func deadline() async {
    let log = HIDEventLog(timeline: .virtual())
    append([.fidelity("a")], to: log)
    log.timeline.start()
    let begun = log.timeline.now
    let due = begun.advanced(by: .seconds(5))
    log.timeline.beginWork()
    #expect(await log.workWaits(for: 0, until: due) { _ in false })
    #expect(log.timeline.now == due)
    log.finish()
    #expect(await log.workWaits(for: 0) { _ in false })
    #expect(await !log.workWaits(for: 1) { _ in false })
    log.timeline.endWork()
    log.timeline.stop()
  }
}
