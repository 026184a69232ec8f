// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import HIDBus
import HIDReportDescriptor
import IOLoop
import SystemPackage
import Testing

@Suite struct ReportCreditsTests {
  /// A wrapper that allows changes of the credits within `#expect`.
  private final class Credits {
    private var value = ReportCredits()
    var room: UInt64 { value.room }
    var lost: UInt64 { value.lost }
    var hasNews: Bool { value.hasNews }
    func add(_ key: Int) -> ControlMessage? { value.add(key) }
    func remove(_ key: Int) { value.remove(key) }
    func noteSent(_ count: Int) { value.noteSent(count) }
    func take(_ message: ControlMessage, from key: Int) -> Bool { value.take(message, from: key) }
    func beginWaiting(at now: MonotonicTime) -> MonotonicTime? { value.beginWaiting(at: now) }
    func giveUp(at now: MonotonicTime) -> MonotonicTime? { value.giveUp(at: now) }
    func question(for key: Int, isIdle: Bool = false) -> ControlMessage? {
      value.question(for: key, isIdle: isIdle)
    }
  }

  private final class Tally {
    private var value = ReportTally()
    var lost: UInt64 { value.lost }
    var isExact: Bool { value.isBaseExact }
    func note(_ count: Int) { value.note(count) }
    func settle(sent: UInt64, isFirst: Bool = false) -> Int {
      value.settle(ControlClient.Question(sent: sent, isFirst: isFirst), sent: sent)
    }
  }

  private func taken(_ count: UInt64, room: UInt32 = 62, lost: UInt64 = 0) -> ControlMessage {
    .taken(count, room: room, lost: lost)
  }

  @Test(
    "false claims of a client do not move another's window, or count more losses than were sent")
  func forgedClaims() {
    var random = SystemRandomNumberGenerator()
    let credits = Credits()
    _ = credits.add(1)
    #expect(credits.take(taken(0), from: 1))
    var read: UInt64 = 0
    var sent: UInt64 = 0
    var other = 2
    _ = credits.add(other)
    for _ in 0..<20_000 {
      if Bool.random(using: &random) {
        credits.remove(other)
        other += 1
        _ = credits.add(other)
      }
      let claim = ControlMessage.taken(
        [sent, read, 0, .max, sent &+ 1].randomElement(using: &random) ?? 0,
        room: [0, 62, .max].randomElement(using: &random) ?? 0,
        lost: [0, sent, .max, UInt64.random(in: 0...100, using: &random)].randomElement() ?? 0)
      if !credits.take(claim, from: other) { credits.remove(other) }
      // At most one window of reports is on its way to the honest client.
      #expect(sent + credits.room <= read + ReportCredits.window)
      #expect(credits.lost <= sent * UInt64(other))
      let count = UInt64.random(in: 0...credits.room, using: &random)
      credits.noteSent(Int(count))
      sent += count
      if case .sent(let asked) = credits.question(for: 1, isIdle: true) {
        read = asked
        #expect(credits.take(taken(asked), from: 1))
      }
    }
  }

  @Test("a client cannot claim more losses than the reports sent since it came")
  func boundedLosses() {
    let credits = Credits()
    credits.noteSent(1000)
    #expect(credits.add(1) == .begin(1000))
    #expect(!credits.take(taken(1000, lost: 1), from: 1))
    credits.remove(1)
    #expect(credits.add(2) == .begin(1000))
    #expect(credits.take(taken(1000), from: 2))
    credits.noteSent(31)
    #expect(credits.question(for: 2) == .sent(1031))
    #expect(!credits.take(taken(1031, lost: 32), from: 2))
    #expect(credits.take(taken(1031, lost: 31), from: 2))
    #expect(credits.lost == 31)
  }

  @Test("no report is sent until a client has read the earlier ones, and then a window at most")
  func window() {
    let credits = Credits()
    credits.noteSent(5)
    #expect(credits.add(1) == .begin(5))
    #expect(credits.room == 0)
    #expect(credits.take(taken(5), from: 1))
    #expect(credits.room == 62)
    credits.noteSent(30)
    #expect(credits.question(for: 1) == nil)
    credits.noteSent(1)
    #expect(credits.question(for: 1) == .sent(36))
    #expect(credits.question(for: 1) == nil, "one question at a time")
    credits.noteSent(31)
    #expect(credits.room == 0)
    #expect(credits.take(taken(36), from: 1))
    #expect(credits.room == 31)
    #expect(credits.question(for: 1) == .sent(67))
  }

  @Test("the room is that of the slowest client, and a client that is gone does not count")
  func slowest() {
    let credits = Credits()
    for key in 1...2 {
      _ = credits.add(key)
      #expect(credits.take(taken(0, room: key == 1 ? 10 : 20), from: key))
    }
    #expect(credits.room == 10)
    credits.remove(1)
    #expect(credits.room == 20)
  }

