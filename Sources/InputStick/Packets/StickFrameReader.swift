// SPDX-License-Identifier: Apache-2.0

/// A reader that finds packets in the bytes of the link between an InputStick and a client.
///
/// Bytes before a 0x55 are skipped. The reader holds at most 1,010 bytes: the header, and the
/// longest payload that it can announce.
package struct StickFrameReader: Sendable {
  /// The end of the link that sends the bytes.
  package enum Sender: Sendable {
    /// A client: bit 5 of the header announces a trailer.
    case client
    /// The stick: it never sends a trailer, and bit 5 is a part of the length, as in the published
    /// clients.
    case stick

    /// The largest number of blocks that the reader accepts.
    var maximumBlockCount: Int { self == .client ? StickFrame.maximumBlockCount : 63 }
  }

  /// A packet that was found in the bytes, or a packet that cannot be read.
  package enum Event: Hashable, Sendable {
    /// A whole packet.
    case frame(StickFrame)
    /// A packet that cannot be read.
    case damage(StickDamage)
  }

  private enum State {
    case hunting
    case header
    case body(payloadByteCount: Int, trailerByteCount: Int)
    /// The header announced no payload: the reader drops the next byte, as the published clients
    /// do.
    case empty
  }

  private let sender: Sender
  private var state = State.hunting
  /// The bytes of the packet so far, from its header on.
  private var packet: [UInt8] = []

  /// Makes a reader for the bytes that one end sends.
  package init(of sender: Sender) { self.sender = sender }

  /// True if the last bytes are the beginning of a packet.
  package var isInsidePacket: Bool {
    if case .hunting = state { false } else { true }
  }

  /// Reads bytes, and returns all packets that they complete, and those that cannot be read.
  package mutating func take(_ bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    var rest = bytes[...]
    while let event = next(&rest) { events.append(event) }
    return events
  }

  /// Reads bytes up to the end of one packet, or up to an error.
  ///
  /// - Parameter bytes: The bytes; the reader removes those that it has read.
  /// - Returns: nil when all bytes are read, and no packet is complete.
  package mutating func next(_ bytes: inout ArraySlice<UInt8>) -> Event? {
    while let first = bytes.first {
      switch state {
      case .hunting:
        // The reader skips all bytes before the start of a packet.
        guard let start = bytes.firstIndex(of: StickFrame.start) else {
          bytes = []
          return nil
        }
        if let frame = wholeFrame(at: start, of: bytes) {
          bytes = bytes[(start + frame.bytes.count)...]
          return .frame(frame)
        }
        bytes = bytes[(start + 1)...]
        state = .header
      case .body(let payloadByteCount, let trailerByteCount):
        let byteCount = StickFrame.headerByteCount + payloadByteCount + trailerByteCount
        let end = min(bytes.startIndex + byteCount - packet.count, bytes.endIndex)
        packet += bytes[..<end]
        bytes = bytes[end...]
        guard packet.count == byteCount else { return nil }
        state = .hunting
        let frame = StickFrame(bytes: packet, trailerByteCount: trailerByteCount)
        packet = []
        return .frame(frame)
      case .header, .empty:
        bytes = bytes.dropFirst()
        if let event = take(first) { return event }
      }
    }
    return nil
  }

  /// Returns the packet that starts at an index; nil if the bytes do not contain all of it, or if
  /// its number of blocks is not valid.
  private func wholeFrame(at start: Int, of bytes: ArraySlice<UInt8>) -> StickFrame? {
    guard bytes.endIndex - start > StickFrame.headerByteCount else { return nil }
    let (blockCount, trailerByteCount) = lengths(of: bytes[start + 1])
    let byteCount =
      StickFrame.headerByteCount + blockCount * StickFrame.blockByteCount + trailerByteCount
    guard (1...sender.maximumBlockCount).contains(blockCount), bytes.endIndex - start >= byteCount
    else { return nil }
    // This makes no copy if the packet is all of the array.
    return StickFrame(
      bytes: Array(bytes[start..<(start + byteCount)]), trailerByteCount: trailerByteCount)
  }

  /// Returns the lengths that a header's second byte announces.
  ///
  /// The number of blocks may be invalid.
  private func lengths(of byte: UInt8) -> (blockCount: Int, trailerByteCount: Int) {
    switch sender {
    case .client: (Int(byte & 0x1F), byte & 0x20 != 0 ? StickFrame.trailerByteCount : 0)
    case .stick: (Int(byte & 0x3F), 0)
    }
  }

  /// Reads the byte after the start of a packet, or the byte after a header without a payload.
  private mutating func take(_ byte: UInt8) -> Event? {
    switch state {
    case .header:
      let (blockCount, trailerByteCount) = lengths(of: byte)
      guard blockCount <= sender.maximumBlockCount else {
        state = .hunting
        return .damage(.length)
      }
      guard blockCount > 0 else {
        state = .empty
        return nil
      }
      let payloadByteCount = blockCount * StickFrame.blockByteCount
      state = .body(payloadByteCount: payloadByteCount, trailerByteCount: trailerByteCount)
      packet.reserveCapacity(StickFrame.headerByteCount + payloadByteCount + trailerByteCount)
      packet.append(StickFrame.start)
      packet.append(byte)
      return nil
    case .empty:
      state = .hunting
      return .damage(.length)
    case .hunting, .body: return nil
    }
  }

  /// Discards the beginning of a packet.
  package mutating func reset() {
    state = .hunting
    packet = []
  }
}
