// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import HIDBus
import HIDReportDescriptor
import IOLoop
import TestSupport
import Testing

/// Tests with clients that are hostile, or stopped.
@Suite("Hostile clients", .timeLimit(.minutes(1)))
struct HostileClientTests {
  private func reports(_ count: Int) -> HIDReportBatch {
    var batch = HIDReportBatch()
    for index in 0..<count {
      batch.append([UInt8(truncatingIfNeeded: index), 0, 0, 0, 0, 0, 0, 0])
    }
    return batch
  }

  @Test("an invalid message ends its own connection, and no other")
  func garbage() async throws {
    try await withDevice { folder, _, record, _ in
      let sound = try await folder.bus.open(record)
      let nonsense: [[UInt8]] = [
        [0], [1, 1], [2], [2, 1], [3, 0, 0, 0], [3, 0, 0, 0, 0, 9, 0], [4], [5, 0], [6],
        [6, 1, 0, 0, 0], [17, 0], [18], [255],
        [2] + [UInt8](repeating: 0, count: 16_385), [UInt8](repeating: 2, count: 65_537),
        LoopbackMessage.open.encoded,
      ]
      for datagram in nonsense {
        let peer = try Peer(to: record, in: folder)
        #expect(await peer.open())
        peer.send(datagram)
        #expect(await peer.receive() == nil, "\(datagram.prefix(8))")
      }
      #expect(try await sound.getReport(.feature, nil, timeout: nil).first == 7)
    }
  }

  @Test("a client that did not open the device can request nothing, and is sent nothing")
  func notOpen() async throws {
    try await withDevice { folder, port, record, echo in
      let silent = try Peer(to: record, in: folder)
      try await port.send(reports(100_000))
      let peer = try Peer(to: record, in: folder)
      peer.send(LoopbackMessage.get(token: 1, .feature, number: 0).encoded)
      #expect(await peer.receive() == nil)
      #expect(!echo.events.contains(.open))
      silent.send(LoopbackMessage.open.encoded)
      #expect(await silent.receive() == LoopbackMessage.answer(token: 0, []).encoded)
    }
  }

  @Test("requests of a client wait while it does not read its answers, and no answer is lost")
  func unreadAnswers() async throws {
    try await withDevice { folder, _, record, _ in
      let sound = try await folder.bus.open(record)
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      var sent: UInt32 = 0
      var refusals = 0
      while sent < 20_000, refusals < 3 {
        if peer.send(LoopbackMessage.get(token: sent + 1, .feature, number: 0).encoded) {
          sent += 1
          refusals = 0
        } else {
          // The answer to another client proves that the device has checked all its clients.
          _ = try await sound.getReport(.feature, nil, timeout: nil)
          refusals += 1
        }
      }
      #expect(sent < 20_000)
      for token in 1...sent {
        let answer = await peer.receive()
        guard answer?.dropFirst().first == UInt8(truncatingIfNeeded: token) else {
          Issue.record("answer \(token) of \(sent): \(answer?.prefix(8) ?? [])")
          break
        }
      }
      #expect(peer.send(LoopbackMessage.get(token: 9, .feature, number: 0).encoded))
      #expect(await peer.receive()?.first == 18)
    }
  }

  @Test("a client that disconnects with unread answers closes the device")
  func goneWithAnswers() async throws {
    try await withDevice { folder, _, record, echo in
      var peer: Peer? = try Peer(to: record, in: folder)
      #expect(await peer?.open() == true)
      while peer?.send(LoopbackMessage.get(token: 1, .feature, number: 0).encoded) == true {}
      peer = nil
      let bound = MonotonicTime.now.advanced(by: .seconds(20))
      while !echo.events.contains(.close), MonotonicTime.now < bound { await Task.yield() }
      #expect(echo.events.contains(.close))
    }
  }

  @Test("a stopped client loses reports, and others lose none")
  func stopped() async throws {
    try await withDevice { folder, port, record, _ in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      let sound = try await folder.bus.open(record)
      let stream = sound.reports(capacity: 1024, policy: .lossless)
      let count = 60_000
      async let all = Task {
        var seen = 0
        for await _ in stream {
          seen += 1
          if seen == count { break }
        }
        return seen
      }.value
      try await port.send(reports(count))
      #expect(await port.lostReports > 0)
      // The end of the device ends the stream, whatever the stream holds.
      await port.destroy()
      #expect(await all == count)
    }
  }

