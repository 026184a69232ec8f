// SPDX-License-Identifier: Apache-2.0

import Glibc
import HIDReportDescriptor
@testable import HIDBus
import SystemPackage
import Testing

extension ConformanceTests {
  /// Slow clients for which the device does not wait: on the kernel's bus, and on the loopback bus
  /// with the kernel's fidelity.
  @Suite(.serialized) struct SlowClient {
    /// Returns a report of eight bytes that begins with a number.
    private func report(_ number: UInt8) -> [UInt8] { [number, 0, 0, 0, 0, 0, 0, 0] }

    private func send(_ numbers: Range<UInt8>, to rig: Rig) async throws {
      var batch = HIDReportBatch()
      for number in numbers { batch.append(report(number)) }
      try await rig.deliver(batch)
    }

    private func withSlowDevice(
      _ bus: BusUnderTest, _ body: (Rig) async throws -> Void
    ) async throws {
      let handler = RecordingHandler(onGet: { _, _ in .yes([1, 2, 3, 4, 5, 6, 7, 8]) })
      try await withDevice(
        bus, TestDescriptor.plain, fidelity: .kernel, handler: handler, body)
    }

    @Test(
      "a client that does not read gets the first 63 of 200 reports, and then new ones",
      arguments: BusUnderTest.all)
    func oldest(_ bus: BusUnderTest) async throws {
      try await withSlowDevice(bus) { rig in
        let client = try await SlowReader(rig)
        try await send(0..<200, to: rig)
        #expect(try await client.read(63) == Array(0..<63))
        try await send(250..<251, to: rig)
        #expect(try await client.read(1) == [250])
        #expect(await rig.port.lostReports == (bus.usesKernel ? 0 : 137))
      }
    }

    @Test("each report that a client reads makes room for one more", arguments: BusUnderTest.all)
    func pace(_ bus: BusUnderTest) async throws {
      try await withSlowDevice(bus) { rig in
        let client = try await SlowReader(rig)
        try await send(0..<100, to: rig)
        #expect(try await client.read(10) == Array(0..<10))
        try await send(100..<120, to: rig)
        #expect(try await client.read(1) == [10])
        try await send(120..<130, to: rig)
        #expect(try await client.read(63) == Array(11..<63) + Array(100..<110) + [120])
        try await send(250..<251, to: rig)
        #expect(try await client.read(1) == [250])
        #expect(await rig.port.lostReports == (bus.usesKernel ? 0 : 37 + 10 + 9))
      }
    }

    @Test(
      "a client that does not read causes no losses for other clients", arguments: BusUnderTest.all)
    func others(_ bus: BusUnderTest) async throws {
      try await withSlowDevice(bus) { rig in
        let slow = try await SlowReader(rig)
        let quick = try await SlowReader(rig)
        for round in 0..<4 as Range<UInt8> {
          let numbers = round * 50..<(round + 1) * 50
          try await send(numbers, to: rig)
          #expect(try await quick.read(50) == Array(numbers))
        }
        #expect(try await slow.read(63) == Array(0..<63))
      }
    }

    @Test("a device does not wait for clients that do not read", arguments: BusUnderTest.all)
    func room(_ bus: BusUnderTest) async throws {
      try await withSlowDevice(bus) { rig in
        let client = try await SlowReader(rig)
        var batch = HIDReportBatch()
        // The host takes one report in a millisecond of the USB bus, and at once on the others.
        for _ in 0..<(bus == .usb ? 1_000 : 50_000) { batch.append(report(7)) }
        if bus == .usb {
          try await rig.deliver(batch)
        } else {
          #expect(try await rig.port.sendInput(batch, from: 0) == batch.count)
        }
        #expect(!rig.port.waitsForClients)
        #expect(try await client.read(63).count == 63)
      }
    }
  }
}

/// A client whose bus keeps the reports until the client reads them.
///
/// On the kernel's bus it reads the node itself, since hidsim's client reads ahead.
private final class SlowReader: Sendable {
  private enum Source: Sendable {
    case node(Node)
    case port(any HIDClientPort, HIDReportStream)
  }

  private final class Node: Sendable {
    let descriptor: HIDRawDescriptor
    init(path: String) throws { descriptor = try HIDRawDescriptor(path: path) }
  }

  private let source: Source

  init(_ rig: Rig) async throws {
    switch rig.record.bus {
    case .kernel, .usb: source = .node(try Node(path: rig.record.address))
    case .loopback:
      let port = try await rig.client()
      source = .port(port, port.reports(capacity: 1024, policy: .lossless))
    }
  }

  /// Reads up to `count` reports, and returns the first byte of each.
  func read(_ count: Int) async throws -> [UInt8] {
    switch source {
    case .node(let node):
      var numbers: [UInt8] = []
      var report = [UInt8](repeating: 0, count: 64)
      while numbers.count < count {
        guard Glibc.read(node.descriptor.pollDescriptor.rawValue, &report, 64) == 8 else { break }
        numbers.append(report[0])
      }
      return numbers
    case .port(let port, let stream):
      let numbers = await take(count, from: stream).map { $0[0] }
      // The messages of a client arrive in order. So with this answer, the device knows which
      // reports were read.
      _ = try await port.getReport(.feature, nil, timeout: nil)
      return numbers
    }
  }
}