  @Test("a client is asked as soon as its room is used up, however small the room is")
  func smallRoom() {
    let credits = Credits()
    _ = credits.add(1)
    #expect(credits.take(taken(0, room: 2), from: 1))
    credits.noteSent(2)
    #expect(credits.question(for: 1) == .sent(2))
  }

  @Test("a client is asked about the last reports when no more come")
  func idle() {
    let credits = Credits()
    _ = credits.add(1)
    #expect(!credits.hasNews)
    #expect(credits.take(taken(0), from: 1))
    credits.noteSent(1)
    #expect(credits.hasNews)
    #expect(credits.question(for: 1) == nil)
    #expect(credits.question(for: 1, isIdle: true) == .sent(1))
    #expect(!credits.hasNews)
  }

  @Test("a silent client is given up after its time, and waited for again after an answer")
  func patience() {
    let credits = Credits()
    _ = credits.add(1)
    let start = MonotonicTime.now
    let end = start.advanced(by: ReportCredits.patience)
    #expect(credits.beginWaiting(at: start) == end)
    #expect(credits.giveUp(at: start) == end)
    #expect(credits.room == 0)
    #expect(credits.giveUp(at: end) == nil)
    #expect(credits.room == 62)
    credits.noteSent(1000)
    #expect(credits.room == 62)
    #expect(credits.take(taken(0), from: 1))
    #expect(credits.room == 0)
    // The device does not know how many of those thousand reports arrived, so counting begins after
    // them.
    #expect(credits.question(for: 1) == .begin(1000))
    #expect(credits.take(taken(1000), from: 1))
    #expect(credits.room == 62)
    credits.noteSent(62)
    #expect(credits.question(for: 1) == .sent(1062))
    #expect(credits.take(taken(1062, lost: 37), from: 1))
    #expect(credits.lost == 37)
    credits.remove(1)
    #expect(credits.lost == 37)
  }

  @Test(
    "a message that is invalid or not asked for is refused",
    arguments: [
      ControlMessage.sent(5), .begin(5), .taken(6, room: 1, lost: 0), .taken(4, room: 1, lost: 0),
      .taken(5, room: 1, lost: 6), .taken(.max, room: .max, lost: .max),
    ])
  func nonsense(_ message: ControlMessage) {
    let credits = Credits()
    credits.noteSent(5)
    _ = credits.add(1)
    #expect(!credits.take(message, from: 1))
    #expect(!credits.take(taken(5), from: 2), "from a client without credits")
    #expect(credits.take(taken(5, room: .max), from: 1))
    #expect(credits.room == 62, "never more than hidraw keeps")
    #expect(!credits.take(taken(5), from: 1), "not asked")
  }

