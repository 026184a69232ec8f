// SPDX-License-Identifier: Apache-2.0

@testable import HIDBus
import HIDReportDescriptor
import IOLoop
import SystemPackage
import TestSupport
import Testing

@Suite("Messages and identities")
struct MessageTests {
  private func bytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private func message(_ random: inout SplitMix64) -> LoopbackMessage {
    let token = UInt32.random(in: 0...(.max), using: &random)
    let type = HIDReportType.allCases.randomElement(using: &random) ?? .input
    let report = bytes(Int.random(in: 0...300, using: &random), &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return .open
    case 1: return .write(report)
    case 2: return .get(token: token, type, number: UInt8.random(in: 0...255, using: &random))
    case 3: return .set(token: token, type, report)
    case 4: return .cancel(token: token)
    case 5: return .answer(token: token, report)
    case 6: return .answer(token: token, nil)
    case 7: return .taken(token)
    default: return .lost(token)
    }
  }

  @Test("each message is encoded to the expected bytes")
  func byHand() {
    #expect(LoopbackMessage.open.encoded == [1])
    #expect(LoopbackMessage.write([0, 5]).encoded == [2, 0, 5])
    #expect(
      LoopbackMessage.get(token: 0x0102_0304, .feature, number: 9).encoded
        == [3, 4, 3, 2, 1, 2, 9])
    #expect(LoopbackMessage.set(token: 1, .output, [7]).encoded == [4, 1, 0, 0, 0, 1, 7])
    #expect(LoopbackMessage.cancel(token: 2).encoded == [5, 2, 0, 0, 0])
    #expect(LoopbackMessage.taken(2).encoded == [6, 2, 0, 0, 0])
    #expect(LoopbackMessage.opened(isCounted: false).encoded == [18, 0, 0, 0, 0, 0])
    #expect(LoopbackMessage.opened(isCounted: true).encoded == [18, 0, 0, 0, 0, 0, 1])
    #expect(LoopbackMessage.answer(token: 1, [8]).encoded == [18, 1, 0, 0, 0, 0, 8])
    #expect(LoopbackMessage.answer(token: 1, nil).encoded == [18, 1, 0, 0, 0, 1])
    #expect(LoopbackMessage.lost(3).encoded == [19, 3, 0, 0, 0])
  }

  @Test("5,000 messages are decoded as they were encoded")
  func roundTrip() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<5000 {
      let message = message(&random)
      #expect(LoopbackMessage(decoding: message.encoded[...]) == message)
    }
  }

  @Test("20,000 hostile datagrams never trap, and are refused or decoded to what they contain")
  func hostile() {
    var random = SplitMix64(seed: 2)
    for round in 0..<20_000 {
      var datagram =
        round % 2 == 0
        ? bytes(Int.random(in: 0...12, using: &random), &random) : message(&random).encoded
      if let index = datagram.indices.randomElement(using: &random) {
        datagram[index] = UInt8.random(in: 0...255, using: &random)
        if round % 3 == 0 { datagram.removeSubrange(index...) }
      }
      guard let message = LoopbackMessage(decoding: datagram[...]) else { continue }
      // A refusal's status is any byte but 0, and the bytes after it have no meaning.
      if case .answer(_, nil) = message { continue }
      #expect(message.encoded == datagram)
    }
  }

  @Test(
    "messages that are too short or too long are refused", arguments: [1, 3, 5, 6, 19] as [UInt8])
  func exact(_ code: UInt8) {
    let whole: [UInt8: [UInt8]] = [
      1: [1], 3: [3, 1, 0, 0, 0, 2, 4], 5: [5, 1, 0, 0, 0], 6: [6, 1, 0, 0, 0],
      19: [19, 1, 0, 0, 0],
    ]
    let bytes = whole[code] ?? []
    #expect(LoopbackMessage(decoding: bytes[...]) != nil)
    #expect(LoopbackMessage(decoding: (bytes + [0])[...]) == nil)
    #expect(LoopbackMessage(decoding: bytes.dropLast()) == nil)
  }

  @Test("an identity is decoded as it was encoded, whatever its texts contain")
  func identity() throws {
    for name in ["a", "", "\u{1B}[2J\0\n\"é🕹", String(repeating: "x", count: 4000)] {
      let what = try plain(name: name)
      let record = try #require(DeviceIdentityFile.decode(DeviceIdentityFile.encode(what)))
      #expect(record.identity == what.identity)
      #expect(record.descriptorBytes == what.descriptor.bytes)
      #expect(record.id == what.physicalPath.interfaceID)
    }
  }

  @Test("an identity that is cut short is refused, and 5,000 changed ones do not trap")
  func hostileIdentity() throws {
    let whole = DeviceIdentityFile.encode(try plain())
    for count in 0..<whole.count {
      #expect(DeviceIdentityFile.decode(Array(whole[..<count])) == nil)
    }
    var random = SplitMix64(seed: 3)
    for _ in 0..<5000 {
      var copy = whole
      for _ in 0..<3 {
        copy[Int.random(in: copy.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      _ = DeviceIdentityFile.decode(copy)
    }
  }
}

@Suite("RequestQueue")
struct RequestQueueTests {
  private func get(_ client: Int, _ token: UInt32) -> RequestQueue.Request {
    .init(client: client, token: token, action: .get(.feature, number: 0))
  }

  @Test("one request is in flight, the others wait in order")
  func order() throws {
    var queue = RequestQueue()
    for token in 1...3 as ClosedRange<UInt32> {
      do {
        let isAdded = queue.add(get(1, token))
        #expect(isAdded)
      }
    }
    let first = queue.start()
    #expect(first?.request.token == 1)
    var more = queue.start()
    #expect(more?.request == nil)
    let id = try #require(first?.id)
    var ended = queue.finish(id)
    #expect(ended?.token == 1)
    ended = queue.finish(id)
    #expect(ended == nil)
    more = queue.start()
    #expect(more?.request.token == 2)
  }

  @Test("a cancelled request ends, waiting or in flight, and those of other clients stay")
  func cancel() throws {
    var queue = RequestQueue()
    for client in 1...2 {
      for token in 1...2 as ClosedRange<UInt32> { _ = queue.add(get(client, token)) }
    }
    let first = queue.start()
    queue.cancel(client: 1, token: 1)
    let ended = queue.finish(try #require(first?.id))
    #expect(ended == nil)
    queue.cancel(client: 1, token: 2)
    let next = queue.start()
    #expect(next?.request == get(2, 1))
    queue.removeAll(of: 2)
    #expect(queue.current == nil)
    let more = queue.start()
    #expect(more?.request == nil)
  }

  @Test("a client with too many requests is refused more, another is not")
  func capacity() {
    var queue = RequestQueue()
    for token in 0..<UInt32(RequestQueue.capacity) {
      do {
        let isAdded = queue.add(get(1, token))
        #expect(isAdded)
      }
    }
    do {
      let isAdded = queue.add(get(1, 0))
      #expect(!isAdded)
    }
    do {
      let isAdded = queue.add(get(2, 0))
      #expect(isAdded)
    }
  }
}

extension ClientOutbox {
  /// Sends the first datagram, which is removed from the outbox, and returns it.
  fileprivate mutating func sendFirst() -> [UInt8] {
    var sent: [UInt8] = []
    sendFirst { bytes in for index in bytes.indices { sent.append(bytes[index]) } }
    return sent
  }
}

@Suite("ClientOutbox")
struct ClientOutboxTests {
  private let now = MonotonicTime(nanoseconds: 1_000_000_000)

  @Test("reports share datagrams, in order, each with its length before it")
  func together() {
    var outbox = ClientOutbox()
    outbox.append(report: [1, 2].span)
    outbox.append(report: [3].span)
    outbox.append(.answer(token: 1, [9]))
    outbox.append(report: [4].span)
    #expect(outbox.sendFirst() == [17, 2, 0, 1, 2, 1, 0, 3])
    #expect(outbox.sendFirst() == [18, 1, 0, 0, 0, 0, 9])
    #expect(outbox.sendFirst() == [17, 1, 0, 4])
    #expect(outbox.isEmpty)
  }

  @Test("a datagram that the socket does not take stays, and reports are added to it")
  func refused() {
    var outbox = ClientOutbox()
    outbox.append(report: [1].span)
    #expect(outbox.sendFirst() == [17, 1, 0, 1])
    outbox.append(report: [2].span)
    #expect(throws: Errno.wouldBlock) {
      try outbox.sendFirst { _ throws(Errno) in throw Errno.wouldBlock }
    }
    outbox.append(report: [3, 4].span)
    #expect(outbox.sendFirst() == [17, 1, 0, 2, 2, 0, 3, 4])
    #expect(outbox.isEmpty)
  }

  @Test(
    "a client that takes nothing for a second loses the newest reports, and receives their number")
  func lossy() {
    var outbox = ClientOutbox()
    let report = [UInt8](repeating: 1, count: 16_000)
    while outbox.takesMore { outbox.append(report: report.span) }
    #expect(!outbox.isLossy)
    let end = outbox.beginWaiting(at: now)
    #expect(end == now.advanced(by: .seconds(1)))
    do {
      let isLost = outbox.giveUp(at: now.advanced(by: .milliseconds(999)))
      #expect(!isLost)
    }
    do {
      let isLost = outbox.giveUp(at: now.advanced(by: .seconds(1)))
      #expect(isLost)
    }
    for _ in 0..<3 { outbox.append(report: report.span) }
    #expect(outbox.lostInAll == 3)
    var sent: [UInt8] = []
    repeat { sent = outbox.sendFirst() } while sent.first == 17
    #expect(sent == LoopbackMessage.lost(3).encoded)
    #expect(!outbox.isLossy)
  }

  @Test("with the kernel's fidelity 63 reports wait, and newer ones are lost without a message")
  func asKernel() {
    var outbox = ClientOutbox(.kernel)
    for number in 0..<200 as Range<UInt8> { outbox.append(report: [number].span) }
    #expect(outbox.lostInAll == 137)
    #expect(outbox.unsentReports == 63)
    #expect(outbox.takesMore)
    // The reports are sent, but the client has not taken them.
    #expect(outbox.sendFirst() == [17] + (0..<63 as Range<UInt8>).flatMap { [1, 0, $0] })
    #expect(outbox.isEmpty)
    outbox.append(report: [200].span)
    #expect(outbox.isEmpty)
    let isSound = outbox.noteTaken(2)
    #expect(isSound)
    for number in 201..<204 as Range<UInt8> { outbox.append(report: [number].span) }
    #expect(outbox.sendFirst() == [17, 1, 0, 201, 1, 0, 202])
    #expect(outbox.lostInAll == 139)
  }

  @Test("a client cannot take more reports than there are, or none", arguments: [0, 3] as [UInt32])
  func tookTooMuch(_ count: UInt32) {
    for fidelity in [LoopbackBus.Fidelity.kernel, .lossless] {
      var outbox = ClientOutbox(fidelity)
      for _ in 0..<2 { outbox.append(report: [1].span) }
      let isSound = outbox.noteTaken(count)
      #expect(!isSound)
    }
  }

  @Test("waiting reports are counted, whatever messages are between them")
  func unsent() {
    var outbox = ClientOutbox()
    outbox.append(report: [1, 2].span)
    outbox.append(report: [UInt8](repeating: 3, count: 300).span)
    outbox.append(.answer(token: 1, [9]))
    outbox.append(report: [4].span)
    #expect(outbox.unsentReports == 3)
    _ = outbox.sendFirst()
    #expect(outbox.unsentReports == 1)
  }

  @Test("a client that takes messages is waited for anew")
  func progress() {
    var outbox = ClientOutbox()
    for _ in 0..<2 { outbox.append(.lost(1)) }
    _ = outbox.beginWaiting(at: now)
    _ = outbox.sendFirst()
    do {
      let isLost = outbox.giveUp(at: now.advanced(by: .seconds(2)))
      #expect(!isLost)
    }
  }

  @Test("too many unread answers, and not reports, stop a client's requests until it takes some")
  func answers() {
    var outbox = ClientOutbox()
    outbox.append(report: [UInt8](repeating: 1, count: 16_000).span)
    var count = 0
    while outbox.takesRequests, count < 10_000 {
      outbox.append(.answer(token: 1, [UInt8](repeating: 0, count: 1018)))
      count += 1
    }
    #expect(count == 64)
    _ = outbox.sendFirst()
    #expect(!outbox.takesRequests)
    _ = outbox.sendFirst()
    #expect(outbox.takesRequests)
  }
}
