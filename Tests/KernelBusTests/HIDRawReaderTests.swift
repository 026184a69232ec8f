// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
@testable import HIDBus
import IOLoop
import SystemPackage
import Testing

/// Tests of a reader on a socket pair in place of a hidraw node; the tests send the reports.
@Suite(.timeLimit(.minutes(1))) struct HIDRawReaderTests {
  private static let loop = IOLoop(name: "test-hidraw")

  /// Makes a reader that the loop watches, as a port does.
  private func reader(
    _ kernel: borrowing FakeKernel, _ descriptor: [UInt8] = plainDescriptor
  ) throws -> (HIDRawReader, IOLoop.WatchID) {
    let reader = HIDRawReader(
      descriptor: kernel.device,
      lengths: HIDReportLengths(try HIDReportDescriptor(parsing: descriptor)), loop: Self.loop)
    let watch = try Self.loop.watch(kernel.device, for: .read) { _ in reader.drain() }
    let device = kernel.device
    reader.whenOver { Self.loop.stopWatching(watch, device) }
    return (reader, watch)
  }

  private func take(_ count: Int, from stream: HIDReportStream) async -> [[UInt8]] {
    var reports: [[UInt8]] = []
    for await report in stream {
      reports.append(Array(report.bytes))
      if reports.count == count { break }
    }
    return reports
  }

  @Test("reports of another length than declared arrive whole, between reports of that length")
  func lengths() async throws {
    let kernel = try FakeKernel()
    defer { close(kernel.device.rawValue) }
    let (reader, _) = try reader(kernel)
    let stream = reader.subscribe(capacity: 64, policy: .dropNewest)
    let reports: [[UInt8]] = [
      [1, 2, 3], Array(1...20), Array(1...8), Array(2...9), [0], Array(1...100), Array(3...10),
    ]
    for report in reports { try kernel.send(report, exactly: true) }
    #expect(await take(reports.count, from: stream) == reports)
    reader.finish()
  }

  @Test("a node that the loop cannot watch is not opened, so that no stream ends at once")
  func unwatched() throws {
    // epoll takes no regular file, as it takes no node at the user's limit of watches.
    let files = try TemporaryFiles()
    try files.file("node", "")
    let record = HIDDeviceRecord(
      id: HIDDeviceID(rawValue: 1), bus: .kernel, address: "\(files.root)/node",
      identity: HIDDeviceIdentity(name: "hidsim test", vendorID: 1, productID: 2),
      physicalPath: "usb/input0", eventNodes: [], descriptorBytes: plainDescriptor)
    #expect(throws: HIDBusError.self) { _ = try HIDRawPort.openNow(record, directory: nil) }
  }

  @Test("every stream gets every report, and a full one counts its losses")
  func fanOut() async throws {
    let kernel = try FakeKernel()
    defer { close(kernel.device.rawValue) }
    let (reader, _) = try reader(kernel)
    let wide = reader.subscribe(capacity: 64, policy: .dropNewest)
    let narrow = reader.subscribe(capacity: 2, policy: .dropNewest)
    for number in 0..<4 as Range<UInt8> {
      try kernel.send([number, 2, 3, 4, 5, 6, 7, 8], exactly: true)
    }
    #expect(await take(4, from: wide).map { $0[0] } == [0, 1, 2, 3])
    #expect(narrow.lost.count == 2)
    #expect(await take(2, from: narrow).map { $0[0] } == [0, 1])
    reader.finish()
  }

  @Test("each stream reads the node itself if no loop does, until the reader is finished")
  func awake() async throws {
    let kernel = try FakeKernel()
    defer { close(kernel.device.rawValue) }
    // No loop watches the reader, so only the readers of its streams fetch reports.
    let reader = HIDRawReader(
      descriptor: kernel.device,
      lengths: HIDReportLengths(try HIDReportDescriptor(parsing: plainDescriptor)), loop: Self.loop)
    let first = reader.subscribe(capacity: 256, policy: .dropNewest)
    let second = reader.subscribe(capacity: 256, policy: .dropNewest)
    let reports = (0..<100 as Range<UInt8>).map { [$0, 2, 3, 4, 5, 6, 7, 8] }
    for report in reports { try kernel.send(report, exactly: true) }
    #expect(await take(reports.count, from: first) == reports)
    #expect(await take(reports.count, from: second) == reports)
    try kernel.send(reports[0], exactly: true)
    reader.finish()
    #expect(await take(1, from: first).isEmpty)
    reader.drain()
    #expect(await take(1, from: second).isEmpty)
  }

  @Test("reports that wait after a rest of the loop are all read")
  func rested() async throws {
    let kernel = try FakeKernel()
    let device = kernel.device
    defer { close(device.rawValue) }
    let loop = IOLoop(name: "test-rested", notesRests: true)
    let reader = HIDRawReader(
      descriptor: device,
      lengths: HIDReportLengths(try HIDReportDescriptor(parsing: plainDescriptor)), loop: loop)
    let watch = try loop.watch(device, for: .read) { _ in reader.drain() }
    let stream = reader.subscribe(capacity: 256, policy: .dropNewest)
    for count in [1, 40, 1, 1, 90] {
      let reports = (0..<count).map { [UInt8(truncatingIfNeeded: $0), 2, 3, 4, 5, 6, 7, 8] }
      for report in reports { try kernel.send(report, exactly: true) }
      #expect(await take(count, from: stream) == reports)
    }
    loop.stopWatching(watch, device)
    reader.finish()
  }

  @Test("draining to the end takes all waiting reports within the call")
  func catchUp() async throws {
    let kernel = try FakeKernel()
    let device = kernel.device
    defer { close(device.rawValue) }
    let loop = IOLoop(name: "test-rested", notesRests: true)
    let reader = HIDRawReader(
      descriptor: device,
      lengths: HIDReportLengths(try HIDReportDescriptor(parsing: plainDescriptor)), loop: loop)
    let stream = reader.subscribe(capacity: 256, policy: .dropNewest)
    // A read of a socket returns one report. These reports are few enough to be read one by one.
    for number in 0..<3 as Range<UInt8> {
      try kernel.send([number, 2, 3, 4, 5, 6, 7, 8], exactly: true)
    }
    var isDone = false
    while !isDone {
      isDone = await withCheckedContinuation { continuation in
        loop.schedule(at: .now.advanced(by: .milliseconds(5))) {
          guard loop.hasRested else { return continuation.resume(returning: false) }
          reader.drain(toTheEnd: true)
          // No stream reads here, so a report that was not taken in the call is missing.
          reader.finish()
          continuation.resume(returning: true)
        }
      }
    }
    #expect(await take(4, from: stream).count == 3)
  }

  @Test(
    "reports that were sent before the device was unplugged, and did not come, are counted as lost")
  func lostAtTheEnd() async throws {
    let kernel = try FakeKernel()
    let device = kernel.device
    defer { close(device.rawValue) }
    let reader = HIDRawReader(
      descriptor: device,
      lengths: HIDReportLengths(try HIDReportDescriptor(parsing: plainDescriptor)), loop: Self.loop)
    let stream = reader.subscribe(capacity: 64, policy: .dropNewest)
    reader.ask(ControlClient.Question(sent: 10, isFirst: true)) { _, _ in }
    try kernel.send([1, 2, 3, 4, 5, 6, 7, 8], exactly: true)
    _ = consume kernel
    // The device has sent five more reports, of which the kernel had room for one.
    reader.ask(ControlClient.Question(sent: 15, isFirst: false)) { _, lost in #expect(lost == 4) }
    #expect(await take(2, from: stream).count == 1)
    #expect(stream.lost.count == 4)
  }

  @Test("a finished reader is released with its last stream")
  func released() throws {
    let kernel = try FakeKernel()
    let device = kernel.device
    defer { close(device.rawValue) }
    weak var held: HIDRawReader?
    var stream: HIDReportStream?
    do {
      let reader = HIDRawReader(
        descriptor: device,
        lengths: HIDReportLengths(try HIDReportDescriptor(parsing: plainDescriptor)),
        loop: Self.loop)
      held = reader
      stream = reader.subscribe(capacity: 64, policy: .lossless)
      reader.finish()
    }
    #expect(stream?.lost.count == 0)
    stream = nil
    #expect(held == nil)
  }

  @Test("a node that goes away ends every stream after its last report")
  func over() async throws {
    let kernel = try FakeKernel()
    let device = kernel.device
    defer { close(device.rawValue) }
    let (reader, _) = try reader(kernel)
    let stream = reader.subscribe(capacity: 64, policy: .dropNewest)
    try kernel.send([1, 2, 3, 4, 5, 6, 7, 8], exactly: true)
    _ = consume kernel
    #expect(await take(9, from: stream) == [[1, 2, 3, 4, 5, 6, 7, 8]])
    let late = reader.subscribe(capacity: 64, policy: .dropNewest)
    #expect(await take(1, from: late).isEmpty)
    reader.whenOver {}
  }
}
