// SPDX-License-Identifier: Apache-2.0

import Foundation
import HIDBus
import HIDSimulator
import IOLoop
import InputStick
import Synchronization
import Testing

@Suite("the simulated InputStick on the loopback bus, in virtual time", .timeLimit(.minutes(1)))
struct SimulatedStickTests {
  /// A stick that is plugged into a bus of its own.
  private final class Bench: Sendable {
    let stick: SimulatedStick
    let log: HIDEventLog
    /// The devices of the stick's bus.
    let catalog: HIDDeviceCatalog
    let base: MonotonicTime
    let sent = Mutex<[StickPacket]>([])
    private let reader = Mutex(StickFrameReader(of: .stick))

    init(_ firmware: Int, in folder: URL) throws {
      let timeline = Timeline.virtual()
      log = HIDEventLog(timeline: timeline)
      base = timeline.now
      catalog = HIDBus(loopbackIn: try BusDirectory(path: folder.path)).clients
      stick = try .onLoopback(firmware: firmware, log: log, in: folder)
    }

    func take(_ bytes: [UInt8]) {
      let events = reader.withLock { $0.take(bytes) }
      for case .frame(let frame) in events {
        guard let packet = try? StickPacket(payload: frame.payload.span) else { continue }
        sent.withLock { $0.append(packet) }
      }
    }

    func receive(_ command: UInt8, _ parameter: UInt8 = 0, _ data: [UInt8] = []) async {
      await stick.receive(clientPacket(command, parameter, data), in: 1)
    }

    /// The number of times that an interface of the device was plugged.
    var plugCount: Int {
      var index = 0
      return log.read(from: &index).events.count { event in
        if case .plugged = event.kind { true } else { false }
      }
    }

    /// The input reports of the device, with their times in milliseconds.
    var inputs: [(milliseconds: Double, device: String, bytes: [UInt8])] {
      var index = 0
      return log.read(from: &index).events.compactMap { event in
        guard case .input(let report) = event.kind else { return nil }
        return (
          Double(event.time.microseconds(since: base)) / 1000, event.device, report.bytes
        )
      }
    }
  }

  /// Runs a test with a plugged stick, and unplugs it.
  private func plugged(
    _ firmware: Int, _ body: (Bench) async throws -> Void
  ) async throws {
    let folder = try SimulatedStick.makeBusFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let bench = try Bench(firmware, in: folder)
    try await bench.stick.plug()
    let session = await bench.stick.connect(.init(send: { [bench] in bench.take($0) }))
    #expect(session == 1)
    bench.log.timeline.beginWork()
    bench.log.timeline.start()
    let result: Result<Void, any Error>
    do {
      try await body(bench)
      result = .success(())
    } catch { result = .failure(error) }
    bench.log.timeline.endWork()
    bench.log.timeline.stop()
    await bench.stick.unplug()
    try result.get()
  }

  @Test("each interface sends its reports at the host's polls, 4 ms apart")
  func polls() async throws {
    try await plugged(110) { bench in
      await bench.receive(0x04)
      await bench.receive(0x2C, 3, [0, 4, 0, 5, 0, 0])
      await bench.receive(0x23, 1, [1, 10, 0xF6, 0])
      try await bench.log.timeline.sleep(for: .milliseconds(50))
      let inputs = bench.inputs
      let keys = inputs.filter { $0.device.hasSuffix("keyboard") }
      #expect(keys.map { $0.bytes[2] } == [4, 5, 0])
      #expect(keys.map(\.milliseconds) == [4, 8, 12])
      let moves = inputs.filter { $0.device.hasSuffix("mouse") }
      #expect(moves.map(\.bytes) == [[1, 10, 0xF6, 0]])
      #expect(moves.map(\.milliseconds) == [4])
    }
  }

  @Test("the stick sends a status at each interval, with the count of reports that the host took")
  func statuses() async throws {
    try await plugged(110) { bench in
      await bench.receive(0x04)
      await bench.receive(0x31, 4)
      await bench.receive(0x2C, 3, [0, 4, 0, 5, 0, 0])
      try await bench.log.timeline.sleep(for: .milliseconds(1_250))
      let statuses = bench.sent.withLock { $0 }.filter { $0.command == 0x2F }
      #expect(statuses.map { $0.data[6] } == [3, 0, 0], "at 400, 800 and 1200 ms")
      #expect(statuses.allSatisfy { $0.parameter == 5 })
    }
  }

  @Test("reports wait while USB power is off, and are sent when it is on again")
  func power() async throws {
    try await plugged(110) { bench in
      await bench.receive(0x04)
      await bench.receive(0x1A, 0)
      await bench.receive(0x2C, 1, [0, 4])
      try await bench.log.timeline.sleep(for: .milliseconds(350))
      #expect(bench.inputs.isEmpty)
      let status = bench.sent.withLock { $0 }.last { $0.command == 0x2F }
      #expect(status?.parameter == 0)
      await bench.receive(0x1A, 1)
      try await bench.log.timeline.sleep(for: .milliseconds(350))
      #expect(bench.inputs.map { $0.bytes[2] } == [4])
      #expect(bench.sent.withLock { $0 }.last { $0.command == 0x2F }?.parameter == 5)
    }
  }

