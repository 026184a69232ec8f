// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Glibc
import HIDBus
import HIDReportDescriptor
import IOLoop
import Synchronization

/// Measurements of several ways to read 63 waiting reports, as many as hidraw keeps, in chunks.
struct DrainBench {
  typealias Notification = HIDDeviceClient.Notification

  static let queue = 63
  static let chunks = 21

  private let client: HIDDeviceClient
  private let port: any HIDDevicePort
  private let listener: Listener
  private let batch: HIDReportBatch
  /// The number of times that the queue is filled for a chunk.
  private let fills: Int

  init(reports: Int) async throws {
    fills = reports / Self.queue
    listener = Listener()
    port = try await plugPort(serialNumber: "drain", handler: listener)
    client = try await benchClient(serialNumber: "drain")
    var batch = HIDReportBatch()
    for number in 0..<Self.queue { batch.append([UInt8(number), 0, 0, 0, 0, 0, 0, 0]) }
    self.batch = batch
  }

  func run() async throws {
    try await naive(isolation: nil)
    try await apple(isolation: nil)
    try await naive(isolation: MainActor.shared)
    try await apple(isolation: MainActor.shared)
    for count in [1, 10] {
      try await subscribers(count)
      try await appleSubscribers(count)
    }
    // These two run last, because their threads keep their real-time priority.
    try await drain()
    try await forAwait()
    await port.destroy()
  }

  // MARK: Apple's stream

