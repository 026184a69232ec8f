// SPDX-License-Identifier: Apache-2.0

/// A packet of Linux's usbmon: the beginning or the end of a transfer.
///
/// Source: Documentation/usb/usbmon.rst and drivers/usb/mon/mon_bin.c of Linux 6.12.
package struct UsbmonPacket: Hashable, Sendable {
  /// True for the end of the transfer, an event `C`; false for its beginning, an event `S`.
  package var isEnd: Bool
  /// The number that connects both packets of a transfer.
  package var id: UInt64
  /// The time in microseconds since 1970.
  package var microseconds: Int64
  package var bus: UInt16
  package var device: UInt8
  /// The number of the endpoint, with bit 7 set if the device sends the data.
  package var endpoint: UInt8
  /// The kind of the transfer: 0 isochronous, 1 interrupt, 2 control, 3 bulk.
  package var kind: UInt8
  /// The eight bytes of the request at the beginning of a control transfer; else nil.
  package var setup: [UInt8]?
  /// 0, or a negative error number of Linux.
  package var status: Int32
  /// The number of bytes of the transfer, whether or not this packet has them.
  package var byteCount: Int
  package var data: [UInt8]
  package var interval: UInt32
  package var flags: UInt32

  package init(
    isEnd: Bool, id: UInt64, microseconds: Int64, bus: UInt16, device: UInt8, endpoint: UInt8,
    kind: UInt8, setup: [UInt8]?, status: Int32, byteCount: Int, data: [UInt8], interval: UInt32,
    flags: UInt32
  ) {
    self.isEnd = isEnd
    self.id = id
    self.microseconds = microseconds
    self.bus = bus
    self.device = device
    self.endpoint = endpoint
    self.kind = kind
    self.setup = setup
    self.status = status
    self.byteCount = byteCount
    self.data = data
    self.interval = interval
    self.flags = flags
  }

  /// The length of the header, in bytes.
  fileprivate static let headerByteCount = 64
}

/// A writer of captures of USB packets: pcapng with usbmon's packets.
///
/// Each call appends whole blocks, so that the output is a capture at any time.
///
/// Source: draft-ietf-opsawg-pcapng; LINKTYPE_USB_LINUX_MMAPPED of tcpdump.org.
package struct CaptureWriter: Sendable {
  private enum Block {
    static let section: UInt32 = 0x0A0D_0D0A
    static let interface: UInt32 = 1
    static let statistics: UInt32 = 5
    static let packet: UInt32 = 6
  }
  private static let linkType: UInt16 = 220
  /// The largest length of a packet that readers must expect, in bytes.
  private static let snapLength: UInt32 = 1 << 18

  package init() {}

  /// Writes the section and its only interface; must be called once, before other output.
  package func begin(into output: inout [UInt8]) {
    block(Block.section, into: &output) { bytes in
      bytes.append(little: 0x1A2B_3C4D as UInt32)
      bytes.append(little: 1 as UInt16)
      bytes.append(little: 0 as UInt16)
      // The length of the section is not known.
      bytes.append(little: UInt64.max)
      // The program that has written the file.
      bytes.append(option: 4, Array("hidsim".utf8))
      bytes.append(option: 0, [])
    }
    block(Block.interface, into: &output) { bytes in
      bytes.append(little: Self.linkType)
      bytes.append(little: 0 as UInt16)
      bytes.append(little: Self.snapLength)
    }
  }

  /// Writes a packet.
  package func write(_ packet: UsbmonPacket, into output: inout [UInt8]) {
    block(Block.packet, into: &output) { bytes in
      let time = UInt64(max(packet.microseconds, 0))
      bytes.append(little: 0 as UInt32)
      bytes.append(little: UInt32(truncatingIfNeeded: time >> 32))
      bytes.append(little: UInt32(truncatingIfNeeded: time))
      let count = UInt32(truncatingIfNeeded: UsbmonPacket.headerByteCount + packet.data.count)
      bytes.append(little: count)
      bytes.append(little: count)
      header(packet, into: &bytes)
      bytes += packet.data
      bytes.pad(packet.data.count)
    }
  }

  /// Writes the counts of the packets that came, and of those that were lost.
  ///
  /// - Parameters:
  ///   - received: The number of packets, with those that were lost.
  ///   - lost: The number of packets that are not in the capture.
  ///   - microseconds: The time in microseconds since 1970.
  package func end(
    received: UInt64, lost: UInt64, microseconds: Int64, into output: inout [UInt8]
  ) {
    block(Block.statistics, into: &output) { bytes in
      let time = UInt64(max(microseconds, 0))
      bytes.append(little: 0 as UInt32)
      bytes.append(little: UInt32(truncatingIfNeeded: time >> 32))
      bytes.append(little: UInt32(truncatingIfNeeded: time))
      for (code, count) in [(4 as UInt16, received), (5, lost)] {
        var number: [UInt8] = []
        number.append(little: count)
        bytes.append(option: code, number)
      }
      bytes.append(option: 0, [])
    }
  }

  private func block(
    _ type: UInt32, into output: inout [UInt8], _ content: (inout [UInt8]) -> Void
  ) {
    let start = output.count
    output.append(little: type)
    output.append(little: 0 as UInt32)
    content(&output)
    let length = UInt32(truncatingIfNeeded: output.count - start + 4)
    output.append(little: length)
    for place in 0..<4 {
      output[start + 4 + place] = UInt8(truncatingIfNeeded: length >> UInt32(8 * place))
    }
  }

  private func header(_ packet: UsbmonPacket, into bytes: inout [UInt8]) {
    let isIn = packet.endpoint & 0x80 != 0
    bytes.append(little: packet.id)
    bytes += [
      UInt8(ascii: packet.isEnd ? "C" : "S"), packet.kind, packet.endpoint, packet.device,
    ]
    bytes.append(little: packet.bus)
    bytes.append(packet.setup == nil ? UInt8(ascii: "-") : 0)
    // A packet has no data if the other packet of the transfer has them.
    let hasNone: UInt8? =
      isIn && !packet.isEnd
      ? UInt8(ascii: "<") : !isIn && packet.isEnd ? UInt8(ascii: ">") : nil
    bytes.append(hasNone ?? 0)
    let (seconds, rest) = packet.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    bytes.append(little: seconds)
    bytes.append(little: Int32(truncatingIfNeeded: rest))
    bytes.append(little: packet.status)
    bytes.append(little: UInt32(truncatingIfNeeded: packet.byteCount))
    bytes.append(little: UInt32(truncatingIfNeeded: packet.data.count))
    let setup = (packet.setup ?? []).prefix(8)
    bytes += setup
    bytes.append(contentsOf: repeatElement(0, count: 8 - setup.count))
    bytes.append(little: packet.interval)
    bytes.append(little: 0 as UInt32)
    bytes.append(little: packet.flags)
    bytes.append(little: 0 as UInt32)
  }
}

extension [UInt8] {
  fileprivate mutating func append(little number: some FixedWidthInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  fileprivate mutating func append(option code: UInt16, _ value: [UInt8]) {
    append(little: code)
    append(little: UInt16(truncatingIfNeeded: value.count))
    append(contentsOf: value)
    pad(value.count)
  }

  /// Appends zeros after a number of bytes, up to a multiple of four.
  fileprivate mutating func pad(_ count: Int) {
    append(contentsOf: repeatElement(0, count: (4 - count % 4) % 4))
  }
}
