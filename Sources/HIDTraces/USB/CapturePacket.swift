// SPDX-License-Identifier: Apache-2.0

import HIDText

/// A packet as the file contains it.
struct CapturePacket {
  /// The number of bytes of a packet that are kept: more than any descriptor and any report needs.
  static let keptByteCount = 128 * 1024
  /// The longest packet, in bytes.
  ///
  /// This is the limit of Wireshark. A longer packet is a sign of a damaged file.
  static let maximumByteCount = 128 << 20

  /// The number of the packet in the file, from 1, as Wireshark counts.
  var number: Int
  /// The time in microseconds since the time from which the file counts: usually 1970.
  var microseconds: Int64
  var link: CaptureLink
  /// The bytes that were captured, up to ``keptByteCount``.
  var bytes: CaptureBytes
}

/// The format of the start of a packet: the link type of pcap.
///
/// Source: the list of link-layer header types at tcpdump.org.
struct CaptureLink: Hashable {
  static let usbmon = CaptureLink(number: 189)
  static let usbmonMapped = CaptureLink(number: 220)
  static let usbpcap = CaptureLink(number: 249)

  var number: UInt32

  /// True if hidsim reads packets of this type.
  var isRead: Bool { self == .usbmon || self == .usbmonMapped || self == .usbpcap }

  /// The name of the link type, if it is in `names`, and its number: `USB_LINUX (189)`.
  var title: String { Self.names[number].map { "\($0) (\(number))" } ?? "\(number)" }

  private static let names: [UInt32: String] = [
    0: "NULL", 1: "ETHERNET", 101: "RAW", 105: "IEEE802_11", 113: "LINUX_SLL",
    127: "IEEE802_11_RADIOTAP", 147: "USER0", 186: "USB_FREEBSD", 187: "BLUETOOTH_HCI_H4",
    189: "USB_LINUX", 201: "BLUETOOTH_HCI_H4_WITH_PHDR", 220: "USB_LINUX_MMAPPED", 249: "USBPCAP",
    251: "BLUETOOTH_LE_LL", 254: "BLUETOOTH_LINUX_MONITOR", 256: "BLUETOOTH_LE_LL_WITH_PHDR",
    266: "USB_DARWIN", 272: "NORDIC_BLE", 276: "LINUX_SLL2", 288: "USB_2_0",
    293: "USB_2_0_LOW_SPEED", 294: "USB_2_0_FULL_SPEED", 295: "USB_2_0_HIGH_SPEED",
  ]

  /// The message that packets of this type are not read, with a help text.
  var refusal: (message: String, help: String) {
    (
      "the capture has packets of link type \(title); hidsim reads only "
        + "\(Self.usbmon.title), \(Self.usbmonMapped.title) and \(Self.usbpcap.title)",
      "capture from usbmon on Linux, or with USBPcap on Windows"
    )
  }
}

/// A reader of the packets of a capture, one after the other.
struct CapturePacketReader: Sendable {
  private enum Container: Sendable {
    case pcap(PcapReader)
    case pcapng(PcapngReader)
  }
  private var container: Container

  /// Returns whether a file begins as a capture.
  static func isCapture(_ start: [UInt8]) -> Bool { CaptureContainer(start) != nil }

  init(_ source: HIDTraceSource) throws(HIDTraceError) {
    let start = try source.bytes(at: 0, count: 32)
    switch CaptureContainer(start) {
    case .pcap: container = .pcap(try PcapReader(source, start))
    case .pcapng: container = .pcapng(PcapngReader(source))
    case nil:
      throw HIDTraceError(
        source.problem(
          start.isEmpty ? "the file is empty" : "the file is not a capture in pcap or pcapng",
          help: "save the capture as pcapng, uncompressed"))
    }
  }

  /// Reads the next packet; nil at the end, and if the file ends inside a packet or block.
  mutating func next(_ warnings: inout TraceWarnings) throws(HIDTraceError) -> CapturePacket? {
    switch container {
    case .pcap(var reader):
      let packet = try reader.next(&warnings)
      container = .pcap(reader)
      return packet
    case .pcapng(var reader):
      let packet = try reader.next(&warnings)
      container = .pcapng(reader)
      return packet
    }
  }
}