  @Test("a client whose reader is slow and steady loses no reports, however many wait")
  func steady() async throws {
    try await withDevice { folder, port, record, _ in
      let client = try await folder.bus.open(record)
      let stream = client.reports(capacity: 1024, policy: .lossless)
      let count = 60_000
      async let all = Task {
        var seen = 0
        for await _ in stream {
          seen += 1
          // The client reads for longer than a device waits for a client that takes nothing.
          if seen <= 400 { try await Task.sleep(for: .milliseconds(5)) }
          if seen == count { break }
        }
        return seen
      }.value
      try await port.send(reports(count))
      #expect(await port.lostReports == 0)
      // The end of the device ends the stream, whatever the stream holds.
      await port.destroy()
      #expect(try await all == count)
    }
  }

  @Test("all that a client has written is received before the device is unplugged")
  func lastWrites() async throws {
    try await withDevice { folder, port, record, echo in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      let device = try #require(port as? LoopbackDevice)
      let sent = await writeAll(peer, device)
      let heard = echo.events.count { if case .output = $0 { true } else { false } }
      #expect(sent > 64)
      #expect(heard == sent)
    }
  }

  /// Writes as much as a socket holds while the device cannot read, and then lets the device read.
  private func writeAll(_ peer: Peer, _ device: isolated LoopbackDevice) -> Int {
    var sent = 0
    while sent < 1000, peer.send(LoopbackMessage.write([0, 2]).encoded) { sent += 1 }
    device.catchUp()
    return sent
  }

  @Test("reports are received from a client that went with unread reports")
  func lastWritesOfOneThatDidNotRead() async throws {
    try await withDevice { folder, port, record, echo in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      try await port.send(reports(3))
      let device = try #require(port as? LoopbackDevice)
      await writeAndGo(peer, device)
      #expect(echo.events.count { if case .output = $0 { true } else { false } } == 5)
    }
  }

  /// Writes and closes the socket while the device cannot read it, and then lets the device read.
  private func writeAndGo(_ peer: Peer, _ device: isolated LoopbackDevice) {
    for _ in 0..<5 { peer.send(LoopbackMessage.write([0, 2]).encoded) }
    peer.vanish()
    device.catchUp()
  }

  @Test(
    "with the kernel's fidelity 63 reports wait for a stopped client, and more once it takes some")
  func stoppedAsKernel() async throws {
    let folder = try Folder()
    let bus = LoopbackBus(directory: folder.directory, fidelity: .kernel)
    let echo = Echo()
    let port = try await bus.plug(plain(), handler: echo)
    let record = try await port.ready(within: .seconds(1))
    let peer = try Peer(to: record, in: folder)
    peer.send(LoopbackMessage.open.encoded)
    #expect(await peer.receive() == LoopbackMessage.opened(isCounted: true).encoded)
    try await port.send(reports(200))
    var numbers: [UInt8] = []
    while numbers.count < 63, let datagram = await peer.receive() {
      numbers += stride(from: 3, to: datagram.count, by: 10).map { datagram[$0] }
    }
    #expect(numbers == Array(0..<63))
    peer.send(LoopbackMessage.taken(3).encoded)
    peer.send(LoopbackMessage.get(token: 1, .feature, number: 0).encoded)
    #expect(await peer.receive()?.first == 18)
    try await port.send(reports(5))
    #expect(await peer.receive()?.count == 31)
    #expect(await port.lostReports == 139)
    peer.send(LoopbackMessage.taken(64).encoded)
    #expect(await peer.receive() == nil)
    #expect(await port.lostReports == 139)
    #expect(echo.events.contains(.close))
    await port.destroy()
  }

  @Test("a stream does not count reports as lost that were dropped before it was opened")
  func lateStream() async throws {
    let folder = try Folder()
    let bus = LoopbackBus(directory: folder.directory, fidelity: .kernel)
    let echo = Echo()
    let port = try await bus.plug(plain(), handler: echo)
    let client = try await bus.open(port.ready(within: .seconds(1)))
    let slow = client.reports(capacity: 1024, policy: .lossless)
    try await port.send(reports(100))
    _ = try await client.getReport(.feature, nil, timeout: nil)
    let late = client.reports(capacity: 1024, policy: .lossless)
    #expect(slow.lost == 37)
    #expect(late.lost == 0)
    try await port.send(reports(10))
    _ = try await client.getReport(.feature, nil, timeout: nil)
    #expect(slow.lost == 47)
    #expect(late.lost == 10)
    await port.destroy()
    for await _ in slow {}
    for await _ in late {}
    #expect(slow.lost == 47)
    #expect(late.lost == 10)
    #expect(echo.events.contains(.open))
  }