  @Test("a message is read as it was written, and cut or longer bytes are refused")
  func messages() {
    for message in [ControlMessage.begin(3), .sent(0x0102), .taken(.max, room: 7, lost: 9)] {
      let bytes = message.encoded
      #expect(bytes.count <= ControlMessage.longest)
      #expect(ControlMessage(decoding: bytes[...]) == message)
      for count in bytes.indices { #expect(ControlMessage(decoding: bytes[..<count]) == nil) }
      #expect(ControlMessage(decoding: (bytes + [0])[...]) == nil)
    }
    #expect(ControlMessage(decoding: [4, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
  }

  @Test(
    "a count is exact if no report was dropped before it began, and stays exact after a restart")
  func exactTally() {
    func first(_ sent: UInt64, received: Int, counted: UInt64?) -> ReportTally {
      var tally = ReportTally()
      tally.note(received)
      _ = tally.settle(ControlClient.Question(sent: sent, isFirst: true), sent: counted)
      return tally
    }
    #expect(!ReportTally().isBaseExact)
    #expect(first(70, received: 62, counted: 70).isBaseExact)
    #expect(!first(70, received: 63, counted: 70).isBaseExact, "the kernel may have dropped some")
    #expect(first(63, received: 63, counted: 63).isBaseExact, "all have come")
    #expect(!first(0, received: 5, counted: nil).isBaseExact, "the device does not count")
    #expect(!first(10, received: 1, counted: 11).isBaseExact, "the device did not wait")
    #expect(!first(10, received: 1, counted: nil).isBaseExact, "the device does not count")
    var tally = first(10, received: 5, counted: 10)
    tally.note(20)
    #expect(tally.settle(ControlClient.Question(sent: 40, isFirst: true), sent: 40) == 10)
    #expect(tally.isBaseExact)
    #expect(tally.settle(sent: 140) == 100)
    #expect(tally.lost == 110)
  }

  @Test(
    "reports that came before the first answer are not counted as lost",
    arguments: [
      // The columns are: reports sent at the question; reports sent at the answer; reports
      // received; true if the base is exact; reports lost when 300 are sent.
      (0, 200, 63, true, 237), (100, 300, 63, false, 137), (100, 120, 82, false, 118),
      (100, 110, 90, false, 128),
    ] as [(UInt64, UInt64, Int, Bool, Int)])
  func lateTally(asked: UInt64, answered: UInt64, received: Int, isExact: Bool, lost: Int) {
    var tally = ReportTally()
    tally.note(received)
    let question = ControlClient.Question(sent: asked, isFirst: true)
    #expect(tally.settle(question, sent: answered) == 0)
    #expect(tally.isBaseExact == isExact)
    let missed = tally.settle(sent: 300)
    #expect(missed == lost)
  }

  @Test("a report that did not come is counted once, however many come after it")
  func tally() {
    let tally = Tally()
    tally.note(70)
    #expect(tally.settle(sent: 100) == 0, "counting begins here")
    tally.note(60)
    #expect(tally.settle(sent: 150) == 0, "ten are ahead of the count")
    tally.note(40)
    #expect(tally.settle(sent: 205) == 5)
    #expect(tally.settle(sent: 205) == 0)
    tally.note(10)
    #expect(tally.settle(sent: 215) == 0)
    #expect(tally.lost == 5)
    #expect(tally.settle(sent: 0) == 0, "a device that counts backwards says nothing")
    tally.note(20)
    #expect(tally.settle(sent: 500, isFirst: true) == 0, "counting begins anew")
    tally.note(9)
    #expect(tally.settle(sent: 510) == 1)
  }

  @Test("the losses of a device that restarts with huge counts stay bounded")
  func tallyOfNonsense() {
    let tally = Tally()
    let most: UInt64 = 1 << 48 - 1
    // These are more reports than the kernel keeps, so a count can begin anew.
    tally.note(64)
    // The rounds are so many that the sum of the numbers exceeds 64 bits.
    for _ in 0...1 << 16 {
      _ = tally.settle(sent: 1, isFirst: true)
      _ = tally.settle(sent: most)
    }
    #expect(tally.lost == most - 1)
    _ = tally.settle(sent: 1, isFirst: true)
    #expect(tally.settle(sent: 5) == 0)
    let exact = Tally()
    _ = exact.settle(sent: 1, isFirst: true)
    #expect(exact.isExact)
    #expect(exact.settle(sent: 1 << 49) == 0)
    #expect(!exact.isExact)
  }
}

/// Tests of a device and its control socket; the tests act as the kernel and the client.
@Suite(.timeLimit(.minutes(1))) struct ControlSocketTests {
  private struct Rig: ~Copyable {
    let kernel: FakeKernel
    let files: TemporaryFiles
    let directory: BusDirectory
    let port: UHIDDevice

    init() async throws {
      let kernel = try FakeKernel()
      let files = try TemporaryFiles()
      let directory = try BusDirectory(path: "\(files.root)/bus")
      let port = UHIDDevice(
        try plainDevice(), channel: UHIDChannel(takingOwnershipOf: kernel.device),
        handler: EventLog(),
        discovery: KernelDiscovery(sources: [], udev: nil, directory: directory))
      try await port.create()
      _ = try kernel.receive()  // UHID_CREATE2
      self.kernel = kernel
      self.files = files
      self.directory = directory
      self.port = port
    }

    func client() throws -> ControlClient {
      try #require(
        ControlClient(to: port.plugged.physicalPath.interfaceID, in: directory))
    }

    /// Reads the device's input reports until there are `count` of them, and returns their number.
    func received(_ count: Int) throws -> Int {
      var bytes = 0
      while bytes < count * 14 { bytes += try kernel.receive().count }
      return bytes / 14
    }
  }

  private static func batch(_ count: Int) -> HIDReportBatch {
    var batch = HIDReportBatch()
    for _ in 0..<count { batch.append([1, 2, 3, 4, 5, 6, 7, 8]) }
    return batch
  }

  private static let loop = IOLoop(name: "test-control")

