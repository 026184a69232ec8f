// SPDX-License-Identifier: Apache-2.0
import HIDReportDescriptor
import HIDTraces
import HIDUsages
import TestSupport
import Testing

@Suite("Random and changed captures of USB packets")
struct CaptureMutationTests {
  /// Returns whether a capture can be read to its end; any bytes are read or refused.
  static func read(_ bytes: [UInt8]) -> Bool {
    do throws(HIDTraceError) {
      var reader = try HIDTraceReader(
        HIDTraceSource(name: "usb", bytes: bytes), options: HIDTraceReadingOptions(format: .usb))
      let devices = reader.devices.count
      while let event = try reader.next() {
        #expect((0..<devices).contains(event.device))
      }
      return try reader.next() == nil
    } catch {
      #expect((1...20).contains(error.problems.count))
      return false
    }
  }

  @Test(
    "Some captures with changed bytes are read, and the others are refused",
    arguments: CaptureTraceTests.Wrapping.all)
  func mutations(_ wrapping: CaptureTraceTests.Wrapping) {
    let capture = CaptureTraceTests.session(wrapping.builder).bytes
    var random = SplitMix64(seed: 0x5EED_0189)
    var (read, refused) = (0, 0)
    for _ in 0..<120 {
      if Self.read(mutated(capture, using: &random)) { read += 1 } else { refused += 1 }
    }
    #expect(read > 0)
    #expect(refused > 0)
  }

  @Test(
    "Packets in any order, repeated, or with changed bytes are read or refused",
    arguments: CaptureBuilder.Link.allCases)
  func shuffles(_ link: CaptureBuilder.Link) {
    let session = CaptureTraceTests.session(CaptureBuilder(.pcap, link))
    let records = (0..<session.count).map { session.record($0) }
    var random = SplitMix64(seed: 0x5EED_0220)
    for _ in 0..<300 {
      var builder = session
      var bytes = builder.header
      for _ in 0..<60 {
        let place = Int.random(in: 0..<builder.count, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
          builder.packets[place] = mutated(session.packets[place], using: &random)
          bytes += builder.record(place)
        } else {
          bytes += records[place]
        }
      }
      _ = Self.read(bytes)
    }
  }

  @Test(
    "Any bytes behind a valid magic number are read or refused",
    arguments: CaptureTraceTests.Wrapping.all)
  func noise(_ wrapping: CaptureTraceTests.Wrapping) {
    let builder = wrapping.builder
    var random = SplitMix64(seed: 0x5EED_0249)
    for round in 0..<60 {
      let noise = (0..<Int.random(in: 0...400, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      var packets = builder
      for start in stride(from: 0, to: noise.count - 100, by: 50) {
        packets.packet(
          "C", .control, endpoint: 0x80, request: 1, data: Array(noise[start..<start + 100]))
      }
      let bytes = round.isMultiple(of: 2) ? builder.header + noise : packets.bytes
      _ = Self.read(bytes)
    }
  }

  @Test("Stamps and resolutions of any size are read")
  func stamps() throws {
    var builder = CaptureBuilder()
    builder.reportDescriptors(.keyboard)
    builder.input(0x81, [1])
    let packets = (0..<builder.count - 1).flatMap { builder.record($0) }
    var last = builder.record(builder.count - 1)
    for resolution in UInt8.min...UInt8.max {
      builder.resolution = resolution
      for time in [UInt64(0), 1, 1 << 31, .max] {
        let ticks = builder.number(time >> 32, 4) + builder.number(time & 0xFFFF_FFFF, 4)
        last.replaceSubrange(12..<20, with: ticks)
        #expect(Self.read(builder.header + packets + last), "\(resolution) \(time)")
      }
    }
  }

  @Test("Interfaces whose clocks are as far apart as possible are read")
  func clocks() throws {
    var builder = CaptureBuilder()
    builder.reportDescriptors(.keyboard)
    builder.input(0x81, [1])
    builder.secondsOffset = .min
    var late = builder
    late.secondsOffset = .max
    for bytes in [builder.bytes + late.bytes, late.bytes + builder.bytes] {
      #expect(Self.read(bytes))
    }
    // The time is before the first time that stamps can have, so a request without an end took no
    // time.
    var early = builder
    early.control([0xA1, 1, 0, 3, 0, 0, 1, 0], status: nil)
    early.secondsOffset = -4_000_000_000
    let get = HIDTraceGet(type: .feature, id: nil, answer: .none)
    #expect(try HIDTrace(early.bytes, name: "usb").events.last?.kind == .getReport(get))
    late.secondsOffset = 100
    builder.secondsOffset = -50
    let trace = try HIDTrace(builder.bytes + late.bytes, name: "usb")
    #expect(trace.events.map(\.microseconds) == [1400, 150_001_400])
  }
}