  @Test("a stick that is unplugged during a reattachment stays unplugged")
  func unpluggedWhileDetached() async throws {
    try await plugged(110) { bench in
      let count = bench.plugCount
      await bench.receive(0x04)
      await bench.receive(0x1A, 2)
      await bench.stick.unplug()
      try await bench.log.timeline.sleep(for: .seconds(5))
      #expect(bench.plugCount == count)
    }
  }

  @Test(
    "a stick that is stopped during a reattachment or a reset does not plug its device again",
    arguments: [true, false])
  func stoppedWhileDetached(isReset: Bool) async throws {
    try await plugged(110) { bench in
      let count = bench.plugCount
      await bench.receive(0x04)
      if isReset {
        await bench.stick.perform(.reset)
      } else {
        await bench.receive(0x1A, 2)
      }
      await bench.stick.stop()
      try await bench.log.timeline.sleep(for: .seconds(5))
      #expect(bench.plugCount == count)
    }
  }

  @Test("a restart of the link does not disconnect a client that connected after the command")
  func restartedLink() async throws {
    try await plugged(110) { bench in
      await bench.receive(0x04)
      await bench.receive(0x18, 4, Array("1234".utf8))
      await bench.stick.disconnect(because: "the test ended it")
      let session = await bench.stick.connect(.init(send: { [bench] in bench.take($0) }))
      #expect(session == 2)
      try await bench.log.timeline.sleep(for: .milliseconds(1500))
      let count = bench.sent.withLock { $0.count }
      await bench.stick.receive(clientPacket(0x10), in: 2)
      #expect(bench.sent.withLock { $0.count } == count + 1)
    }
  }

  @Test("a stick that is stopped and started again does not repeat the host's reports")
  func startedAgain() async throws {
    try await plugged(110) { bench in
      // The report descriptor of the raw interface begins with its usage page.
      let devices = try await bench.catalog.devices()
      let raw = try #require(devices.first { $0.descriptorBytes.starts(with: [0x06, 0xAB, 0xFF]) })
      let port = try await bench.catalog.open(raw)
      func write(_ byte: UInt8) async throws {
        var next = bench.log.endIndex
        try await port.write([0, byte] + [UInt8](repeating: 0, count: 63))
        while !bench.log.read(from: &next).events.contains(where: { $0.kind.isOutput }) {
          guard await bench.log.wait(for: next) else { break }
        }
        // Virtual time does not pass before the stick has processed the report.
        try await bench.log.timeline.sleep(for: .milliseconds(10))
      }
      await bench.receive(0x04)
      try await write(7)
      await bench.stick.stop()
      let session = await bench.stick.connect(.init(send: { [bench] in bench.take($0) }))
      #expect(session == 2)
      await bench.stick.receive(clientPacket(0x04), in: 2)
      await bench.stick.start()
      try await write(9)
      let reports = bench.sent.withLock { $0 }.filter { $0.command == 0x27 }
      #expect(reports.map(\.parameter) == [7, 9])
    }
  }

  @Test("a restoration that is started a second time counts seconds at the same pace")
  func restoredTwice() async throws {
    try await plugged(110) { bench in
      await bench.receive(0x04)
      await bench.receive(0x15, 1)
      try await bench.log.timeline.sleep(for: .milliseconds(500))
      await bench.receive(0x15, 1)
      try await bench.log.timeline.sleep(for: .milliseconds(10_200))
      let status = bench.sent.withLock { $0 }.last { $0.command == 0x16 }
      #expect(status?.data[3] == 50, "10 of 60 seconds are over")
    }
  }

  @Test(
    "the text of each address is read as that address",
    arguments: ["unix:/tmp/a", "tcp:0", "pty", "/dev/pts/3", "pty:/tmp/terminal"])
  func addresses(_ text: String) throws {
    let address = try StickEndpoint(text)
    #expect("\(address)" == text)
  }

  @Test("waiting reports are sent to the host also after the client has disconnected")
  func disconnected() async throws {
    try await plugged(110) { bench in
      await bench.receive(0x04)
      await bench.receive(0x2C, 2, [0, 4, 0, 0])
      await bench.stick.disconnect(because: "the test ended it")
      try await bench.log.timeline.sleep(for: .milliseconds(500))
      #expect(bench.inputs.map { $0.bytes[2] } == [4, 0], "no key stays down")
      #expect(bench.sent.withLock { $0 }.allSatisfy { $0.command != 0x2F })
    }
  }
}

extension HIDDeviceEvent.Kind {
  fileprivate var isOutput: Bool {
    if case .output = self { true } else { false }
  }
}
