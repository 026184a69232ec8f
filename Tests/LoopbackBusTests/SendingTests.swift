// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import Testing

@testable import HIDBus

@Suite("Reports that are sent without a wait", .timeLimit(.minutes(1)))
struct SendingTests {
  /// Sends reports of 8 bytes, one a call, in one job of the loop.
  private func sendEach(
    _ count: Int, _ device: isolated LoopbackDevice
  ) throws {
    for index in 0..<count {
      #expect(
        try device.sendInputSoon(
          HIDReportBatch([UInt8](repeating: UInt8(index), count: 8)), in: 0..<1)
          == 1)
    }
  }

  private func sendEachAndUnplug(_ count: Int, _ device: isolated LoopbackDevice) async throws {
    try sendEach(count, device)
    await device.destroy()
  }

  /// Returns the first byte of each report of a datagram.
  private func numbers(_ datagram: [UInt8]?) -> [UInt8]? {
    datagram.map { bytes in stride(from: 3, to: bytes.count, by: 10).map { bytes[$0] } }
  }

  @Test("the first report of a job is sent at once, and the others share a datagram after the job")
  func sharing() async throws {
    try await withDevice { folder, port, record, _ in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      let device = try #require(port as? LoopbackDevice)
      for _ in 0..<3 {
        try await sendEach(6, device)
        #expect(numbers(await peer.receive()) == [0])
        #expect(numbers(await peer.receive()) == [1, 2, 3, 4, 5])
      }
    }
  }

  @Test("the reports of a job that then unplugs the device are delivered")
  func lastReports() async throws {
    try await withDevice { folder, port, record, _ in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      let device = try #require(port as? LoopbackDevice)
      try await sendEachAndUnplug(4, device)
      #expect(numbers(await peer.receive()) == [0])
      #expect(numbers(await peer.receive()) == [1, 2, 3])
      #expect(await peer.receive() == nil)
      #expect(await port.lostReports == 0)
    }
  }

  @Test("a report of another device, or one that is sent at once, follows the postponed ones")
  func order() async throws {
    try await withDevice { folder, port, record, _ in
      let peer = try Peer(to: record, in: folder)
      #expect(await peer.open())
      let device = try #require(port as? LoopbackDevice)
      let second = try await folder.bus.plug(plain(), handler: Echo())
      let other = try #require(second as? LoopbackDevice)
      try await sendInTurn(device, other, peer)
      await second.destroy()
    }
  }

  /// Sends reports of two devices, also at once, and checks after each step what the client of the
  /// first one has.
  private func sendInTurn(
    _ device: isolated LoopbackDevice, _ other: LoopbackDevice, _ peer: Peer
  ) throws {
    try sendEach(3, device)
    #expect(numbers(peer.receiveNow()) == [0])
    #expect(peer.receiveNow() == nil)
    try other.assumeIsolated { try sendEach(1, $0) }
    #expect(numbers(peer.receiveNow()) == [1, 2])
    try sendEach(2, device)
    #expect(peer.receiveNow() == nil)
    #expect(try device.sendInput([UInt8](repeating: 9, count: 8).span))
    #expect(numbers(peer.receiveNow()) == [0, 1, 9])
  }

  @Test("a client that counts has lost none of the reports of a job")
  func counts() async throws {
    let folder = try Folder()
    let bus = LoopbackBus(directory: folder.directory, fidelity: .kernel)
    let port = try await bus.plug(plain(), handler: Echo())
    let client = try await bus.open(port.ready(within: .seconds(1)))
    let stream = client.reports(capacity: 1024, policy: .lossless)
    let device = try #require(port as? LoopbackDevice)
    var reader = stream.makeAsyncIterator()
    try await sendEach(40, device)
    for number in 0..<40 as Range<UInt8> {
      #expect(await reader.next()?.bytes.first == number)
      #expect(stream.lost == 0)
    }
    await port.destroy()
  }
}
