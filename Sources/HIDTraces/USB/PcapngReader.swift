// SPDX-License-Identifier: Apache-2.0

/// A reader of the packets of a pcapng file.
///
/// Source: draft-ietf-opsawg-pcapng.
struct PcapngReader: Sendable {
  private enum Block {
    static let interface: UInt32 = 1
    static let oldPacket: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let statistics: UInt32 = 5
    static let packet: UInt32 = 6
    static let section: UInt32 = 0x0A0D_0D0A
  }
  /// The smallest length of a block in bytes: its type, and its length at both ends.
  private static let blockByteCount = 12
  /// The offset of the bytes of a packet in its block.
  private static let packetOffset = 28
  private static let maximumInterfaceCount = 1024

  private var window: CaptureWindow
  private var offset = 0
  /// The offset of the current block.
  private var blockOffset = 0
  private var number = 0
  private var isBigEndian = false
  private var interfaces: [PcapngInterface] = []
  private var readAny = false
  private var skipped: Set<CaptureLink> = []

  /// Returns whether a section is big-endian, from its header; nil if it has no valid byte order.
  ///
  /// - Parameter section: The first 12 bytes of the section, as big-endian words.
  private static func isBigEndian(_ section: CaptureBytes) -> Bool? {
    switch section.word(at: 8) {
    case 0x1A2B_3C4D: true
    case 0x4D3C_2B1A: false
    default: nil
    }
  }

  init(_ source: HIDTraceSource) { window = CaptureWindow(source) }

  mutating func next(_ warnings: inout TraceWarnings) throws(HIDTraceError) -> CapturePacket? {
    while let (type, block) = try nextBlock(&warnings) {
      switch type {
      case Block.section: interfaces = []
      case Block.interface: try addInterface(block)
      case Block.statistics: countLosses(block, &warnings)
      case Block.simplePacket:
        throw HIDTraceError(
          window.source.problem(
            packet: number, "is in a Simple Packet Block, which has no time",
            help: "capture with dumpcap or Wireshark, which write Enhanced Packet Blocks"))
      case Block.packet, Block.oldPacket:
        if let packet = try packet(in: block, isOld: type == Block.oldPacket, &warnings) {
          return packet
        }
      default: break
      }
    }
    if let link = skipped.first, !readAny {
      throw HIDTraceError(window.source.problem(link.refusal.message, help: link.refusal.help))
    }
    return nil
  }

  /// Reads the next block, without the length at its end, and only the start of a very long one.
  ///
  /// Returns nil at the end of the file, and if the file ends in the middle of a block.
  private mutating func nextBlock(
    _ warnings: inout TraceWarnings
  ) throws(HIDTraceError) -> (type: UInt32, block: CaptureBytes)? {
    blockOffset = offset
    let start = try window.bytes(at: offset, count: Self.blockByteCount)
    guard !start.isEmpty else { return nil }
    var head = CaptureBytes(start, isBigEndian: isBigEndian)
    let type = head.word(at: 0)
    if type == Block.section, head.count == Self.blockByteCount {
      let order = Self.isBigEndian(CaptureBytes(start, isBigEndian: true))
      guard let order else { throw damage("begins a section without a byte order") }
      isBigEndian = order
      head = CaptureBytes(start, isBigEndian: order)
    }
    if [Block.packet, Block.oldPacket, Block.simplePacket].contains(type) { number += 1 }
    guard head.count == Self.blockByteCount else { return cutOff(type, &warnings) }
    let count = Int(head.word(at: 4))
    guard count >= Self.blockByteCount, count.isMultiple(of: 4) else {
      throw damage(
        "has the length \(count) in its header, not a multiple of 4 that is at least "
          + "\(Self.blockByteCount)")
    }
    let kept = Self.packetOffset + CapturePacket.keptByteCount
    let bytes = try window.bytes(at: offset, count: min(count, kept))
    let trailer =
      count <= kept
      ? bytes.dropFirst(count - 4)
      : try window.source.bytes(at: offset + count - 4, count: 4)[...]
    guard trailer.count == 4 else { return cutOff(type, &warnings) }
    let repeated = CaptureBytes(trailer, isBigEndian: isBigEndian).word(at: 0)
    guard repeated == UInt32(count) else {
      throw damage("has two different lengths: \(count) at its start and \(repeated) at its end")
    }
    offset += count
    return (type, CaptureBytes(count <= kept ? bytes.dropLast(4) : bytes, isBigEndian: isBigEndian))
  }

  private mutating func addInterface(_ block: CaptureBytes) throws(HIDTraceError) {
    guard interfaces.count < Self.maximumInterfaceCount else {
      throw damage(
        "describes an interface beyond the \(Self.maximumInterfaceCount) that hidsim reads in a section"
      )
    }
    let interface = PcapngInterface(block)
    interfaces.append(interface)
    if interface.link.isRead { readAny = true } else { skipped.insert(interface.link) }
  }

  private mutating func packet(
    in block: CaptureBytes, isOld: Bool, _ warnings: inout TraceWarnings
  ) throws(HIDTraceError) -> CapturePacket? {
    let place = isOld ? Int(block.half(at: 8)) : Int(block.word(at: 8))
    guard place < interfaces.count else {
      throw HIDTraceError(
        window.source.problem(
          packet: number,
          "belongs to interface \(place), but only \(interfaces.count) are described before it"))
    }
    let count = Int(block.word(at: 20))
    guard count <= CapturePacket.maximumByteCount else {
      throw HIDTraceError(window.source.tooLong(packet: number, count))
    }
    let interface = interfaces[place]
    guard interface.link.isRead else {
      if interfaces[place].warn() {
        warnings.add(
          window.source.problem(
            packet: number,
            "and the other packets of its interface have link type \(interface.link.title), "
              + "which hidsim does not read; they are left out"))
      }
      return nil
    }
    let kept = min(count, CapturePacket.keptByteCount)
    let bytes = block.bytes(at: Self.packetOffset, count: kept)
    guard bytes.count == kept else {
      throw damage("holds fewer than the \(count) bytes of its packet")
    }
    let ticks = UInt64(block.word(at: 12)) << 32 | UInt64(block.word(at: 16))
    return CapturePacket(
      number: number, microseconds: interface.microseconds(ticks), link: interface.link,
      bytes: CaptureBytes(bytes, isBigEndian: isBigEndian))
  }

  private func countLosses(_ block: CaptureBytes, _ warnings: inout TraceWarnings) {
    let lost = PcapngInterface.option(of: block, at: 20, code: 5, count: 8)?.long(at: 0) ?? 0
    guard lost > 0 else { return }
    warnings.add(
      window.source.problem(
        "the recorder lost \(lost) packets of its capture interface \(block.word(at: 8))"))
  }

  private func cutOff(
    _ type: UInt32, _ warnings: inout TraceWarnings
  ) -> (type: UInt32, block: CaptureBytes)? {
    let isPacket = [Block.packet, Block.oldPacket, Block.simplePacket].contains(type)
    warnings.add(
      isPacket
        ? window.source.cutOff(packet: number)
        : window.source.problem("the file ends inside a block, after packet \(number)"))
    return nil
  }

  private func damage(_ message: String) -> HIDTraceError {
    HIDTraceError(
      window.source.problem(
        "the block at byte \(blockOffset), after packet \(number), \(message): the file is damaged")
    )
  }
}
