// SPDX-License-Identifier: Apache-2.0

/// The address of a device, which it has until it is unplugged.
struct USBAddress: Hashable, Comparable, CustomStringConvertible {
  var bus: UInt16
  var device: UInt16

  static func < (left: Self, right: Self) -> Bool {
    (left.bus, left.device) < (right.bus, right.device)
  }

  var description: String { "bus \(bus) device \(device)" }
}

/// The setup of a control transfer: the request of the host.
///
/// Source: USB 2.0, section 9.3.
struct USBSetup: Hashable {
  static let byteCount = 8

  var requestType: UInt8
  var request: UInt8
  var value: UInt16
  var index: UInt16
  var length: UInt16

  /// Reads the eight bytes, whose numbers are little-endian on every machine; nil if there are
  /// fewer.
  init?(_ bytes: ArraySlice<UInt8>) {
    let bytes = CaptureBytes(bytes, isBigEndian: false)
    guard bytes.count >= Self.byteCount else { return nil }
    requestType = bytes.byte(at: 0)
    request = bytes.byte(at: 1)
    value = bytes.half(at: 2)
    index = bytes.half(at: 4)
    length = bytes.half(at: 6)
  }

  var isIn: Bool { requestType & 0x80 != 0 }
  /// The upper byte of the value: the type of a descriptor or of a report.
  var type: UInt8 { UInt8(value >> 8) }
  /// The lower byte of the value: the index of a descriptor, the ID of a report, or the value of a
  /// configuration.
  var number: UInt8 { UInt8(truncatingIfNeeded: value) }
  var interface: UInt8 { UInt8(truncatingIfNeeded: index) }
}

/// The outcome of a transfer.
enum USBOutcome {
  case done
  /// The device refused the transfer, or the transfer failed.
  case refused
  /// The host cancelled the transfer before it ended.
  case givenUp
  /// The device was unplugged.
  case gone
}

/// One step of one transfer, from any capture program.
struct USBPacket {
  enum Step {
    /// The host requests the transfer.
    case submission
    /// The data of a control transfer, if they have a packet of their own.
    case data
    /// The transfer has ended.
    case completion
    /// The host could not submit the request.
    case failure
  }

  enum Transfer: UInt8 { case isochronous, interrupt, control, bulk }

  /// The number of the packet in the file.
  var number = 0
  var microseconds: Int64 = 0
  var step: Step
  var transfer: Transfer
  /// The number that connects a completion with its submission; it is used again afterwards.
  var request: UInt64
  var address: USBAddress
  /// The number of the endpoint, with bit 7 set if it sends to the host.
  var endpoint: UInt8
  /// The outcome of the transfer; it has no meaning before the transfer has ended.
  var outcome: USBOutcome
  /// The setup, if this is the start of a control transfer and the packet has the setup; else nil.
  var setup: USBSetup?
  /// The number of bytes that were or will be transferred, without the setup.
  var byteCount: Int
  /// The period of an interrupt endpoint that the host has chosen; 0 if the packet has none.
  var interval: UInt32 = 0
  /// The captured part of the transferred bytes, up to ``CapturePacket/keptByteCount``.
  var payload: ArraySlice<UInt8>

  /// True if all bytes were captured.
  var isWhole: Bool { payload.count >= byteCount }
  var isIn: Bool { endpoint & 0x80 != 0 }

  /// Reads a packet of any link type; nil if it is not a transfer.
  ///
  /// - Throws: `USBHeaderTooShort` if the packet is shorter than its header.
  init?(_ packet: CapturePacket) throws(USBHeaderTooShort) {
    if packet.link == .usbpcap {
      try self.init(usbpcap: packet.bytes)
    } else {
      try self.init(
        usbmon: packet.bytes, headerByteCount: packet.link == .usbmonMapped ? 64 : 48)
    }
    number = packet.number
    microseconds = packet.microseconds
  }
}

/// The error of a packet that is shorter than its header.
struct USBHeaderTooShort: Error {
  var found: Int
  var expected: Int
}