  /// Measures reading and delivery; only the device's thread has real-time priority.
  private func apple(isolation: isolated (any Actor)?) async throws {
    let stream = await client.monitorNotifications(
      reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
    try await deliver(stream, isolation == nil ? "stream" : "stream-main", "hidsim")
  }

  /// Measures the simplest solution: a thread that reads, and yields each report.
  private func naive(isolation: isolated (any Actor)?) async throws {
    guard let node = client.hidsim.node else { fatalError("the device is gone") }
    let (stream, continuation) = AsyncThrowingStream<Notification, any Error>.makeStream()
    let descriptor = open(node, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { fatalError("\(node): errno \(errno)") }
    try Thread.start(name: "naive") {
      var bytes = [UInt8](repeating: 0, count: 64)
      while true {
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return }
        let yielded = continuation.yield(
          .inputReport(id: nil, data: Data(bytes[..<count]), timestamp: .now))
        if case .terminated = yielded {
          close(descriptor)
          return
        }
      }
    }
    try await deliver(stream, isolation == nil ? "stream" : "stream-main", "naive")
  }

  private func deliver(
    _ stream: AsyncThrowingStream<Notification, any Error>, _ bench: String, _ variant: String,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    var figures = Figures(bench)
    var count = 0
    var spent: UInt64 = 0
    var began = try await send(batch, port)
    for try await notification in stream {
      guard case .inputReport(_, let data, _) = notification, data[0] == count % Self.queue else {
        fatalError("other reports came than were sent")
      }
      count += 1
      guard count % Self.queue == 0 else { continue }
      spent += MonotonicTime.now.nanoseconds - began.nanoseconds
      if count % (fills * Self.queue) == 0 {
        // The first chunk does not count: the reader does not trust the lengths yet.
        if count > fills * Self.queue { figures.add(spent, of: fills * Self.queue) }
        spent = 0
        if count == (Self.chunks + 1) * fills * Self.queue { break }
      }
      began = try await send(batch, port)
    }
    figures.print(variant: variant)
  }

  // MARK: The fast way

  /// Measures reports that wait in the kernel, read with `withReports` in batches.
  @concurrent private func drain() async throws {
    var figures = Figures("drain")
    var reports = try await client.hidsim.reports().makeAsyncIterator()
    for chunk in 0...Self.chunks {
      var spent: UInt64 = 0
      for _ in 0..<fills {
        let began = try await fill()
        var count = 0
        var sum = 0
        while count < Self.queue {
          let taken = await reports.withReports { reports in
            for index in reports.indices { sum += Int(reports[index].bytes[0]) }
            return reports.count
          }
          guard let taken else { fatalError("the device is gone") }
          count += taken
        }
        spent += MonotonicTime.now.nanoseconds - began.nanoseconds
        guard sum == Self.queue * (Self.queue - 1) / 2 else { fatalError("other reports came") }
      }
      if chunk > 0 { figures.add(spent, of: fills * Self.queue) }
    }
    figures.print()
  }

  /// Measures reports that wait in the kernel, read with one call of `next` each, as in `for
  /// await`.
  @concurrent private func forAwait() async throws {
    var figures = Figures("drain-await")
    var reports = try await client.hidsim.reports().makeAsyncIterator()
    for chunk in 0...Self.chunks {
      var spent: UInt64 = 0
      for _ in 0..<fills {
        let began = try await fill()
        var sum = 0
        for _ in 0..<Self.queue {
          guard let report = await reports.next() else { fatalError("the device is gone") }
          sum += Int(report.bytes[0])
        }
        spent += MonotonicTime.now.nanoseconds - began.nanoseconds
        guard sum == Self.queue * (Self.queue - 1) / 2 else { fatalError("other reports came") }
      }
      if chunk > 0 { figures.add(spent, of: fills * Self.queue) }
    }
    figures.print()
  }

  // MARK: Many

  /// Measures several tasks, each with a stream of one client: the cost of a report for all tasks.
  @concurrent private func subscribers(_ count: Int) async throws {
    let meeting = Meeting(count)
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        let stream = try await client.hidsim.reports()
        group.addTask {
          var reports = stream.makeAsyncIterator()
          var left = Self.queue
          while true {
            guard let taken = await reports.withReports({ $0.count }) else { return }
            left -= taken
            guard left == 0 else { continue }
            left = Self.queue
            meeting.arrive()
          }
        }
      }
      try await measure(meeting, "subscribers-\(count)")
      group.cancelAll()
    }
  }

  /// Measures several tasks, each with one of Apple's streams: the cost of a report for all tasks.
  @concurrent private func appleSubscribers(_ count: Int) async throws {
    let meeting = Meeting(count)
    try await withThrowingTaskGroup { group in
      for _ in 0..<count {
        let stream = await client.monitorNotifications(
          reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
        group.addTask {
          var left = Self.queue
          for try await _ in stream {
            left -= 1
            guard left == 0 else { continue }
            left = Self.queue
            meeting.arrive()
          }
        }
      }
      try await measure(meeting, "stream-subscribers-\(count)")
      group.cancelAll()
    }
  }

  private func measure(_ meeting: Meeting, _ bench: String) async throws {
    var figures = Figures(bench)
    for chunk in 0...Self.chunks {
      var spent: UInt64 = 0
      for _ in 0..<fills {
        let began = try await send(batch, port)
        spent += await meeting.end() - began.nanoseconds
      }
      if chunk > 0 { figures.add(spent, of: fills * Self.queue) }
    }
    figures.print()
  }

  // MARK: The device

  /// Fills the kernel's queue of reports, and returns the time at which the queue is full.
  ///
  /// From then on, the threads of the caller and of the device have real-time priority, so that no
  /// thread reads before the measured time begins.
  @concurrent private func fill() async throws -> MonotonicTime {
    takeRightOfWay()
    _ = try await send(batch, port)
    return .now
  }

  /// Puts all reports into the kernel before any is read, and returns the time at which all are
  /// there.
  private func send(
    _ batch: HIDReportBatch, _ port: isolated any HIDDevicePort
  ) throws -> MonotonicTime {
    takeRightOfWay()
    guard try port.sendInput(batch, from: 0) == batch.count else {
      fatalError("the kernel had no room")
    }
    return .now
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

/// A meeting point of several tasks, with one waiter for the last of them.
private final class Meeting: Sendable {
  private struct State {
    var missing: Int
    var end: UInt64?
    var waiter: CheckedContinuation<UInt64, Never>?
  }

  private let count: Int
  private let state: Mutex<State>

  init(_ count: Int) {
    self.count = count
    state = Mutex(State(missing: count))
  }

  func arrive() {
    let (waiter, end) = state.withLock { state -> (CheckedContinuation<UInt64, Never>?, UInt64) in
      state.missing -= 1
      guard state.missing == 0 else { return (nil, 0) }
      state.missing = count
      let now = MonotonicTime.now.nanoseconds
      defer { state.waiter = nil }
      if state.waiter == nil { state.end = now }
      return (state.waiter, now)
    }
    waiter?.resume(returning: end)
  }

  /// Waits for the last task, and returns the time at which it arrived.
  func end() async -> UInt64 {
    await withCheckedContinuation { continuation in
      let end = state.withLock { state in
        if state.end == nil { state.waiter = continuation }
        defer { state.end = nil }
        return state.end
      }
      if let end { continuation.resume(returning: end) }
    }
  }
}

/// A handler of a device that ignores all events.
private final class Listener: HIDDeviceHandler {
  func receive(_ events: [HIDHostEventRecord], from port: any HIDDevicePort) {}
}
