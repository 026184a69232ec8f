// SPDX-License-Identifier: Apache-2.0

import Glibc
import IOLoop
import Synchronization
import SystemPackage
import Testing

@testable import HIDBus

@Suite(.timeLimit(.minutes(1))) struct BlockingLaneTests {
  /// Reads a byte from a pipe, and blocks until the call is interrupted or the test writes.
  ///
  /// - Returns: The error; `nil` if a byte came.
  private static func blockingRead(_ descriptor: FileDescriptor) -> Errno? {
    var byte: UInt8 = 0
    return read(descriptor.rawValue, &byte, 1) < 0 ? Errno(rawValue: errno) : nil
  }

  @Test("calls run one at a time, in order")
  func order() async throws {
    let lane = try BlockingLane(name: "test-lane")
    let pipe = try FileDescriptor.pipe()
    // The first call holds the lane until all calls have been made.
    async let first = lane.run(until: nil) { Self.blockingRead(pipe.readEnd) == nil ? 0 : -1 }
    while lane.isIdle { await Task.yield() }
    var tasks: [Task<Int, Never>] = []
    let order = Order()
    for number in 1..<20 {
      tasks.append(
        Task { (try? await lane.run(until: nil) { order.note(number) }) ?? -1 })
      while lane.waiting < number { await Task.yield() }
    }
    _ = try pipe.writeEnd.writeAll([1])
    #expect(try await first == 0)
    for (index, task) in tasks.enumerated() { #expect(await task.value == index) }
    #expect(order.numbers == Array(1..<20))
    lane.stop()
  }

  private final class Order: Sendable {
    private let state = Mutex<[Int]>([])
    var numbers: [Int] { state.withLock { $0 } }
    func note(_ number: Int) -> Int {
      state.withLock { numbers in
        numbers.append(number)
        return numbers.count - 1
      }
    }
  }

  @Test("a call over its time is interrupted, and the next one runs")
  func deadline() async throws {
    let lane = try BlockingLane(name: "test-lane")
    let pipe = try FileDescriptor.pipe()
    var interrupted = 0
    while interrupted < 20 {
      let start = MonotonicTime.now
      let result = try await Self.interruptedRead(of: pipe.readEnd, on: lane)
      #expect(MonotonicTime.now >= start.advanced(by: .milliseconds(10)))
      #expect(try await lane.run(until: nil) { 7 } == 7)
      guard let result else { continue }
      #expect(result == .interrupted)
      interrupted += 1
    }
    lane.stop()
  }

  /// Reads from a pipe that has no data, until the lane interrupts the call after 10 ms.
  ///
  /// - Returns: The error of the call. `nil` if the call was not made, because the machine was too
  ///   busy to begin it in time.
  private static func interruptedRead(
    of descriptor: FileDescriptor, on lane: BlockingLane
  ) async throws(BlockingLane.Interruption) -> Errno?? {
    do throws(BlockingLane.Interruption) {
      return try await lane.run(until: .now.advanced(by: .milliseconds(10))) {
        blockingRead(descriptor)
      }
    } catch .timedOut {
      return nil
    }
  }

  @Test("a call from a thread that blocks every signal is interrupted")
  func blockedSignals() async throws {
    // Threads of the cooperative pool block every signal, and a thread that they start inherits
    // their signal mask.
    let lane = try BlockingLane(name: "test-lane")
    let pipe = try FileDescriptor.pipe()
    let result = try await Task.detached {
      while true {
        if let result = try await Self.interruptedRead(of: pipe.readEnd, on: lane) { return result }
      }
    }.value
    #expect(result == .interrupted)
    lane.stop()
  }

  @Test("a call whose time is up before its turn is not made")
  func tooLate() async throws {
    let lane = try BlockingLane(name: "test-lane")
    let pipe = try FileDescriptor.pipe()
    async let first = lane.run(until: nil) { Self.blockingRead(pipe.readEnd) }
    while lane.isIdle { await Task.yield() }
    do {
      _ = try await lane.run(until: .now.advanced(by: .milliseconds(10))) { 1 }
      Issue.record("the call was made")
    } catch {
      #expect(error == .timedOut)
    }
    _ = try pipe.writeEnd.writeAll([1])
    #expect(try await first == nil)
    lane.stop()
  }

  @Test("stopping interrupts the call that runs, and refuses the others")
  func stop() async throws {
    let lane = try BlockingLane(name: "test-lane")
    let pipe = try FileDescriptor.pipe()
    async let first = lane.run(until: nil) { Self.blockingRead(pipe.readEnd) }
    while lane.isIdle { await Task.yield() }
    let second = Task { try await lane.run(until: nil) { 1 } }
    while lane.waiting < 1 { await Task.yield() }
    lane.stop()
    #expect(try await first == .interrupted)
    let refused = await second.result
    #expect(throws: BlockingLane.Interruption.stopped) { try refused.get() }
    do {
      _ = try await lane.run(until: nil) { 1 }
      Issue.record("the call was made")
    } catch {
      #expect(error == .stopped)
    }
  }
}
