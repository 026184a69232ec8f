// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDBus
import HIDReportDescriptor
import IOLoop

/// A measurement of both ends of the kernel bus, one chunk of reports after the other.
struct KernelBench {
  /// The number of reports in a chunk.
  let reports: Int

  func run() async throws {
    // Without a folder, hidsim's two ends exchange no messages beside the kernel, like the two ends
    // in C. So no figure here includes the count request and its answer, one of each for 31
    // reports.
    setenv("HIDSIM_BUS_DIR", "/dev/null/none", 1)
    let bus = try HIDBus(.kernel)
    let listener = Listener()
    let port = try await bus.deviceBus.plug(
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

  /// Sends one report in each call, on the port's loop.
  private func writeSingle(_ port: isolated any HIDDevicePort) throws {
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

  /// Sends 63 reports in each call, on the port's loop; the batch is filled again for each call.
  private func writeBatched(_ port: isolated any HIDDevicePort) throws {
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

  /// Measures how a task reads 63 waiting reports of the kernel with `for await`.
  ///
  /// The threads of the task and of the device have real-time priority, so that nothing is read
  /// before the measured time begins. The thread that reads nodes for sleeping readers does not
  /// run: this reader never sleeps, like the reader in C.
  @concurrent
  private func drain(_ port: any HIDDevicePort, _ host: any HIDClientPort) async throws {
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
        // The first chunk does not count: the reader does not trust the lengths yet.
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

  /// Fills the kernel's queue of reports, and returns the time at which the queue is full.
  @concurrent
  private func fill(
    _ port: any HIDDevicePort, _ batch: HIDReportBatch
  ) async throws -> MonotonicTime {
    takeRightOfWay()
    try await send(batch, port)
    return .now
  }

  private func send(_ batch: HIDReportBatch, _ port: isolated any HIDDevicePort) throws {
    takeRightOfWay()
    guard try port.sendInput(batch, from: 0) == batch.count else {
      fatalError("the kernel had no room")
    }
  }

  /// Gives the calling thread real-time priority, so that it runs before all others.
  private func takeRightOfWay() {
    guard sched_getscheduler(0) != SCHED_FIFO else { return }
    var priority = sched_param(sched_priority: 10)
    guard sched_setscheduler(0, SCHED_FIFO, &priority) == 0 else {
      fatalError("sched_setscheduler: errno \(errno)")
    }
  }
}
