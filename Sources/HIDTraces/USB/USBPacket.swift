// SPDX-License-Identifier: Apache-2.0

/// Where a device is, until it is unplugged.
struct USBAddress: Hashable, Comparable, CustomStringConvertible {
  var bus: UInt16
  var device: UInt16

  static func < (left: Self, right: Self) -> Bool {
    (left.bus, left.device) < (right.bus, right.device)
  }

  var description: String { "bus \(bus) device \(device)" }
}

/// What the host asks for in a control transfer.
///
/// Source: USB 2.0, section 9.3.
struct USBSetup: Hashable {
  static let byteCount = 8

  var requestType: UInt8
  var request: UInt8
  var value: UInt16
  var index: UInt16
  var length: UInt16

  /// Reads the eight bytes, whose numbers are little-endian on every machine.
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
  /// The lower byte of the value: the index of a descriptor, the ID of a report.
  var number: UInt8 { UInt8(truncatingIfNeeded: value) }
  var interface: UInt8 { UInt8(truncatingIfNeeded: index) }
}

/// How a transfer ended.
enum USBOutcome {
  case done
  /// The device refused it, or it failed.
  case refused
  /// The host took it back before it ended.
  case givenUp
  /// The device is gone.
  case gone
}

/// One step of one transfer, whoever captured it.
struct USBPacket {
  enum Step {
    /// The host asks for the transfer.
    case submission
    /// The data of a control transfer, where they come apart from the rest.
    case data
    /// The transfer has ended.
    case completion
    /// The host could not even ask for it.
    case failure
  }

  enum Transfer: UInt8 { case isochronous, interrupt, control, bulk }

  /// The number of the packet in the file.
  var number = 0
  var microseconds: Int64 = 0
  var step: Step
  var transfer: Transfer
  /// By which a completion belongs to its submission; it is used again afterwards.
  var request: UInt64
  var address: USBAddress
  /// The number of the endpoint, with bit 7 for those that send to the host.
  var endpoint: UInt8
  /// How the transfer ended, where it has.
  var outcome: USBOutcome
  /// What is asked for, where a control transfer begins.
  var setup: USBSetup?
  /// How many bytes were sent, or are to be.
  var byteCount: Int
  /// The captured ones of them, up to ``CapturePacket/keptByteCount``.
  var payload: ArraySlice<UInt8>

  /// Whether all bytes were captured.
  var isWhole: Bool { payload.count >= byteCount }
  var isIn: Bool { endpoint & 0x80 != 0 }

  /// Reads a packet of any link type; nil for what is no transfer.
  ///
  /// - Throws: How many bytes the header has, if the packet is shorter.
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

/// A packet is shorter than its header has to be.
struct USBHeaderTooShort: Error {
  var found: Int
  var expected: Int
}
