// SPDX-License-Identifier: Apache-2.0

/// Finds packets in the bytes of a link.
///
/// Bytes before a 0x55 are skipped. It holds at most the 1,008 bytes that a header can announce.
package struct StickFrameReader: Sendable {
  /// Which end sends the bytes.
  package enum Sender: Sendable {
    /// A client: bit 5 of the header announces a trailer.
    case client
    /// The stick: it never sends a trailer, and bit 5 counts as a part of the length, as in the
    /// published clients.
    case stick

    /// The most blocks that a header announces.
    var maximumBlockCount: Int { self == .client ? StickFrame.maximumBlockCount : 63 }
  }

  /// A packet in the bytes, or the remains of one.
  package enum Event: Hashable, Sendable {
    /// A whole packet.
    case frame(StickFrame)
    /// A packet that cannot be read.
    case damage(StickDamage)
  }

  private enum State {
    case hunting
    case header
    case body(info: UInt8, payloadByteCount: Int, trailerByteCount: Int)
    /// The header announced no payload: the next byte is lost, as in the published clients.
    case empty
  }

  private let sender: Sender
  private var state = State.hunting
  private var body: [UInt8] = []

  /// Makes a reader for the bytes of one end.
  package init(of sender: Sender) { self.sender = sender }

  /// Whether the last bytes are the beginning of a packet.
  package var isInsidePacket: Bool {
    if case .hunting = state { false } else { true }
  }

  /// Takes bytes.
  package mutating func take(_ bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    var rest = bytes[...]
    while let event = next(&rest) { events.append(event) }
    return events
  }

  /// Takes bytes up to the end of a packet, or the place of an error.
  ///
  /// - Parameter bytes: The bytes; those that were taken are removed.
  /// - Returns: nil when all bytes are taken, and no packet is complete.
  package mutating func next(_ bytes: inout ArraySlice<UInt8>) -> Event? {
    while let first = bytes.first {
      switch state {
      case .hunting:
        // Whatever is before the start of a packet is skipped.
        guard let start = bytes.firstIndex(of: StickFrame.start) else {
          bytes = []
          return nil
        }
        bytes = bytes[(start + 1)...]
        state = .header
      case .body(let info, let payloadByteCount, let trailerByteCount):
        let wanted = payloadByteCount + trailerByteCount - body.count
        body += bytes.prefix(wanted)
        bytes = bytes.dropFirst(wanted)
        guard body.count == payloadByteCount + trailerByteCount else { return nil }
        state = .hunting
        var frame = StickFrame(payload: Array(body[..<payloadByteCount]))
        frame.trailer = Array(body[payloadByteCount...])
        frame.wantsAnswer = info & 0x80 != 0
        frame.isEncrypted = info & 0x40 != 0
        return .frame(frame)
      case .header, .empty:
        bytes = bytes.dropFirst()
        if let event = take(first) { return event }
      }
    }
    return nil
  }

  /// Takes the byte after the start of a packet, or the one after a header without a payload.
  private mutating func take(_ byte: UInt8) -> Event? {
    switch state {
    case .header:
      let mask: UInt8 = sender == .client ? 0x1F : 0x3F
      let blockCount = Int(byte & mask)
      guard blockCount <= sender.maximumBlockCount else {
        state = .hunting
        return .damage(.length)
      }
      let hasTrailer = sender == .client && byte & 0x20 != 0
      state =
        blockCount == 0
        ? .empty
        : .body(
          info: byte, payloadByteCount: blockCount * StickFrame.blockByteCount,
          trailerByteCount: hasTrailer ? StickFrame.trailerByteCount : 0)
      body.removeAll(keepingCapacity: true)
      return nil
    case .empty:
      state = .hunting
      return .damage(.length)
    case .hunting, .body: return nil
    }
  }

  /// Forgets the beginning of a packet.
  package mutating func reset() {
    state = .hunting
    body = []
  }
}
