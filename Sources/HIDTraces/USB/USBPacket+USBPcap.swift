// SPDX-License-Identifier: Apache-2.0

extension USBPacket {
  private static let headerByteCount = 27
  /// The offset of the stage of a control transfer, after all other header fields.
  private static let stageOffset = 27

  /// Reads a packet of USBPcap, the capture driver for Windows; its numbers are little-endian.
  ///
  /// It is nil if the packet is not a step of a transfer.
  ///
  /// Before version 1.5, a control transfer is three packets: setup, data and status. Since then it
  /// is two. The first has the setup and the data for the device, and the second has the completion
  /// and the data for the host.
  ///
  /// Source: USBPcap's capture format specification.
  init?(usbpcap packet: CaptureBytes) throws(USBHeaderTooShort) {
    let bytes = CaptureBytes(packet.bytes(at: 0), isBigEndian: false)
    guard bytes.count >= Self.headerByteCount else {
      throw USBHeaderTooShort(found: bytes.count, expected: Self.headerByteCount)
    }
    let header = Int(bytes.half(at: 0))
    guard let transfer = Transfer(rawValue: bytes.byte(at: 22)) else { return nil }
    let least = Self.headerByteCount + (transfer == .control ? 1 : 0)
    guard header >= least, bytes.count >= header else {
      throw USBHeaderTooShort(found: min(header, bytes.count), expected: max(header, least))
    }
    self.transfer = transfer
    request = bytes.long(at: 2)
    address = USBAddress(bus: bytes.half(at: 17), device: bytes.half(at: 19))
    endpoint = bytes.byte(at: 21) & 0x8F
    outcome = Self.outcome(bytes.word(at: 10))
    byteCount = Int(bytes.word(at: 23))
    payload = bytes.bytes(at: header, count: byteCount)
    // The lowest bit is set if the packet goes back from the device to the host.
    step = bytes.byte(at: 16) & 1 == 0 ? .submission : .completion
    guard transfer == .control else { return }
    switch bytes.byte(at: Self.stageOffset) {
    case 0:
      guard let asked = USBSetup(payload) else { return nil }
      setup = asked
      step = .submission
      byteCount -= USBSetup.byteCount
      payload = payload.dropFirst(USBSetup.byteCount)
    case 1: step = .data
    case 2, 3: step = .completion
    default: return nil
    }
  }

  /// Returns the meaning of the host controller's status, by the names of the Windows Driver Kit.
  private static func outcome(_ status: UInt32) -> USBOutcome {
    switch status {
    case 0: .done
    case 0xC001_0000: .givenUp  // USBD_STATUS_CANCELED
    case 0xC000_7000: .gone  // USBD_STATUS_DEVICE_GONE
    default: status & 0x8000_0000 == 0 ? .done : .refused
    }
  }
}
