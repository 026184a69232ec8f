// SPDX-License-Identifier: Apache-2.0

import IOLoop
import Testing

@testable import HIDBus

@Suite("Interrupt endpoints of a USB device") struct USBInputEndpointTests {
  private func at(_ milliseconds: UInt64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("a transfer is held until there is a report, and a report until there is a transfer")
  func held() {
    let endpoint = Box(USBInputEndpoint(packetByteCount: 8, period: .milliseconds(10)))
    #expect(endpoint.hold(1, length: 8))
    #expect(endpoint.complete(at: at(100)) == nil)
    #expect(endpoint.due == nil)
    #expect(endpoint.add([1, 2]))
    #expect(endpoint.complete(at: at(100)) == Completion(sequence: 1, data: [1, 2]))
    #expect(endpoint.add([3]))
    #expect(endpoint.complete(at: at(200)) == nil)
    #expect(endpoint.hold(2, length: 8))
    #expect(endpoint.complete(at: at(200)) == Completion(sequence: 2, data: [3]))
  }

  @Test("a report counts as received when the host asks again after its last packet")
  func received() {
    let endpoint = Box(USBInputEndpoint(packetByteCount: 8, period: .milliseconds(1)))
    #expect(endpoint.add([UInt8](0..<12)))
    #expect(endpoint.hold(1, length: 8))
    #expect(endpoint.complete(at: at(1))?.data.count == 8)
    #expect(endpoint.hold(2, length: 8))
    #expect(endpoint.takeReceivedCount() == 0)
    #expect(endpoint.complete(at: at(2))?.data.count == 4)
    #expect(endpoint.value.waitingCount == 0)
    #expect(endpoint.value.pendingCount == 1)
    #expect(endpoint.hold(3, length: 8))
    #expect(endpoint.value.pendingCount == 0)
    #expect(endpoint.takeReceivedCount() == 1)
    #expect(endpoint.takeReceivedCount() == 0)
  }

  @Test("a host that takes no reports for a second loses the newest, and they are counted")
  func losses() {
    let endpoint = Box(USBInputEndpoint(packetByteCount: 8, period: .milliseconds(1)))
    for _ in 0..<USBInputEndpoint.capacity { #expect(endpoint.add([1], at: at(5_000))) }
    #expect(!endpoint.add([2], at: at(5_999)))
    #expect(endpoint.value.lossTime == at(6_000))
    #expect(endpoint.add([2], at: at(6_000)))
    #expect(endpoint.value.lostCount == 1)
    #expect(endpoint.hold(1, length: 8))
    #expect(endpoint.complete(at: at(6_500))?.data == [1])
    #expect(endpoint.add([3], at: at(6_500)))
    #expect(!endpoint.add([4], at: at(7_000)))
    #expect(endpoint.value.lostCount == 1)
  }

  @Test("reports are a period apart, and a late one does not make the next ones late")
  func paced() {
    let endpoint = Box(USBInputEndpoint(packetByteCount: 8, period: .milliseconds(10)))
    for number in 0..<4 as Range<UInt8> {
      #expect(endpoint.hold(UInt32(number), length: 8))
      #expect(endpoint.add([number]))
    }
    #expect(endpoint.complete(at: at(100))?.sequence == 0)
    #expect(endpoint.due == at(110))
    #expect(endpoint.complete(at: at(109)) == nil)
    #expect(endpoint.complete(at: at(113))?.sequence == 1)
    #expect(endpoint.due == at(120))
    #expect(endpoint.complete(at: at(150))?.sequence == 2)
    #expect(endpoint.due == at(160))
  }

  @Test("a report of three packets takes three periods, and goes on in the next transfer")
  func long() {
    let endpoint = Box(USBInputEndpoint(packetByteCount: 8, period: .milliseconds(1)))
    let report = [UInt8](0..<20)
    #expect(endpoint.add(report))
    #expect(endpoint.hold(1, length: 64))
    #expect(endpoint.complete(at: at(5))?.data == report)
    #expect(endpoint.add(report) && endpoint.hold(2, length: 16) && endpoint.hold(3, length: 16))
    #expect(endpoint.due == at(8))
    #expect(endpoint.complete(at: at(8))?.data == Array(report[..<16]))
    #expect(endpoint.complete(at: at(10))?.data == Array(report[16...]))
  }

  @Test("reports of different lengths come in order, however many wait at a time")
  func order() {
    let endpoint = Box(USBInputEndpoint(packetByteCount: 64, period: .microseconds(125)))
    var sent = 0
    var received = 0
    func report(_ number: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(number & 0xFF), count: number * 7 % 50)
    }
    for round in 0..<200 {
      for _ in 0..<1 + round * 5 % 9 where endpoint.add(report(sent)) { sent += 1 }
      for _ in 0..<1 + round * 3 % 7 where received < sent {
        #expect(endpoint.hold(UInt32(received), length: 64))
        #expect(
          endpoint.complete(at: at(UInt64(received)))
            == Completion(sequence: UInt32(received), data: report(received)))
        received += 1
      }
      #expect(endpoint.value.waitingCount == sent - received)
    }
    #expect(received > 600)
  }

  @Test("a transfer that is withdrawn gets no report, and both queues are bounded")
  func withdrawn() {
    let endpoint = Box(USBInputEndpoint(packetByteCount: 8, period: .milliseconds(1)))
    #expect(endpoint.hold(1, length: 8) && endpoint.hold(2, length: 8))
    #expect(endpoint.withdraw(1))
    #expect(!endpoint.withdraw(1))
    #expect(endpoint.add([7]))
    #expect(endpoint.complete(at: at(1))?.sequence == 2)
    #expect(!endpoint.withdraw(2))
    for number in 0..<USBInputEndpoint.capacity { #expect(endpoint.add([UInt8(number)])) }
    #expect(!endpoint.hasRoom && !endpoint.add([0]))
    endpoint.clear()
    for number in 0..<USBInputEndpoint.longestQueue {
      #expect(endpoint.hold(UInt32(number), length: 8))
    }
    #expect(!endpoint.hold(0, length: 8))
    #expect(endpoint.withdrawAll().count == USBInputEndpoint.longestQueue)
  }
}

/// A transfer that has data for the host.
private struct Completion: Equatable {
  let sequence: UInt32
  let data: [UInt8]
}

extension Box<USBInputEndpoint> {
  fileprivate func hold(_ sequence: UInt32, length: Int) -> Bool {
    value.hold(sequence, length: length)
  }
  fileprivate func withdraw(_ sequence: UInt32) -> Bool { value.withdraw(sequence) }
  fileprivate func withdrawAll() -> [UInt32] { value.withdrawAll() }
  fileprivate func add(_ report: [UInt8], at now: MonotonicTime = .init(nanoseconds: 0)) -> Bool {
    value.add(report.span, at: now)
  }
  fileprivate func takeReceivedCount() -> Int { value.takeReceivedCount() }
  fileprivate func clear() { value.clear() }
  fileprivate func complete(at now: MonotonicTime) -> Completion? {
    var replies = USBIPReplies()
    guard value.complete(at: now, to: &replies) else { return nil }
    guard case .submit(let sequence, 0, let count, let data)? = replies.take().first,
      count == data.count
    else {
      Issue.record("not the end of a transfer")
      return nil
    }
    return Completion(sequence: sequence, data: data)
  }
  fileprivate var due: MonotonicTime? { value.due }
  fileprivate var hasRoom: Bool { value.hasRoom }
}