  /// Waits for the device's next count request, and returns the number of reports in it.
  ///
  /// The wait blocks no thread that other tests need.
  private func question(_ client: ControlClient) async throws -> UInt64 {
    let (readable, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = try Self.loop.watch(client.pollDescriptor, for: .read) { _ in continuation.yield() }
    for await _ in readable { break }
    Self.loop.stopWatching(watch, client.pollDescriptor)
    return try #require(try client.question()).sent
  }

  @Test("a device waits for a client of hidsim that has not taken its reports")
  func waits() async throws {
    let rig = try await Rig()
    let port = rig.port
    #expect(try await port.sendInput(Self.batch(100), from: 0) == 100)
    #expect(try rig.received(100) == 100)
    let client = try rig.client()
    // The device counts from its first report, even without a client.
    #expect(try await question(client) == 100)
    #expect(client.counts?.sent == 100)
    let sending = Task { try await port.send(Self.batch(93)) }
    client.answer(100, room: 62, lost: 0)
    #expect(try await question(client) == 162)
    #expect(try rig.received(62) == 62)
    client.answer(162, room: 62, lost: 0)
    #expect(try await question(client) == 193)
    #expect(client.counts?.sent == 193)
    try await sending.value
    #expect(try rig.received(31) == 31)
    await port.destroy()
  }

  @Test("a client that does not answer does not stop the device, and its later answers count")
  func silent() async throws {
    let rig = try await Rig()
    let client = try rig.client()
    #expect(try await question(client) == 0)
    try await rig.port.send(Self.batch(200))
    #expect(try rig.received(200) == 200)
    client.answer(0, room: 62, lost: 0)
    #expect(try await question(client) == 200)
    client.answer(200, room: 62, lost: 0)
    try await rig.port.send(Self.batch(31))
    #expect(try await question(client) == 231)
    client.answer(231, room: 62, lost: 7)
    try await rig.port.send(Self.batch(31))
    #expect(try await question(client) == 262)
    #expect(await rig.port.lostReports == 7)
    await rig.port.destroy()
  }

  @Test("a client that sends an invalid answer is not waited for")
  func nonsense() async throws {
    let rig = try await Rig()
    let client = try rig.client()
    client.answer(77, room: 0, lost: 0)
    try await rig.port.send(Self.batch(200))
    #expect(try rig.received(200) == 200)
    await rig.port.destroy()
  }

  @Test("the device's files have its identity, and are removed with it")
  func files() async throws {
    let rig = try await Rig()
    let id = rig.port.plugged.physicalPath.interfaceID
    #expect(DeviceEntry.identity(of: id, on: .kernel, in: rig.directory)?.name == "hidsim test")
    #expect(try DeviceEntry.readAll(in: rig.directory).isEmpty, "it is not on the loopback bus")
    #expect(SysFS.names(in: "\(rig.files.root)/bus").count == 2)
    await rig.port.destroy()
    #expect(SysFS.names(in: "\(rig.files.root)/bus") == [])
  }

  private static func reader(of kernel: borrowing FakeKernel) throws -> HIDRawReader {
    let lengths = HIDReportLengths(try HIDReportDescriptor(parsing: plainDescriptor))
    return HIDRawReader(descriptor: kernel.device, lengths: lengths, loop: loop)
  }

  @Test("a question about a full stream is answered once its reader has taken reports")
  func fullStream() async throws {
    let kernel = try FakeKernel()
    defer { close(kernel.device.rawValue) }
    let reader = try Self.reader(of: kernel)
    let stream = reader.subscribe(capacity: 4, policy: .lossless)
    let (answers, answered) = AsyncStream.makeStream(of: Int.self)
    reader.ask(.init(sent: 0, isFirst: true)) { room, _ in answered.yield(room) }
    var rooms = answers.makeAsyncIterator()
    #expect(await rooms.next() == 4)
    for number in 0..<4 as Range<UInt8> {
      try kernel.send([number, 2, 3, 4, 5, 6, 7, 8], exactly: true)
    }
    reader.ask(.init(sent: 4, isFirst: false)) { room, _ in answered.yield(room) }
    var reports = stream.makeAsyncIterator()
    for number in 0..<4 as Range<UInt8> { #expect(await reports.next()?.bytes.first == number) }
    // The reader also checks the room from time to time, so the answer may come before all four
    // reports are taken.
    #expect(try #require(await rooms.next()) > 0)
    #expect(stream.lost.count == 0)
    reader.finish()
  }

  @Test("reports that never came are counted as lost by the stream")
  func missed() async throws {
    let kernel = try FakeKernel()
    defer { close(kernel.device.rawValue) }
    let reader = try Self.reader(of: kernel)
    let stream = reader.subscribe(capacity: 64, policy: .lossless)
    let (answers, answered) = AsyncStream.makeStream(of: UInt64.self)
    var lost = answers.makeAsyncIterator()
    for (sent, missed) in [(0, 0), (3, 2)] as [(UInt64, UInt64)] {
      if sent == 3 { try kernel.send([1, 2, 3, 4, 5, 6, 7, 8], exactly: true) }
      reader.ask(.init(sent: sent, isFirst: sent == 0)) { _, lost in answered.yield(lost) }
      #expect(await lost.next() == missed)
    }
    #expect(stream.lost.count == 2)
    reader.finish()
  }
}
