// SPDX-License-Identifier: Apache-2.0

/// A control transfer, from its beginning to its end, as far as the capture has it.
struct USBControlTransfer {
  /// How it ended.
  struct End {
    var number: Int
    var microseconds: Int64
    var outcome: USBOutcome
  }

  var setup: USBSetup
  /// The place of the device among those that were met.
  var device: Int
  /// The packet with which it began, and its time.
  var number: Int
  var microseconds: Int64
  /// The data, to the device or to the host, as far as they were captured.
  var data: [UInt8] = []
  /// How many bytes of data there were.
  var byteCount = 0
  /// The packet that has the data.
  var dataNumber = 0
  /// The end; nil if the capture has none.
  var end: End?
  /// When it was known that the capture has none.
  var lostMicroseconds: Int64?

  /// When the host had its answer, or was seen to have none.
  var endMicroseconds: Int64 { end?.microseconds ?? lostMicroseconds ?? microseconds }

  var isWhole: Bool { data.count >= byteCount }

  fileprivate mutating func take(_ packet: USBPacket) {
    data = Array(packet.payload.prefix(USBControlTable.keptByteCount))
    byteCount = packet.byteCount
    dataNumber = packet.number
  }
}

/// The control transfers that have begun and have not ended yet.
struct USBControlTable {
  /// How many bytes of data are kept: those of the longest configuration descriptor.
  static let keptByteCount = 0xFFFF
  /// How many transfers can be under way: a host has one at a time with each device.
  static let capacity = 256
  /// How many bytes for a device are kept until it answers: those of the longest report, and one more.
  private static let keptSentByteCount = HIDTraceReader.maximumReportByteCount + 1

  private struct Key: Hashable {
    var bus: UInt16
    var request: UInt64
  }
  private var pending: [Key: USBControlTransfer] = [:]
  /// The keys in the order of their transfers, with those of ended ones until they are swept out.
  private var order: [(key: Key, number: Int)] = []
  /// Where in ``order`` the oldest is.
  private var head = 0

  /// Takes a packet of a control transfer, and returns the transfers that it ends: with its own, one that lost its end.
  mutating func take(_ packet: USBPacket, device: Int) -> [USBControlTransfer] {
    let key = Key(bus: packet.address.bus, request: packet.request)
    switch packet.step {
    case .submission: return begin(packet, key, device)
    case .data:
      guard var transfer = pending[key] else { return [] }
      transfer.take(packet)
      if !transfer.setup.isIn { transfer.shorten(to: Self.keptSentByteCount) }
      pending[key] = transfer
      return []
    case .completion, .failure:
      guard var transfer = pending.removeValue(forKey: key) else { return [] }
      if transfer.setup.isIn, packet.byteCount > 0 { transfer.take(packet) }
      transfer.end = USBControlTransfer.End(
        number: packet.number, microseconds: packet.microseconds,
        outcome: packet.step == .failure ? .refused : packet.outcome)
      return [transfer]
    }
  }

  /// Ends all transfers, in the order in which they began, at the time of the latest packet.
  mutating func drain(at microseconds: Int64) -> [USBControlTransfer] {
    defer { pending = [:] }
    return pending.values.sorted { $0.number < $1.number }.map { $0.lost(at: microseconds) }
  }

  private mutating func begin(
    _ packet: USBPacket, _ key: Key, _ device: Int
  ) -> [USBControlTransfer] {
    var lost: [USBControlTransfer] = []
    if let transfer = pending.removeValue(forKey: key) {
      lost.append(transfer.lost(at: packet.microseconds))
    }
    guard let setup = packet.setup, setup.isOfUse else { return lost }
    if pending.count >= Self.capacity, let oldest = takeOldest() {
      lost.append(oldest.lost(at: packet.microseconds))
    }
    var transfer = USBControlTransfer(
      setup: setup, device: device, number: packet.number, microseconds: packet.microseconds)
    if !setup.isIn {
      transfer.take(packet)
      transfer.shorten(to: Self.keptSentByteCount)
    }
    pending[key] = transfer
    order.append((key, packet.number))
    sweep()
    return lost
  }

  private mutating func takeOldest() -> USBControlTransfer? {
    while head < order.count {
      let oldest = order[head]
      head += 1
      if pending[oldest.key]?.number == oldest.number {
        return pending.removeValue(forKey: oldest.key)
      }
    }
    return nil
  }

  /// Forgets the keys of transfers that have ended, once they are three of four.
  private mutating func sweep() {
    guard order.count > 4 * Self.capacity else { return }
    order = order[head...].filter { pending[$0.key]?.number == $0.number }
    head = 0
  }
}

extension USBControlTransfer {
  fileprivate func lost(at microseconds: Int64) -> Self {
    var transfer = self
    transfer.lostMicroseconds = max(microseconds, self.microseconds)
    return transfer
  }

  fileprivate mutating func shorten(to count: Int) {
    if data.count > count { data.removeLast(data.count - count) }
  }
}

extension USBSetup {
  /// Whether the transfer tells anything about a HID device.
  fileprivate var isOfUse: Bool { descriptor != nil || isSetConfiguration || reportRequest != nil }
}
