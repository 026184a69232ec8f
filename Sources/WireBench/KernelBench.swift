// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDSystem
import HIDWire
import IOLoop

/// Both ends of the kernel bus, one chunk of reports after the other.
struct KernelBench {
  /// The size of a chunk.
  let reports: Int

  func run() async throws {
    // Without a folder hidsim's two ends say nothing to each other beside the kernel, as C's do not: one question
    // and its answer for 31 reports are measured by nobody here.
    setenv("HIDSIM_BUS_DIR", "/dev/null/none", 1)
    let bus = try HIDBus(.kernel)
    let listener = Listener()
    let port = try await bus.peripherals.plug(
      BenchDevice.description(on: bus), handler: listener)
    let record = try await port.ready(within: .seconds(30))
    try await writeSingle(port)
    try await writeBatched(port)
    let host = try await bus.clients.open(record)
    try await drain(port, host)
    host.close()
    await port.destroy()
    withExtendedLifetime(listener) {}
  }

  /// One report a call, on the port's loop.
  private func writeSingle(_ port: isolated any HIDPeripheralPort) throws {
    var chunks = Chunks("write-single", unit: "instructions")
    var report = InlineArray<8, UInt8>(repeating: 0)
    for _ in 0..<Chunks.count {
      let began = MonotonicTime.now
      for number in 0..<reports {
        report[0] = UInt8(truncatingIfNeeded: number)
        guard try port.sendInput(report.span) else { fatalError("the kernel had no room") }
      }
      chunks.add(MonotonicTime.now.nanoseconds - began.nanoseconds, reports: reports)
    }
    chunks.print()
  }

  /// 63 reports a call, on the port's loop; the batch is filled anew for each call.
  private func writeBatched(_ port: isolated any HIDPeripheralPort) throws {
    var chunks = Chunks("write-batched", unit: "instructions")
    var report = InlineArray<8, UInt8>(repeating: 0)
    var batch = HIDReportBatch()
    let batches = reports / BenchDevice.batchCount
    for _ in 0..<Chunks.count {
      let began = MonotonicTime.now
      for _ in 0..<batches {
        batch.removeAll()
        for number in 0..<BenchDevice.batchCount {
          report[0] = UInt8(truncatingIfNeeded: number)
          batch.append(report.span)
        }
        guard try port.sendInput(batch, from: 0) == batch.count else {
          fatalError("the kernel had no room")
        }
      }
      chunks.add(
        MonotonicTime.now.nanoseconds - began.nanoseconds,
        reports: batches * BenchDevice.batchCount)
    }
    chunks.print()
  }

  /// 63 reports wait in the kernel; a task takes them with `for await`.
  ///
  /// The threads of the task and of the device have the right of way, so that nothing is read before the
  /// clock runs. The thread that reads nodes for sleeping readers is not let in: this reader never sleeps,
  /// as C's does not.
  @concurrent
  private func drain(_ port: any HIDPeripheralPort, _ host: any HIDHostPort) async throws {
    var chunks = Chunks("drain", unit: "instructions")
    let batch = BenchDevice.batch
    let batches = reports / BenchDevice.batchCount
    let stream = host.reports(capacity: 1024, policy: .lossless)
    var waiting = BenchDevice.batchCount
    var count = 0
    var sum = 0
    var spent: UInt64 = 0
    var began = try await fill(port, batch)
    for await report in stream {
      sum += Int(report.bytes[0])
      waiting -= 1
      guard waiting == 0 else { continue }
      waiting = BenchDevice.batchCount
      count += BenchDevice.batchCount
      spent += MonotonicTime.now.nanoseconds - began.nanoseconds
      if count % (batches * batch.count) == 0 {
        // In the first chunk the reader has yet to trust the lengths.
        if count > batches * batch.count { chunks.add(spent, reports: batches * batch.count) }
        spent = 0
        if count == (Chunks.count + 1) * batches * batch.count { break }
      }
      began = try await fill(port, batch)
    }
    let expected = BenchDevice.batchCount * (BenchDevice.batchCount - 1) / 2
    guard sum == (Chunks.count + 1) * batches * expected else {
      fatalError("other reports came than were sent")
    }
    chunks.print()
  }

  /// Puts as many reports into the kernel as it keeps, and says when the caller was back.
  @concurrent
  private func fill(
    _ port: any HIDPeripheralPort, _ batch: HIDReportBatch
  ) async throws -> MonotonicTime {
    takeRightOfWay()
    try await send(batch, port)
    return .now
  }

  private func send(_ batch: HIDReportBatch, _ port: isolated any HIDPeripheralPort) throws {
    takeRightOfWay()
    guard try port.sendInput(batch, from: 0) == batch.count else {
      fatalError("the kernel had no room")
    }
  }

  /// Lets the calling thread run before all others.
  private func takeRightOfWay() {
    guard sched_getscheduler(0) != SCHED_FIFO else { return }
    var priority = sched_param(sched_priority: 10)
    guard sched_setscheduler(0, SCHED_FIFO, &priority) == 0 else {
      fatalError("sched_setscheduler: errno \(errno)")
    }
  }
}
