// SPDX-License-Identifier: Apache-2.0

import FuzzSupport
import IOLoop
@testable import HIDBus

/// Fuzzes the control socket: no client may cause the device to send another client more reports
/// than that client has room for.
///
/// Over the socket, the device sends count requests, which ask a client how many reports it has
/// read.
///
/// Each step is the device's, an honest client's, or a hostile one's. The device acts as
/// `ControlServer` does. Honest clients act as `HIDRawReader` does, on a kernel that keeps 63
/// reports. Losses never exceed the number of reports sent while a client was connected.
@c(LLVMFuzzerTestOneInput)
public func controlSocket(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = fuzzInput(start, count)
  if let message = ControlMessage(decoding: bytes[...]) {
    expect(message.encoded == bytes, "\(message) is written as other bytes")
    expect(bytes.count <= ControlMessage.longest, "a message of \(bytes.count) bytes")
  }
  var steps = FuzzSteps(bytes)
  var device = Device()
  while let code = steps.next() {
    device.step(code, &steps)
    device.check()
  }
  device.end()
  checkTally(FuzzSteps(bytes))
  return 0
}

// MARK: The device

private struct Device {
  private static let clientLimit = 6

  private var credits = ReportCredits()
  private var now = MonotonicTime(nanoseconds: 0)
  private var honest: [Int: HonestClient] = [:]
  /// The count of sent reports in the last count request to each hostile client.
  private var hostile: [Int: UInt64] = [:]
  private var joined: [Int: UInt64] = [:]
  /// The sum, for all clients that are gone, of the reports sent while the client was connected.
  private var sentToGone: UInt64 = 0
  private var lastKey = 0

  mutating func step(_ code: UInt8, _ steps: inout FuzzSteps) {
    switch code & 7 {
    case 0: send(min(UInt64(steps.byte()), credits.room))
    case 1: forge(code, &steps)
    case 2:
      let datagram = steps.bytes(Int(code >> 3))
      guard let key = key(of: hostile, steps.byte()) else { return }
      hear(ControlMessage(decoding: datagram[...]), from: key)
    case 3:
      guard let key = key(of: honest, code >> 3) else { return }
      answer(key)
    case 4:
      guard let key = key(of: honest, code >> 3) else { return }
      honest[key]?.read(Int(steps.byte()))
    case 5: pass(.milliseconds(Int64(steps.byte()) * 8))
    case 6: comeOrGo(code >> 3, &steps)
    default: ask(isIdle: true)
    }
  }

  private func key<Value>(of clients: [Int: Value], _ number: UInt8) -> Int? {
    let keys = clients.keys.sorted()
    return keys.isEmpty ? nil : keys[Int(number) % keys.count]
  }

  private mutating func comeOrGo(_ kind: UInt8, _ steps: inout FuzzSteps) {
    if kind & 3 == 3 {
      if let key = key(of: joined, kind >> 2) { remove(key) }
      return
    }
    guard joined.count < Self.clientLimit else { return }
    lastKey += 1
    guard let question = credits.add(lastKey) else { return expect(false, "no room for a client") }
    joined[lastKey] = credits.sent
    if kind & 1 == 0 {
      honest[lastKey] = HonestClient(capacity: max(1, Int(steps.byte())))
    } else {
      hostile[lastKey] = credits.sent
    }
    tell(question, to: lastKey)
  }

  private mutating func remove(_ key: Int) {
    credits.remove(key)
    honest[key] = nil
    hostile[key] = nil
    if let start = joined.removeValue(forKey: key) { sentToGone += credits.sent - start }
  }

  private mutating func tell(_ message: ControlMessage, to key: Int) {
    let read = ControlMessage(decoding: message.encoded[...])
    expect(read == message, "\(message) is read as \(read.map { "\($0)" } ?? "nothing")")
    switch message {
    case .begin(let sent):
      honest[key]?.hear(.init(sent: sent, isFirst: true))
      hostile[key]? = sent
    case .sent(let sent):
      honest[key]?.hear(.init(sent: sent, isFirst: false))
      hostile[key]? = sent
    case .taken: expect(false, "the device says \(message)")
    }
  }

  private mutating func send(_ count: UInt64) {
    if count == 0 {
      _ = credits.beginWaiting(at: now)
      return
    }
    for key in honest.keys { honest[key]?.keep(count) }
    credits.noteSent(Int(count))
    ask(isIdle: false)
  }

  private mutating func ask(isIdle: Bool) {
    for key in credits.keys.sorted() {
      if let question = credits.question(for: key, isIdle: isIdle) { tell(question, to: key) }
    }
  }

  private mutating func pass(_ time: Duration) {
    now = now.advanced(by: time)
    for key in credits.overdue(at: now) {
      guard let client = honest[key] else { continue }
      expect(client.question != nil, "a client that has answered is given up")
      honest[key]?.isGivenUp = true
    }
    _ = credits.giveUp(at: now)
  }

  // MARK: Messages from clients

  private mutating func hear(_ message: ControlMessage?, from key: Int) {
    guard let message, credits.take(message, from: key) else { return remove(key) }
    if let question = credits.question(for: key) { tell(question, to: key) }
  }