  @Test("with the kernel's fidelity a report is kept until each stream of its client has taken it")
  func severalStreams() async throws {
    let folder = try Folder()
    let bus = LoopbackBus(directory: folder.directory, fidelity: .kernel)
    let echo = Echo()
    let port = try await bus.plug(plain(), handler: echo)
    let client = try await bus.open(port.ready(within: .seconds(1)))
    let quick = client.reports(capacity: 1024, policy: .lossless)
    var slow: HIDReportStream? = client.reports(capacity: 1024, policy: .lossless)
    // This stream drops the reports that it has no room for, and no sender waits for it.
    let narrow = client.reports(capacity: 2, policy: .dropNewest)
    try await port.send(reports(100))
    var reader = quick.makeAsyncIterator()
    for _ in 0..<63 { _ = await reader.next() }
    _ = try await client.getReport(.feature, nil, timeout: nil)
    try await port.send(reports(10))
    #expect(await port.lostReports == 37 + 10)
    // Reports that the device dropped are missing from every stream; the narrow one lost more.
    #expect(narrow.lost == 108)
    #expect(slow?.lost == 47)
    // The bus drops the reports that only this stream had not read.
    slow = nil
    _ = try await client.getReport(.feature, nil, timeout: nil)
    try await port.send(reports(10))
    for number in 0..<10 as Range<UInt8> { #expect(await reader.next()?.bytes.first == number) }
    #expect(await port.lostReports == 37 + 10)
    #expect(echo.events.contains(.open))
    await port.destroy()
  }

  @Test("a client that takes a little and then stops, with answers waiting, is given up")
  func littleProgress() async throws {
    try await withDevice { folder, port, record, _ in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      let batch = reports(60_000)
      let sent = try await port.sendInput(batch, from: 0)
      #expect(sent < batch.count)
      // The answers add to the data that is unread already. A datagram that is taken is progress,
      // but makes no room.
      for _ in 0..<200 { peer.send(LoopbackMessage.get(token: 1, .feature, number: 0).encoded) }
      let sound = try await folder.bus.open(record)
      _ = try await sound.getReport(.feature, nil, timeout: nil)
      let waiting = Task { await port.roomForInput() }
      // Each answer is a turn of the device's loop, in which the wait has begun.
      for _ in 0..<20 { _ = try await sound.getReport(.feature, nil, timeout: nil) }
      #expect(await peer.receive()?.first == LoopbackMessage.inputCode)
      await waiting.value
      #expect(try await port.sendInput(batch, from: sent) > sent)
    }
  }

  @Test("unplugging ends a send that waits for room")
  func destroyWhileWaiting() async throws {
    try await withDevice { folder, port, record, _ in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      let batch = reports(50_000)
      let sent = try await port.sendInput(batch, from: 0)
      #expect(sent < batch.count)
      let sending = Task { await failure { try await port.send(batch) } }
      await port.destroy()
      #expect(await sending.value == .gone)
      while await peer.receive() != nil {}
    }
  }

  @Test("a device receives no events after the call that unplugs it")
  func silentAfterDestroy() async throws {
    try await withDevice { folder, port, record, echo in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      // So much is unread that the device waits a second for this client.
      _ = try await port.sendInput(reports(50_000), from: 0)
      let destroying = Task { await port.destroy() }
      while await failure(of: { _ = try await port.ready(within: .zero) }) == nil {}
      let before = echo.events
      for _ in 0..<10 { peer.send(LoopbackMessage.write([0, 1]).encoded) }
      await destroying.value
      #expect(echo.events == before)
    }
  }
}

/// Tests with devices that are hostile, or stopped; and with readers that stop.
@Suite("Hostile devices", .timeLimit(.minutes(1)))
struct HostileDeviceTests {
  @Test("reports of other lengths than they claim, and invalid messages, end the stream")
  func lyingLengths() async throws {
    for datagram: [UInt8] in [
      [17, 5, 0, 1], [17, 0, 0], [17, 1], [17, 0xff, 0xff] + [UInt8](repeating: 0, count: 65_000),
      [17, 1, 0, 7, 9], [18], [1], [99],
    ] {
      let folder = try Folder()
      let device = try FakeDevice(in: folder)
      let (port, peer) = try await open(device, in: folder)
      let stream = port.reports(capacity: 8, policy: .lossless)
      peer.send(datagram)
      var bytes: [[UInt8]] = []
      for await report in stream { bytes.append(Array(report.bytes)) }
      #expect(bytes == [] || bytes == [[7]], "\(datagram.prefix(8))")
      #expect((stream.failure as? HIDBusError)?.kind == .protocolViolation)
      let late = port.reports(capacity: 8, policy: .lossless)
      for await _ in late { Issue.record("all that came went to the first stream") }
      #expect((late.failure as? HIDBusError)?.kind == .protocolViolation)
      #expect(await failure { try await port.write([0, 1]) } == .gone)
    }
  }

