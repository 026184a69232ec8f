// SPDX-License-Identifier: Apache-2.0

/// A control transfer from its start to its end, as far as it was captured.
struct USBControlTransfer {
  /// The end of a transfer.
  struct End {
    var number: Int
    var microseconds: Int64
    var outcome: USBOutcome
  }

  var setup: USBSetup
  /// The index of the USB device in the capture.
  var device: Int
  /// The number of the packet with which the transfer began.
  var number: Int
  /// The time of the packet with which the transfer began.
  var microseconds: Int64
  /// The data, to the device or to the host, as far as they were captured.
  ///
  /// Data to the device are cut at one byte more than the longest report.
  var data: [UInt8] = []
  /// The number of bytes of data in the transfer.
  var byteCount = 0
  /// The number of the packet with the data.
  var dataNumber = 0
  /// The end of the transfer; nil if the end is not in the capture.
  var end: End?
  /// The time at which it was clear that the capture does not have the end of the transfer; nil
  /// for a transfer that is pending or has an end.
  var lostMicroseconds: Int64?

  /// The time of the answer to the host, or the time at which it was clear that the capture has
  /// none.
  var endMicroseconds: Int64 { end?.microseconds ?? lostMicroseconds ?? microseconds }

  var isWhole: Bool { data.count >= byteCount }

  fileprivate mutating func take(_ packet: USBPacket) {
    data = Array(packet.payload.prefix(USBControlTable.keptByteCount))
    byteCount = packet.byteCount
    dataNumber = packet.number
  }
}

/// The control transfers that have begun and have not ended.
struct USBControlTable {
  /// The number of bytes of data that are kept: the length of the longest configuration descriptor.
  static let keptByteCount = 0xFFFF
  /// The largest number of pending transfers; a host has one at a time with each device.
  static let capacity = 256
  /// The number of bytes to a device that are kept until it answers: one more than the longest
  /// report.
  private static let keptSentByteCount = HIDTraceReader.maximumReportByteCount + 1

  private struct Key: Hashable {
    var bus: UInt16
    var request: UInt64
  }
  private var pending: [Key: USBControlTransfer] = [:]
  /// The keys in the order of their transfers; `sweep()` removes the keys of ended transfers.
  private var order: [(key: Key, number: Int)] = []
  /// The index of the oldest key in ``order``.
  private var head = 0

  /// Processes a packet of a control transfer.
  ///
  /// - Returns: The transfers that end with this packet. The last packet of a transfer ends this
  ///   transfer. The first packet of a transfer ends up to two earlier transfers whose ends were
  ///   not captured.
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

  /// Ends all transfers at a time and returns them in the order in which they began.
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

  /// Removes the keys of ended transfers when they are at least three quarters of all keys.
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
  /// True if the request reads a descriptor, chooses a configuration, or gets or sets a report.
  fileprivate var isOfUse: Bool { readsDescriptor || isSetConfiguration || reportRequest != nil }
}
