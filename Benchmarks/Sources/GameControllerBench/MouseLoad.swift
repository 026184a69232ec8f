// SPDX-License-Identifier: Apache-2.0

import CoreHID
import GameController
import Glibc
import HIDBus
import IOLoop
import Synchronization

/// The measurement of the share of a processor that a reader of a fast mouse uses.
///
/// The mouse belongs to another process.
struct MouseLoad {
  /// The number of calls of a handler, and the sum of the movements to the right, in counts.
  private final class Sum: Sendable {
    let calls = Atomic(0)
    let counts = Atomic(0)

    func add(_ x: Int) {
      calls.add(1, ordering: .relaxed)
      counts.add(x, ordering: .relaxed)
    }
  }

  /// The number of counts that the mouse moves to the right in total, one in each report.
  let reports: Int
  /// `corehid` or `gamecontroller`.
  let variant: String

  func run() async throws {
    let sum = Sum()
    var handling: HIDReportHandling?
    if variant == "corehid" {
      let client = try await BenchDevice.client(ofName: "hidsim bench mouse")
      handling = try await client.hidsim.handleReports { reports in
        var x = 0
        for index in reports.indices { x += Int(Int8(bitPattern: reports[index].bytes[1])) }
        sum.add(x)
      }
    } else {
      let mouse = try await mouse()
      mouse.handlerQueue = handlerQueue
      mouse.mouseInput?.mouseMovedHandler = { _, x, _ in sum.add(Int(x)) }
    }
    while sum.counts.load(ordering: .relaxed) < 1 { try await Task.sleep(for: .milliseconds(1)) }
    let began = (monotonic: MonotonicTime.now.nanoseconds, processor: processorTime())
    while sum.counts.load(ordering: .relaxed) < reports {
      try await Task.sleep(for: .milliseconds(20))
    }
    let time = MonotonicTime.now.nanoseconds - began.monotonic
    let share = Double(processorTime() - began.processor) / Double(time)
    print(
      #"{"bench":"mouse","variant":"\#(variant)","n":\#(reports),"#
        + #""calls":\#(sum.calls.load(ordering: .relaxed)),"share":\#(share)}"#)
    withExtendedLifetime(handling) {}
  }

  private func mouse() async throws -> GCMouse {
    while true {
      if let mouse = GCMouse.mice().first { return mouse }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Returns the processor time of all threads of this process, in nanoseconds.
  private func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
