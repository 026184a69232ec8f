// SPDX-License-Identifier: Apache-2.0

import HIDReportDescriptor
import HIDText
import Testing

@testable import HIDTraces

@Suite("Writing captures of USB packets")
struct CaptureWriterTests {
  /// The time of all packets: 2023-11-14 22:13:20.000002 UTC.
  private static let time: Int64 = 1_700_000_000_000_002

  private func packet(
    isEnd: Bool, endpoint: UInt8 = 0x80, kind: UInt8 = 2, setup: [UInt8]? = nil,
    status: Int32 = 0, byteCount: Int, data: [UInt8] = [], interval: UInt32 = 0
  ) -> UsbmonPacket {
    UsbmonPacket(
      isEnd: isEnd, id: 0x0102, microseconds: Self.time, bus: 3, device: 5, endpoint: endpoint,
      kind: kind, setup: setup, status: status, byteCount: byteCount, data: data,
      interval: interval, flags: 0x200)
  }

  private func written(_ packet: UsbmonPacket) -> [UInt8] {
    var bytes: [UInt8] = []
    CaptureWriter().write(packet, into: &bytes)
    return bytes
  }

  /// The start of the block of a packet of 64 bytes and data.
  private func block(_ byteCount: UInt8, dataCount: UInt8) -> [UInt8] {
    // The interface, and the time: 1,700,000,000,000,002 is 0x00060a_24_181e_4002.
    [6, 0, 0, 0, byteCount, 0, 0, 0, 0, 0, 0, 0]
      + [0x24, 0x0A, 0x06, 0x00, 0x02, 0x40, 0x1E, 0x18]
      + [64 + dataCount, 0, 0, 0, 64 + dataCount, 0, 0, 0]
  }

  @Test("A capture begins with a section, and an interface of link type 220")
  func beginning() {
    var bytes: [UInt8] = []
    CaptureWriter().begin(into: &bytes)
    #expect(
      bytes == [
        0x0A, 0x0D, 0x0D, 0x0A, 44, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        4, 0, 6, 0, 0x68, 0x69, 0x64, 0x73, 0x69, 0x6D, 0, 0, 0, 0, 0, 0, 44, 0, 0, 0,
        1, 0, 0, 0, 20, 0, 0, 0, 220, 0, 0, 0, 0, 0, 4, 0, 20, 0, 0, 0,
      ])
  }

  @Test("The beginning of a control transfer has the request, and no data for the host")
  func submission() {
    let bytes = written(
      packet(
        isEnd: false, setup: [0x80, 6, 0, 1, 0, 0, 18, 0], status: -115, byteCount: 18))
    #expect(
      bytes == block(96, dataCount: 0) + [
        2, 1, 0, 0, 0, 0, 0, 0, 0x53, 2, 0x80, 5, 3, 0, 0, 0x3C,
        0, 0xF1, 0x53, 0x65, 0, 0, 0, 0, 2, 0, 0, 0, 0x8D, 0xFF, 0xFF, 0xFF,
        18, 0, 0, 0, 0, 0, 0, 0, 0x80, 6, 0, 1, 0, 0, 18, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 96, 0, 0, 0,
      ])
  }

  @Test("The end of a transfer has the data of the device, filled up to four bytes")
  func completion() {
    let bytes = written(
      packet(isEnd: true, endpoint: 0x81, kind: 1, byteCount: 3, data: [7, 8, 9], interval: 4))
    #expect(
      bytes == block(100, dataCount: 3) + [
        2, 1, 0, 0, 0, 0, 0, 0, 0x43, 1, 0x81, 5, 3, 0, 0x2D, 0,
        0, 0xF1, 0x53, 0x65, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
        3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        4, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 7, 8, 9, 0, 100, 0, 0, 0,
      ])
  }

  @Test("A transfer to the device has its data at the beginning, and none at the end")
  func output() {
    let begin = written(
      packet(isEnd: false, endpoint: 0x01, kind: 1, status: -115, byteCount: 1, data: [5]))
    let end = written(packet(isEnd: true, endpoint: 0x01, kind: 1, byteCount: 1))
    #expect(begin[28 + 15] == 0 && begin[28 + 64] == 5)
    #expect(end[28 + 15] == UInt8(ascii: ">") && end[28 + 32] == 1 && end[28 + 36] == 0)
  }

  @Test("What was written is read: the device, its reports and the lost packets")
  func roundTrip() throws {
    let descriptor = Array(repeating: 0x06 as UInt8, count: 3)
    var bytes: [UInt8] = []
    let writer = CaptureWriter()
    writer.begin(into: &bytes)
    writer.write(
      packet(
        isEnd: false, endpoint: 0x80, setup: [0x81, 6, 0, 0x22, 0, 0, 3, 0], byteCount: 3),
      into: &bytes)
    writer.write(packet(isEnd: true, byteCount: 3, data: descriptor), into: &bytes)
    writer.write(
      packet(isEnd: true, endpoint: 0x81, kind: 1, byteCount: 2, data: [1, 2]), into: &bytes)
    let whole = bytes.count
    writer.end(received: 5, lost: 2, microseconds: Self.time, into: &bytes)
    let trace = try HIDTrace(bytes, name: "a.pcapng")
    #expect(trace.devices.map(\.descriptor) == [descriptor])
    #expect(trace.events.map(\.kind) == [.input(HIDReportBytes([1, 2]))])
    #expect(trace.warnings.map(\.message).contains { $0.contains("lost 2 packets") })
    // A file that ends in a block is read up to the block before.
    let cut = try HIDTrace(Array(bytes[..<(whole - 3)]), name: "a.pcapng")
    #expect(cut.devices.count == 1 && cut.events.isEmpty)
  }
}
