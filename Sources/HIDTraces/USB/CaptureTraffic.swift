// SPDX-License-Identifier: Apache-2.0

import HIDText

/// The traffic between the host and the devices: interrupt packets and control transfers.
///
/// Both passes over a file use this type, so that the indices of devices are the same in both.
struct CaptureTraffic: Sendable {
  enum Passage {
    case interrupt(USBPacket, device: Int)
    case control(USBControlTransfer)
  }

  private let source: HIDTraceSource
  private var reader: CapturePacketReader
  private var transfers = USBControlTable()
  private var ended: [USBControlTransfer] = []
  private var isAtEnd = false

  private(set) var enumeration = USBEnumeration()
  private(set) var warnings = TraceWarnings()
  /// The number of packets that were read, without those of link types that hidsim does not read.
  private(set) var packetCount = 0
  /// The time of the earliest packet so far, which need not be the first.
  private(set) var start: Int64 = 0
  /// The time of the latest packet so far.
  private var latest: Int64 = 0

  init(_ source: HIDTraceSource) throws(HIDTraceError) {
    self.source = source
    reader = try CapturePacketReader(source)
  }

  /// Reads the next interrupt packet or control transfer; nil at the end.
  ///
  /// Control transfers that have not ended when the capture ends come last.
  mutating func next() throws(HIDTraceError) -> Passage? {
    while true {
      if !ended.isEmpty { return .control(ended.removeFirst()) }
      if isAtEnd { return nil }
      guard let raw = try reader.next(&warnings) else {
        isAtEnd = true
        ended = transfers.drain(at: latest)
        continue
      }
      start = packetCount == 0 ? raw.microseconds : min(start, raw.microseconds)
      latest = packetCount == 0 ? raw.microseconds : max(latest, raw.microseconds)
      packetCount += 1
      guard let packet = packet(raw), packet.address.device != 0 else { continue }
      do throws(USBLimit) {
        if let passage = try pass(packet) { return passage }
      } catch {
        throw HIDTraceError(source.problem(packet: packet.number, error.message))
      }
    }
  }

  private mutating func packet(_ raw: CapturePacket) -> USBPacket? {
    do throws(USBHeaderTooShort) {
      return try USBPacket(raw)
    } catch {
      warnings.add(
        source.problem(
          packet: raw.number,
          "has \(error.found) of the \(error.expected) bytes of its header and is left out"))
      return nil
    }
  }

  private mutating func pass(_ packet: USBPacket) throws(USBLimit) -> Passage? {
    let device = try enumeration.place(of: packet.address)
    switch packet.transfer {
    case .interrupt:
      enumeration.take(packet, at: device)
      return .interrupt(packet, device: device)
    case .control:
      if let setup = packet.setup { enumeration.take(setup, number: packet.number, at: device) }
      ended = transfers.take(packet, device: device)
      for transfer in ended {
        guard let oddity = try enumeration.take(transfer) else { continue }
        warnings.add(problem(oddity, transfer))
      }
      return nil
    case .bulk, .isochronous: return nil
    }
  }

  private func problem(_ oddity: USBOddity, _ transfer: USBControlTransfer) -> HIDTextProblem {
    let address = enumeration.devices[transfer.device].address
    let message =
      switch oddity {
      case .configurationCut:
        "holds \(transfer.data.count) of the \(transfer.byteCount) bytes of the configuration "
          + "descriptor of \(address); interfaces may be missing"
      case .reportDescriptorTooLong:
        "holds a report descriptor of \(transfer.byteCount) bytes, more than the "
          + "\(HIDTraceReader.maximumDescriptorByteCount) that the kernel takes; it is left out"
      case .reportDescriptorChanged(let since):
        "holds a report descriptor of interface \(transfer.setup.interface) of \(address) that "
          + "differs from the one in packet \(since); the one in packet \(since) is used"
      }
    return source.problem(packet: transfer.dataNumber, message)
  }
}
