// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A reader of the packets of a pcap file.
///
/// Source: draft-ietf-opsawg-pcap.
struct PcapReader: Sendable {
  private static let headerByteCount = 24
  private static let recordByteCount = 16

  private var window: CaptureWindow
  private var offset = PcapReader.headerByteCount
  private var number = 0
  private let isBigEndian: Bool
  private let isNanoseconds: Bool
  private let link: CaptureLink

  init(_ source: HIDTraceSource, _ start: [UInt8]) throws(HIDTraceError) {
    guard case .pcap(let isBigEndian, let isNanoseconds) = CaptureContainer(start),
      start.count >= Self.headerByteCount
    else {
      throw HIDTraceError(
        source.problem(
          "the file ends after \(start.count) of the \(Self.headerByteCount) bytes of its header"))
    }
    let header = CaptureBytes(start[...], isBigEndian: isBigEndian)
    guard header.half(at: 4) == 2 else {
      throw HIDTraceError(
        source.problem(
          "the file has version \(header.half(at: 4)) of pcap; hidsim reads only version 2"))
    }
    // The upper bits say whether frames end in a checksum. USB packets never have one.
    link = CaptureLink(number: header.word(at: 20) & 0x03FF_FFFF)
    guard link.isRead else {
      throw HIDTraceError(source.problem(link.refusal.message, help: link.refusal.help))
    }
    self.isBigEndian = isBigEndian
    self.isNanoseconds = isNanoseconds
    window = CaptureWindow(source)
  }

  mutating func next(_ warnings: inout TraceWarnings) throws(HIDTraceError) -> CapturePacket? {
    let head = CaptureBytes(
      try window.bytes(at: offset, count: Self.recordByteCount), isBigEndian: isBigEndian)
    guard head.count > 0 else { return nil }
    number += 1
    guard head.count == Self.recordByteCount else { return cutOff(&warnings) }
    let count = Int(head.word(at: 8))
    guard count <= CapturePacket.maximumByteCount else {
      throw HIDTraceError(window.source.tooLong(packet: number, count))
    }
    let first = offset + Self.recordByteCount
    let bytes = try window.bytes(at: first, count: min(count, CapturePacket.keptByteCount))
    guard try window.source.reaches(first, count, kept: bytes.count) else {
      return cutOff(&warnings)
    }
    offset = first + count
    let fraction = Int64(head.word(at: 4))
    return CapturePacket(
      number: number,
      microseconds: Int64(head.word(at: 0)) * 1_000_000
        + (isNanoseconds ? fraction / 1000 : fraction),
      link: link, bytes: CaptureBytes(bytes, isBigEndian: isBigEndian))
  }

  private func cutOff(_ warnings: inout TraceWarnings) -> CapturePacket? {
    warnings.add(window.source.cutOff(packet: number))
    return nil
  }
}

extension HIDTraceSource {
  /// Returns whether the file reaches to the end of a packet whose first bytes were read.
  func reaches(_ offset: Int, _ count: Int, kept: Int) throws(HIDTraceError) -> Bool {
    guard count > CapturePacket.keptByteCount else { return kept == count }
    return try !bytes(at: offset + count - 1, count: 1).isEmpty
  }

  func cutOff(packet: Int) -> HIDTextProblem {
    problem(packet: packet, "is cut off by the end of the file; the packets before it are used")
  }

  func tooLong(packet: Int, _ count: Int) -> HIDTextProblem {
    problem(
      packet: packet,
      "has the length \(count) in its header, and the limit is "
        + "\(CapturePacket.maximumByteCount) bytes: the file is damaged")
  }
}
