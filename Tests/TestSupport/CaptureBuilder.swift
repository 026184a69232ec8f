// SPDX-License-Identifier: Apache-2.0

/// A builder of captures of USB packets, byte by byte in the formats of libpcap, dumpcap and
/// USBPcap.
package struct CaptureBuilder {
  package enum Container: Hashable { case pcap, pcapNanoseconds, pcapng }
  package enum Link: UInt32, CaseIterable { case usbmon = 189, usbmonMapped = 220, usbpcap = 249 }
  package enum Transfer: UInt8 { case isochronous, interrupt, control, bulk }

  package var container: Container = .pcapng
  package var link: Link = .usbmonMapped
  package var isBigEndian = false
  /// The largest number of bytes that are kept of a packet, with its header.
  package var snapLength = Int.max
  /// `if_tsresol`; nil for none.
  package var resolution: UInt8?
  /// `if_tsoffset`; nil for none.
  package var secondsOffset: Int64?
  /// The time of the next packet, in microseconds.
  package var time: UInt64 = 1_700_000_000_000_000
  /// The bus of the devices that follow; `device` is their address.
  package var bus: UInt16 = 1
  package var device: UInt8 = 4
  package var packets: [[UInt8]] = []
  package private(set) var times: [UInt64] = []
  private var nextRequest: UInt64 = 0xFFFF_8880_0000_1000

  package init(
    _ container: Container = .pcapng, _ link: Link = .usbmonMapped, isBigEndian: Bool = false
  ) {
    self.container = container
    self.link = link
    self.isBigEndian = isBigEndian
  }

  /// The number of packets.
  package var count: Int { packets.count }

  // MARK: Packets

  /// Adds one packet; `type` is the letter of usbmon.
  package mutating func packet(
    _ type: Character, _ transfer: Transfer, endpoint: UInt8, request: UInt64,
    setup: [UInt8]? = nil, status: Int32 = 0, byteCount: Int? = nil, data: [UInt8] = [],
    stage: UInt8? = nil
  ) {
    let length = byteCount ?? data.count
    let bytes =
      link == .usbpcap
      ? usbpcap(type, transfer, endpoint, request, setup, status, data, stage)
      : usbmon(type, transfer, endpoint, request, setup, status, length, data)
    packets.append(bytes)
    times.append(time)
  }

  private func usbmon(
    _ type: Character, _ transfer: Transfer, _ endpoint: UInt8, _ request: UInt64,
    _ setup: [UInt8]?, _ status: Int32, _ length: Int, _ data: [UInt8]
  ) -> [UInt8] {
    var bytes = number(request, 8)
    bytes += [type.asciiValue ?? 0, transfer.rawValue, endpoint, device]
    bytes += number(UInt64(bus), 2)
    bytes.append(setup == nil ? UInt8(ascii: "-") : 0)
    bytes.append(data.isEmpty ? UInt8(ascii: endpoint & 0x80 != 0 ? "<" : ">") : 0)
    bytes += number(time / 1_000_000, 8) + number(time % 1_000_000, 4)
    bytes += number(UInt64(UInt32(bitPattern: status)), 4)
    bytes += number(UInt64(length), 4) + number(UInt64(data.count), 4)
    bytes += setup ?? [UInt8](repeating: 0, count: 8)
    if link == .usbmonMapped { bytes += [UInt8](repeating: 0, count: 16) }
    return bytes + data
  }

  private func usbpcap(
    _ type: Character, _ transfer: Transfer, _ endpoint: UInt8, _ request: UInt64,
    _ setup: [UInt8]?, _ status: Int32, _ data: [UInt8], _ stage: UInt8?
  ) -> [UInt8] {
    let isControl = transfer == .control
    let payload = (setup ?? []) + data
    var bytes = little(isControl ? 28 : 27, 2) + little(request, 8)
    bytes += little(status == 0 ? 0 : status == -2 ? 0xC001_0000 : 0xC000_0004, 4)
    bytes += little(isControl ? 8 : 9, 2) + [type == "S" ? 0 : 1]
    bytes += little(UInt64(bus), 2) + little(UInt64(device), 2) + [endpoint, transfer.rawValue]
    bytes += little(UInt64(payload.count), 4)
    if isControl { bytes.append(stage ?? (type == "S" ? 0 : 3)) }
    return bytes + payload
  }

  // MARK: Transfers

  /// Adds a control transfer that takes `wait` microseconds.
  ///
  /// Without a status, the transfer has no completion packet.
  package mutating func control(
    _ setup: [UInt8], out: [UInt8] = [], in answer: [UInt8] = [], status: Int32? = 0,
    wait: UInt64 = 100, request: UInt64? = nil
  ) {
    let isIn = setup[0] & 0x80 != 0
    let request = request ?? newRequest()
    let length = Int(setup[6]) | Int(setup[7]) << 8
    packet(
      "S", .control, endpoint: isIn ? 0x80 : 0, request: request, setup: setup, status: -115,
      byteCount: isIn ? length : out.count, data: out)
    time += wait
    guard let status else { return }
    packet(
      "C", .control, endpoint: isIn ? 0x80 : 0, request: request, status: status,
      byteCount: isIn ? answer.count : out.count, data: answer)
    time += 100
  }

  /// Adds a transfer of an endpoint to the host, which is an interrupt endpoint by default.
  package mutating func input(
    _ endpoint: UInt8, _ data: [UInt8], status: Int32 = 0, transfer: Transfer = .interrupt
  ) {
    let request = newRequest()
    packet("S", transfer, endpoint: endpoint, request: request, status: -115, byteCount: 64)
    time += 1000
    packet("C", transfer, endpoint: endpoint, request: request, status: status, data: data)
  }

  /// Adds a transfer of an interrupt endpoint from the host.
  package mutating func output(_ endpoint: UInt8, _ data: [UInt8], status: Int32 = 0) {
    let request = newRequest()
    packet("S", .interrupt, endpoint: endpoint, request: request, status: -115, data: data)
    time += 1000
    packet(
      "C", .interrupt, endpoint: endpoint, request: request, status: status, byteCount: data.count)
  }

  package mutating func newRequest() -> UInt64 {
    nextRequest += 0x40
    return nextRequest
  }

  // MARK: The file

  /// The bytes of the whole file.
  package var bytes: [UInt8] { header + packets.indices.flatMap { record($0) } }

  /// The bytes before the first packet.
  package var header: [UInt8] {
    guard container == .pcapng else {
      return number(container == .pcap ? 0xA1B2_C3D4 : 0xA1B2_3C4D, 4) + number(2, 2)
        + number(4, 2) + number(0, 8) + number(262_144, 4) + number(UInt64(link.rawValue), 4)
    }
    return section + interface(link.rawValue)
  }

  /// The block that begins a section.
  package var section: [UInt8] {
    block(0x0A0D_0D0A, number(0x1A2B_3C4D, 4) + number(1, 2) + number(0, 2) + number(.max, 8))
  }

  /// Returns the block of an interface.
  package func interface(_ link: UInt32) -> [UInt8] {
    var options: [UInt8] = []
    if let resolution { options += number(9, 2) + number(1, 2) + [resolution, 0, 0, 0] }
    if let secondsOffset {
      options += number(14, 2) + number(8, 2) + number(UInt64(bitPattern: secondsOffset), 8)
    }
    if !options.isEmpty { options += number(0, 4) }
    return block(1, number(UInt64(link), 2) + number(0, 2) + number(262_144, 4) + options)
  }

  /// Returns the bytes of a packet with those of its container around it.
  package func record(_ place: Int, interface: UInt64 = 0) -> [UInt8] {
    let kept = packets[place].prefix(snapLength)
    let lengths = number(UInt64(kept.count), 4) + number(UInt64(packets[place].count), 4)
    let time = times[place]
    switch container {
    case .pcap:
      return number(time / 1_000_000, 4) + number(time % 1_000_000, 4) + lengths + kept
    case .pcapNanoseconds:
      return number(time / 1_000_000, 4) + number(time % 1_000_000 * 1000 + 999, 4) + lengths + kept
    case .pcapng:
      let ticks = ticks(time)
      return block(
        6,
        number(interface, 4) + number(ticks >> 32, 4) + number(ticks & 0xFFFF_FFFF, 4) + lengths
          + kept)
    }
  }

  /// Returns a block of pcapng, padded.
  package func block(_ type: UInt64, _ body: [UInt8]) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = number(UInt64(body.count + padding.count + 12), 4)
    return number(type, 4) + length + body + padding + length
  }

  private func ticks(_ time: UInt64) -> UInt64 {
    switch resolution ?? 6 {
    case 6: time
    case 9: time * 1000 + 999
    case 3: time / 1000
    case 0x94:  // 2^-20 of a second; rounded up, since the reader rounds down
      UInt64((UInt128(time) << 20 + 999_999) / 1_000_000)
    default: 0
    }
  }

  /// Returns the bytes of a number in the byte order of the file.
  package func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    isBigEndian ? little(value, count).reversed() : little(value, count)
  }

  private func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}