  @Test("the losses of a client without counts from the device are incomplete, and not 0")
  func unknownLosses() async throws {
    let folder = try Folder()
    let device = try FakeDevice(in: folder)
    // This device sends no counts.
    var (port, peer): (any HIDClientPort, Peer?) = try await open(device, in: folder)
    let stream = port.reports(capacity: 8, policy: .lossless)
    peer?.send([17, 1, 0, 7])
    var reports = stream.makeAsyncIterator()
    #expect(await reports.next() != nil)
    #expect(stream.lost == HIDLossCount(0, isComplete: false))
    peer?.send(LoopbackMessage.lost(3).encoded)
    peer = nil
    #expect(await reports.next() == nil)
    #expect(stream.lost == HIDLossCount(3, isComplete: false))
    #expect("\(stream.lost)" == "at least 3")
    #expect(stream.failure == nil)
    port.close()
  }

  @Test(
    "a client that stands still until the device is unplugged knows how many reports it has lost")
  func lossesAtTheEnd() async throws {
    let folder = try Folder()
    let device = try await folder.bus.plug(plain(), handler: Echo())
    let port = try await folder.bus.open(device.ready(within: .seconds(1)))
    let stream = port.reports(capacity: 4, policy: .lossless)
    let count = 60_000
    let batch = { [count] in
      var batch = HIDReportBatch()
      for _ in 0..<count { batch.append([1, 2, 3, 4, 5, 6, 7, 8]) }
      return batch
    }()
    // The client's loop blocks for 1.5 s, so the client receives nothing: the device waits a second
    // for it, and then drops reports.
    LoopbackClient.loop.perform { usleep(1_500_000) }
    try await device.send(batch)
    await device.destroy()
    let lost = await device.lostReports
    #expect(lost > 0)
    var seen = 0
    for await _ in stream { seen += 1 }
    #expect(stream.lost == HIDLossCount(lost))
    #expect(seen + lost == count)
  }