  /// Makes a hostile client answer, with correct numbers or with wrong ones.
  private mutating func forge(_ code: UInt8, _ steps: inout FuzzSteps) {
    guard let key = key(of: hostile, code >> 5), let asked = hostile[key] else { return }
    let count = code & 8 == 0 ? asked : asked &+ steps.number()
    let room = code & 16 == 0 ? UInt32.max : UInt32(truncatingIfNeeded: steps.number())
    hear(.taken(count, room: room, lost: steps.number()), from: key)
  }

  private mutating func answer(_ key: Int) {
    guard let message = honest[key]?.answer(sentByNow: credits.sent) else { return }
    expect(credits.take(message, from: key), "an honest client is refused: \(message)")
    if let question = credits.question(for: key) { tell(question, to: key) }
  }

  // MARK: Invariants

  func check() {
    let room = credits.room
    expect(room <= ReportCredits.window, "room for \(room)")
    for client in honest.values where !client.isGivenUp {
      let own = client.limit > credits.sent ? client.limit - credits.sent : 0
      expect(room <= own, "room for \(room) reports, though a client has room for \(own)")
    }
    let most = joined.values.reduce(sentToGone) { $0 + credits.sent - $1 }
    expect(credits.lost <= most, "\(credits.lost) lost of \(most)")
  }

  /// Checks that clients without an answer do not stop the device, and that honest clients count
  /// all reports that were dropped.
  mutating func end() {
    for _ in 0..<3 {
      for key in honest.keys.sorted() {
        honest[key]?.read(.max)
        answer(key)
      }
      if credits.room == 0 {
        _ = credits.beginWaiting(at: now)
        pass(ReportCredits.patience)
      }
    }
    expect(credits.room > 0, "the device waits for ever")
    ask(isIdle: true)
    for key in honest.keys.sorted() {
      honest[key]?.read(.max)
      answer(key)
      honest[key]?.checkLosses()
    }
    check()
  }
}

// MARK: An honest client

private struct HonestClient {
  /// The number of reports that hidraw queues (`HIDRAW_BUFFER_SIZE` less one, Linux 6.12).
  private static let kernelQueue: UInt64 = 63

  private let capacity: Int
  private var unread = 0
  private var queued: UInt64 = 0
  private var dropped: UInt64 = 0
  private var tally = ReportTally()
  private(set) var question: ControlClient.Question?
  /// The total number of reports that the client has said it can take.
  private(set) var limit: UInt64 = 0
  var isGivenUp = false

  /// Makes a client.
  ///
  /// - Parameter capacity: The number of reports that the stream of the client's reader holds.
  init(capacity: Int) { self.capacity = capacity }

  mutating func hear(_ question: ControlClient.Question) {
    expect(self.question == nil, "a second question before the answer")
    self.question = question
  }

  /// Queues reports as the kernel does: those that do not fit are dropped.
  mutating func keep(_ count: UInt64) {
    let kept = min(count, Self.kernelQueue - queued)
    queued += kept
    dropped += count - kept
    expect(kept == count || isGivenUp, "a client that answers in time misses \(count - kept)")
  }

  /// Takes reports from the stream, as its reader does.
  mutating func read(_ count: Int) { unread -= min(unread, count) }

  /// Reads all that the kernel has queued, and answers the count request if the stream has room
  /// afterwards.
  ///
  /// Without a count request, nothing is read.
  mutating func answer(sentByNow: UInt64) -> ControlMessage? {
    guard let question else { return nil }
    tally.note(Int(queued))
    unread = min(capacity, unread + Int(queued))
    queued = 0
    let room = min(ReportCredits.window, UInt64(capacity - unread))
    guard room > 0 else { return nil }
    _ = tally.settle(question, sent: sentByNow)
    expect(tally.lost <= dropped, "\(tally.lost) lost, and \(dropped) dropped")
    self.question = nil
    limit = question.sent + room
    isGivenUp = false
    return .taken(question.sent, room: UInt32(room), lost: tally.lost)
  }

  func checkLosses() {
    guard question == nil, queued == 0, tally.isBaseExact else { return }
    expect(tally.lost == dropped, "\(tally.lost) lost, and \(dropped) dropped")
  }
}

// MARK: A hostile device

/// Checks that a client's losses add up, whatever number of reports a device claims to have sent.
private func checkTally(_ steps: FuzzSteps) {
  var steps = steps
  var tally = ReportTally()
  var isFirst = true
  while let code = steps.next() {
    let number = steps.number()
    let sent: UInt64? = code & 1 == 0 ? nil : steps.number()
    tally.note(Int(code >> 4))
    var rounds = 1
    if isFirst, code >= 0xf0 {
      // As many count requests as a device can send to a client within a second. Only few inputs do
      // this, since it is slow.
      rounds = 40_000
    }
    isFirst = false
    for _ in 0..<rounds {
      let before = tally.lost
      var missed = tally.settle(.init(sent: number, isFirst: code & 2 == 0), sent: sent)
      missed += tally.settle(.init(sent: number &+ (sent ?? 1 << 47), isFirst: false), sent: sent)
      if let sent, code & 4 != 0 { missed += tally.settle(sent: sent) }
      expect(missed >= 0 && tally.lost == before + UInt64(missed), "\(missed) more are lost")
      expect(Int(exactly: tally.lost) != nil, "\(tally.lost) are lost")
    }
  }
}
