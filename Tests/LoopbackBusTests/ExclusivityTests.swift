// SPDX-License-Identifier: Apache-2.0

@testable import HIDBus
import Synchronization
import Testing

/// Tests of the watch on exclusive access.
@Suite("The watch on exclusive access", .timeLimit(.minutes(1)))
struct ExclusivityTests {
  @Test("a bus directory that was removed makes the watch unavailable, and reaches no limit")
  func removed() async throws {
    let folder = try Folder()
    let exclusivity = try HIDExclusivity(try FakeDevice(in: folder).record, on: folder.bus)
    folder.directory.removeAll()
    #expect(await failure { try exclusivity.watch { _ in } } == .unavailable)
  }

  @Test("a second watch of an object replaces the handler of the first")
  func again() async throws {
    let folder = try Folder()
    let device = try FakeDevice(in: folder)
    let watching = try HIDExclusivity(device.record, on: folder.bus)
    let seizing = try HIDExclusivity(device.record, on: folder.bus)
    let earlier = Mutex<[Bool]>([])
    let (changes, continuation) = AsyncStream<Bool>.makeStream()
    try watching.watch { isTaken in earlier.withLock { $0.append(isTaken) } }
    try watching.watch { continuation.yield($0) }
    var iterator = changes.makeAsyncIterator()
    try seizing.take()
    while await iterator.next() == false {}
    // The handlers of one change are all called before those of the next.
    seizing.release()
    while await iterator.next() == true {}
    #expect(earlier.withLock { $0 } == [])
  }
}