  @Test("1,000 random datagrams never trap, and each stream ends")
  func chance() async throws {
    let folder = try Folder()
    var random = SplitMix64(seed: 5)
    for _ in 0..<50 {
      let device = try FakeDevice(in: folder)
      let (port, peer) = try await open(device, in: folder)
      let stream = port.reports(capacity: 4096, policy: .dropNewest)
      for _ in 0..<20 {
        var datagram = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
        datagram[0] = [17, 18, 19, 3].randomElement(using: &random) ?? 17
        datagram[2] = 0
        peer.send(datagram)
      }
      peer.send([255])
      for await report in stream { #expect(report.bytes.count > 0) }
      port.close()
    }
  }

  @Test("a device that does not answer is opened, and receives no cancellation")
  func silentDevice() async throws {
    let folder = try Folder()
    let device = try FakeDevice(in: folder)
    let record = device.record
    let bus = folder.bus
    async let opening = bus.open(record)
    let peer = try await device.accept()
    #expect(await peer.receive() == LoopbackMessage.open.encoded)
    let port = try await opening
    try await port.write([0, 7])
    #expect(await peer.receive() == LoopbackMessage.write([0, 7]).encoded)
  }

  @Test("a request whose time is over before it begins times out")
  func bounds() async throws {
    let folder = try Folder()
    let device = try FakeDevice(in: folder)
    let (port, peer) = try await open(device, in: folder)
    for _ in 0..<500 {
      let kind = await failure { _ = try await port.getReport(.feature, nil, timeout: .zero) }
      #expect(kind == .timedOut)
    }
    #expect(await peer.receive() != nil)
  }

  @Test("a write to a device that takes nothing times out, and is not sent later")
  func stoppedDevice() async throws {
    let folder = try Folder()
    let device = try FakeDevice(in: folder)
    let (port, peer) = try await open(device, in: folder)
    var written = 0
    var kind: HIDBusError.Kind?
    while kind == nil, written < 10_000 {
      kind = await failure { try await port.write([0] + [UInt8](repeating: 1, count: 4096)) }
      written += 1
    }
    #expect(kind == .timedOut)
    var received = 0
    while received < written - 1, await peer.receive() != nil { received += 1 }
    #expect(received == written - 1)
    port.close()
    #expect(await peer.receive() == nil)
  }

  private func withPair(
    _ count: Int,
    _ body: (any HIDDevicePort, any HIDClientPort, HIDReportStream) async throws -> Void
  ) async throws {
    let folder = try Folder()
    let echo = Echo()
    let device = try await folder.bus.plug(plain(), handler: echo)
    let port = try await folder.bus.open(device.ready(within: .seconds(1)))
    let stream = port.reports(capacity: 4, policy: .lossless)
    var batch = HIDReportBatch()
    for index in 0..<count {
      batch.append([UInt8(truncatingIfNeeded: index), 0, 0, 0, 0, 0, 0, 0])
    }
    try await device.send(batch)
    try await body(device, port, stream)
    await device.destroy()
  }

  @Test("a reader with unread reports receives the answers behind them")
  func answersBehindReports() async throws {
    try await withPair(20_000) { (_, port, stream) async throws in
      for _ in 0..<20 {
        #expect(try await port.getReport(.feature, nil, timeout: .seconds(20)).first == 7)
      }
      var count = 0
      for await report in stream {
        #expect(report.bytes.first == UInt8(truncatingIfNeeded: count))
        count += 1
        if count == 20_000 { break }
      }
      #expect(count == 20_000)
    }
  }

  @Test("reports that were sent before the device was unplugged are read, then the stream ends")
  func reportsBeforeTheEnd() async throws {
    try await withPair(5000) { device, port, stream in
      await device.destroy()
      #expect(await failure { _ = try await port.getReport(.feature, nil, timeout: nil) } == .gone)
      var count = 0
      for await _ in stream { count += 1 }
      #expect(count == 5000)
      #expect(await failure { try await port.write([0, 1]) } == .gone)
    }
  }

  @Test("reports are read from a device that went with unread requests")
  func reportsOfOneThatDidNotRead() async throws {
    let folder = try Folder()
    let device = try FakeDevice(in: folder)
    let (port, peer) = try await open(device, in: folder)
    let stream = port.reports(capacity: 16, policy: .lossless)
    try await port.write([0, 7])
    // The closure runs on the client's loop, so the client cannot read in between.
    LoopbackClient.loop.perform {
      for _ in 0..<5 { peer.send([LoopbackMessage.inputCode, 1, 0, 9]) }
      peer.vanish()
    }
    var count = 0
    for await _ in stream { count += 1 }
    #expect(count == 5)
  }

  @Test("reports before an invalid message are read, however full the stream was")
  func reportsBeforeNonsense() async throws {
    let folder = try Folder()
    let device = try FakeDevice(in: folder)
    let (port, peer) = try await open(device, in: folder)
    let stream = port.reports(capacity: 4, policy: .lossless)
    async let answer = failure { _ = try await port.getReport(.feature, nil, timeout: nil) }
    // A client that waits for an answer goes on reading although a stream has no room.
    #expect(await peer.receive()?.first == 3)
    for _ in 0..<20 { peer.send([LoopbackMessage.inputCode, 1, 0, 9]) }
    peer.send([255])
    #expect(await answer == .gone)
    var count = 0
    for await _ in stream { count += 1 }
    #expect(count == 20)
    #expect((stream.failure as? HIDBusError)?.kind == .protocolViolation)
  }

  @Test("an unplugged device with unread reports uses no processor time")
  func idle() async throws {
    try await withPair(5000) { device, _, stream in
      await device.destroy()
      let loop = LoopbackClient.loop
      func used() async -> Duration {
        await withCheckedContinuation { continuation in
          loop.schedule(at: .now) {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            continuation.resume(returning: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
          }
        }
      }
      // The test measures time in which nothing happens; other tests also use the loop for a while.
      var isIdle = false
      for _ in 0..<200 where !isIdle {
        let before = await used()
        try await Timeline.real.sleep(for: .milliseconds(100))
        isIdle = await used() - before < .milliseconds(20)
      }
      #expect(isIdle)
      for await _ in stream {}
    }
  }

  @Test("a full stream that is dropped does not hold up the other stream")
  func droppedStream() async throws {
    let folder = try Folder()
    let device = try await folder.bus.plug(plain(), handler: Echo())
    let port = try await folder.bus.open(device.ready(within: .seconds(1)))
    let kept = port.reports(capacity: 1 << 16, policy: .lossless)
    var dropped: HIDReportStream? = port.reports(capacity: 4, policy: .lossless)
    var batch = HIDReportBatch()
    for _ in 0..<60_000 { batch.append([1, 2, 3, 4, 5, 6, 7, 8]) }
    _ = try await device.sendInput(batch, from: 0)
    #expect(dropped?.lost == 0)
    dropped = nil
    try await device.send(batch)
    var count = 0
    for await _ in kept {
      count += 1
      if count == 60_000 { break }
    }
    #expect(count == 60_000)
    await device.destroy()
  }
}
