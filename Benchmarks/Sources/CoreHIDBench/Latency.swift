// SPDX-License-Identifier: Apache-2.0

import CoreHID
import Glibc
import IOLoop
import Synchronization

/// Measurements of the delay of reports that contain the time at which they were sent.
struct Latency {
  let reports: Int

  private static func age(_ byte: (Int) -> UInt8) -> UInt64 {
    let now = MonotonicTime.now.nanoseconds
    return now - (0..<8).reduce(0) { $0 | UInt64(byte($1)) << (8 * UInt64($1)) }
  }

  /// Measures a handler, on the thread that reads.
  func handler(serialNumber: String) async throws {
    let client = try await benchClient(serialNumber: serialNumber)
    let log = AgeLog(wanted: reports + 20)
    let handling = try await client.hidsim.handleReports { reports in
      for index in reports.indices { log.add(Self.age { reports[index].bytes[$0] }) }
    }
    for await ages in log.done {
      var figures = Figures("latency-handler")
      for age in ages.dropFirst(20) { figures.add(age) }
      figures.print()
      break
    }
    withExtendedLifetime(handling) {}
  }

  /// Measures a task with `for await` over the fast stream.
  func await(serialNumber: String) async throws {
    try await `await`(try await benchClient(serialNumber: serialNumber), "latency-await")
  }

  @concurrent private func await(_ client: HIDDeviceClient, _ bench: String) async throws {
    var figures = Figures(bench)
    var count = -20
    for await report in try await client.hidsim.reports() {
      let age = Self.age { report.bytes[$0] }
      if count >= 0 { figures.add(age) }
      count += 1
      if count == reports { break }
    }
    figures.print()
  }

  /// Measures a task that the reading thread resumes directly.
  ///
  /// This is the minimum cost of the standard library's tasks; the wait cannot be cancelled.
  @concurrent func continuation(serialNumber: String) async throws {
    let client = try await benchClient(serialNumber: serialNumber)
    guard let node = client.hidsim.node else { fatalError("the device is gone") }
    let descriptor = open(node, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { fatalError("\(node): errno \(errno)") }
    var figures = Figures("latency-continuation")
    let reader = Reader(descriptor)
    try Thread.start(name: "reader") { reader.run() }
    for index in -20..<reports {
      let bytes = await reader.next()
      let age = Self.age { UInt8(truncatingIfNeeded: bytes >> (8 * $0)) }
      if index >= 0 { figures.add(age) }
    }
    figures.print()
  }

  /// Measures a task that runs on the thread that reads.
  func executor(serialNumber: String) async throws {
    let client = try await benchClient(serialNumber: serialNumber)
    try await withTaskExecutorPreference(client.hidsim.executor()) {
      try await `await`(client, "latency-executor")
    }
  }

  /// Measures a task with `for try await` over Apple's stream.
  @concurrent func stream(serialNumber: String) async throws {
    let client = try await benchClient(serialNumber: serialNumber)
    var figures = Figures("latency-stream")
    var count = -20
    for try await notification in await client.monitorNotifications(
      reportIDsToMonitor: [HIDReportID.allReports], elementsToMonitor: [])
    {
      guard case .inputReport(_, let data, _) = notification else { break }
      let age = Self.age { data[$0] }
      if count >= 0 { figures.add(age) }
      count += 1
      if count == reports { break }
    }
    figures.print()
  }
}

/// A thread that reads all reports, and gives each one to the caller that waits for it.
///
/// A report that finds no caller is dropped.
private final class Reader: Sendable {
  private let descriptor: Int32
  private let waiter = Mutex<UnsafeContinuation<UInt64, Never>?>(nil)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func next() async -> UInt64 {
    await withUnsafeContinuation { continuation in waiter.withLock { $0 = continuation } }
  }

  func run() {
    var bytes: UInt64 = 0
    while read(descriptor, &bytes, 8) == 8 {
      let waiter = waiter.withLock { waiter in waiter.take() }
      waiter?.resume(returning: bytes)
    }
  }
}

/// The ages of reports, which ``done`` yields when there are enough of them.
private final class AgeLog: Sendable {
  let done: AsyncStream<[UInt64]>
  private let continuation: AsyncStream<[UInt64]>.Continuation
  private let wanted: Int
  private let ages = Mutex<[UInt64]>([])

  init(wanted: Int) {
    (done, continuation) = AsyncStream.makeStream()
    self.wanted = wanted
  }

  func add(_ age: UInt64) {
    let all = ages.withLock { ages in
      ages.append(age)
      return ages.count == wanted ? ages : nil
    }
    if let all { continuation.yield(all) }
  }
}
