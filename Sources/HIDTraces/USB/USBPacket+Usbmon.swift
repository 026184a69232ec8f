// SPDX-License-Identifier: Apache-2.0

extension USBPacket {
  /// Reads a packet of Linux's usbmon; its numbers have the byte order of the file.
  ///
  /// It is nil if the packet is not a step of a transfer.
  ///
  /// Source: Documentation/usb/usbmon.rst and drivers/usb/mon/mon_bin.c of Linux 6.12.
  init?(usbmon bytes: CaptureBytes, headerByteCount: Int) throws(USBHeaderTooShort) {
    guard bytes.count >= headerByteCount else {
      throw USBHeaderTooShort(found: bytes.count, expected: headerByteCount)
    }
    guard let transfer = Transfer(rawValue: bytes.byte(at: 9)) else { return nil }
    switch bytes.byte(at: 8) {
    case UInt8(ascii: "S"): step = .submission
    case UInt8(ascii: "C"): step = .completion
    case UInt8(ascii: "E"): step = .failure
    default: return nil
    }
    self.transfer = transfer
    request = bytes.long(at: 0)
    endpoint = bytes.byte(at: 10) & 0x8F
    address = USBAddress(bus: bytes.half(at: 12), device: UInt16(bytes.byte(at: 11)))
    outcome = Self.outcome(Int32(bitPattern: bytes.word(at: 28)))
    // The flag is 0 if the packet has the setup.
    if transfer == .control, step == .submission, bytes.byte(at: 14) == 0 {
      setup = USBSetup(bytes.bytes(at: 40, count: USBSetup.byteCount))
    }
    byteCount = Int(bytes.word(at: 32))
    // The shorter header has no period.
    if transfer == .interrupt, headerByteCount >= 52 { interval = bytes.word(at: 48) }
    let captured = min(byteCount, Int(bytes.word(at: 36)))
    payload = bytes.bytes(at: headerByteCount, count: captured)
  }

  /// Returns the meaning of a kernel error number for a transfer.
  ///
  /// Source: Documentation/driver-api/usb/error-codes.rst.
  private static func outcome(_ status: Int32) -> USBOutcome {
    switch status {
    case 0: .done
    case -2, -104: .givenUp  // ENOENT, ECONNRESET
    case -19, -108: .gone  // ENODEV, ESHUTDOWN
    default: .refused
    }
  }
}
